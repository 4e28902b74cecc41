import Dispatch
import Synchronization

/// The division of one scan's rowids among several connections, and the elements that they have
/// read.
///
/// The rowids are a list of adjacent segments in ascending order. A connection takes the first free
/// rowids, reads as many rows as make a part, and returns the rest. So parts are equally large
/// however the rowids are distributed, and nothing is read to find out. One connection is the
/// scan's own: it also delivers the elements, in the order of the segments.
///
/// - Invariant: A connection that ends a part takes the first free segment next, so that no
///   connection waits for a segment that nothing reads.
final class ScanSchedule<Element>: Sendable {
  // SAFETY: elements are made by one connection, which keeps no reference to them, and then used
  // by the one that delivers them. They are Sendable, or copied rows: these share a layout, which
  // is immutable, and blocks, whose written parts are.
  struct Chunk: @unchecked Sendable { let elements: [Element] }

  /// What the delivering connection does next.
  enum Step: Sendable {
    case deliver([Chunk], position: Position, (any Error)?)
    case read(Taken)
    case wait
    /// Everything is delivered, or the scan was stopped with an error.
    case end((any Error)?)
  }

  /// Rowids that a connection has taken.
  struct Taken: Sendable {
    var rowIDs: ClosedRange<Int64>
    /// The estimated number of rows if the rowids are one part; nil if the part's end must be
    /// found.
    var rowCount: Double?
  }

  /// The part of the scan that is delivered.
  struct Position: Sendable {
    /// The fraction of the range of rowids, from 0 to 1.
    var fraction: Double
  }

  fileprivate enum Status { case free, taken, read }

  fileprivate struct Segment: Sendable {
    var rowIDs: ClosedRange<Int64>
    var status = Status.free
    var chunks: [Chunk] = []
    var failure: (any Error)?
  }

  fileprivate struct State: Sendable {
    /// From the first segment that isn't delivered.
    var segments: [Segment] = []
    var whole: ClosedRange<Int64>?
    /// The rows per rowid in the last part whose rows were counted; nil before that.
    var density: Double?
    /// The chunks that aren't delivered.
    var chunkCount = 0
    var isStopped = false
    var stopError: (any Error)?
    /// The connections that can be interrupted.
    var readers: [SerializedDatabase] = []
    /// The connections besides the delivering one that aren't returned yet.
    var lentCount = 0
    var sleepers: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())
  /// The maximum number of chunks that wait for their delivery.
  private let chunkLimit: Int

  init(chunkLimit: Int) { self.chunkLimit = chunkLimit }

  /// Changes the state, and wakes all who wait for a change.
  private func update<T: Sendable>(_ change: (inout State) -> T) -> T {
    let (result, sleepers) = state.withLock { state in
      let result = change(&state)
      defer { state.sleepers = [] }
      return (result, state.sleepers)
    }
    for sleeper in sleepers { sleeper.signal() }
    return result
  }

  // MARK: The scan

  /// Begins the scan of a range, by `others` besides the delivering connection.
  func begin(_ rowIDs: ClosedRange<Int64>?, others: [SerializedDatabase]) {
    state.withLock { state in
      state.whole = rowIDs
      state.segments = rowIDs.map { [Segment(rowIDs: $0)] } ?? []
      state.readers = others
      state.lentCount = others.count
    }
  }

  /// Ends the scan before its end, and interrupts the other connections.
  func stop(_ error: (any Error)? = nil) {
    update { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      state.stopError = error
      // Under the lock: a connection that has left belongs to others.
      for reader in state.readers { reader.interrupt() }
    }
  }

  /// Waits until the other connections are returned.
  func waitForOthers() {
    let sleeper = DispatchSemaphore(value: 0)
    while state.withLock({ state in
      guard state.lentCount > 0 else { return false }
      state.sleepers.append(sleeper)
      return true
    }) { sleeper.wait() }
  }

  /// Removes a connection, which can't be interrupted from then on.
  func leave(_ reader: SerializedDatabase) {
    update { state in state.readers.removeAll { $0 === reader } }
  }

  /// Records that a connection is returned.
  func didReturnReader() { update { $0.lentCount -= 1 } }

  // MARK: Parts

  /// Returns the rowids to begin the next part with; nil at the end.
  ///
  /// - Parameters:
  ///   - rowCount: The wanted number of rows.
  ///   - isDense: Whether the rowids are as dense as before, as far as the connection knows.
  ///   - canRetire: Whether to return nil also if the other connections can do the rest.
  func nextPart(
    _ sleeper: DispatchSemaphore, rowCount: Int, isDense: Bool, canRetire: () -> Bool
  ) -> Taken? {
    while true {
      let mayRetire = canRetire()
      let step: Step = state.withLock { state in
        if state.isStopped || mayRetire && state.isRestFree { return .end(nil) }
        if let taken = state.takePart(rowCount, isDense) { return .read(taken) }
        guard state.segments.contains(where: { $0.status == .taken }) else { return .end(nil) }
        state.sleepers.append(sleeper)
        return .wait
      }
      switch step {
      case .read(let taken): return taken
      case .wait: sleeper.wait()
      default: return nil
      }
    }
  }

  /// Returns the next step of the delivering connection.
  func nextStep(_ sleeper: DispatchSemaphore, rowCount: Int, isDense: Bool) -> Step {
    update { state in
      if state.isStopped { return .end(state.stopError) }
      if let delivery = state.takeDelivery() { return delivery }
      if let taken = state.takePart(rowCount, isDense) { return .read(taken) }
      guard !state.segments.isEmpty else { return .end(nil) }
      return .wait
    } sleepingIf: { step in
      if case .wait = step { sleeper } else { nil }
    }
  }

  /// Sets the end of a part, and frees the rest of its rowids.
  func endPart(_ start: Int64, at end: Int64) {
    update { state in
      guard let index = state.index(of: start) else { return }
      let last = state.segments[index].rowIDs.upperBound
      guard end < last else { return }
      state.segments[index].rowIDs = start...end
      state.segments.insert(Segment(rowIDs: end + 1...last), at: index + 1)
    }
  }

  /// Adds elements of a part that is being read.
  ///
  /// - Returns: False if the elements that wait for their delivery are too many, so that the caller
  ///   must wait with ``waitForRoom(_:_:)``.
  func add(_ elements: [Element], _ start: Int64) -> Bool {
    let chunk = Chunk(elements: elements)
    return update { state in
      guard !state.isStopped, let index = state.index(of: start) else { return true }
      state.segments[index].chunks.append(chunk)
      state.chunkCount += 1
      return state.hasRoom(start, chunkLimit)
    }
  }

  /// Waits until the part that begins at `start` can add elements, or until the scan is stopped.
  func waitForRoom(_ sleeper: DispatchSemaphore, _ start: Int64) {
    while state.withLock({ state in
      if state.isStopped || state.hasRoom(start, chunkLimit) { return false }
      state.sleepers.append(sleeper)
      return true
    }) { sleeper.wait() }
  }

  /// Returns the delivering connection's next step while its part has no room; nil if it has.
  func nextStepWithoutRoom(_ sleeper: DispatchSemaphore, _ start: Int64) -> Step? {
    update { state in
      if state.isStopped { return .end(state.stopError) }
      if state.hasRoom(start, chunkLimit) { return nil }
      return state.takeDelivery() ?? .wait
    } sleepingIf: { step in
      if case .wait? = step { sleeper } else { nil }
    }
  }

  /// Whether the scan was stopped, so that what is being read isn't needed.
  var isStopped: Bool { state.withLock(\.isStopped) }

  /// Ends a part with its last elements.
  ///
  /// - Parameters:
  ///   - rowCount: The number of rows in the part; nil if they weren't counted.
  ///   - failure: The error after the elements; later rows aren't read.
  func finishPart(
    _ start: Int64, _ elements: [Element], rowCount: Int?, failure: (any Error)?
  ) {
    let chunk = Chunk(elements: elements)
    update { state in
      guard !state.isStopped, let index = state.index(of: start) else { return }
      if !chunk.elements.isEmpty {
        state.segments[index].chunks.append(chunk)
        state.chunkCount += 1
      }
      state.segments[index].status = .read
      state.segments[index].failure = failure
      if failure != nil {
        for segment in state.segments[(index + 1)...] { state.chunkCount -= segment.chunks.count }
        state.segments.removeSubrange((index + 1)...)
      }
      if let rowCount {
        let width = state.segments[index].rowIDs.distance + 1
        state.density = max(Double(rowCount) / width, (state.density ?? 1) / 64)
      }
    }
  }

  private func update<T: Sendable>(
    _ change: (inout State) -> T, sleepingIf sleeper: (T) -> DispatchSemaphore?
  ) -> T {
    let (result, sleepers) = state.withLock { state in
      let result = change(&state)
      let sleepers = state.sleepers
      state.sleepers = sleeper(result).map { [$0] } ?? []
      return (result, sleepers)
    }
    for sleeper in sleepers { sleeper.signal() }
    return result
  }
}

extension ScanSchedule.State {
  /// The index of a segment by its first rowid; nil if it was dropped after an error.
  fileprivate func index(of start: Int64) -> Int? {
    segments.firstIndex { $0.rowIDs.lowerBound == start }
  }

  /// Whether all free rowids are behind those that are being read, and others read.
  fileprivate var isRestFree: Bool {
    guard let free = segments.firstIndex(where: { $0.status == .free }) else { return true }
    return !segments[free...].contains { $0.status == .taken }
  }

  /// Takes the first free rowids for a part of about `rowCount` rows.
  ///
  /// If at least every fourth rowid has a row, the rowids are a part: it can't become much larger
  /// than estimated. Otherwise they are twice as many as are needed on average, and the rest is
  /// returned.
  fileprivate mutating func takePart(_ rowCount: Int, _ isDense: Bool) -> ScanSchedule.Taken? {
    guard let index = segments.firstIndex(where: { $0.status == .free }) else { return nil }
    let free = segments[index].rowIDs
    let isPart = isDense && (density ?? 0) >= 0.25
    let needed = Double(rowCount) / max(density ?? 1, .leastNormalMagnitude)
    let width = max((isPart ? needed : 2 * needed).rounded(.up) - 1, 0)
    segments[index].status = .taken
    if width < free.distance {
      let end = free.lowerBound &+ Int64(truncatingIfNeeded: UInt64(width))
      segments[index].rowIDs = free.lowerBound...end
      segments.insert(.init(rowIDs: end + 1...free.upperBound), at: index + 1)
    }
    let taken = segments[index].rowIDs
    let estimate = isPart ? (taken.distance + 1) * (density ?? 1) : nil
    return ScanSchedule.Taken(rowIDs: taken, rowCount: estimate)
  }

  /// Whether the part that begins at `start` can add elements without exceeding the limit.
  fileprivate func hasRoom(_ start: Int64, _ limit: Int) -> Bool {
    guard chunkCount >= limit, let first = segments.first else { return true }
    // The first segment can always be delivered.
    return first.rowIDs.lowerBound == start && first.chunks.isEmpty
  }

  /// Takes the chunks that are next in the order, and the segments that are complete.
  fileprivate mutating func takeDelivery() -> ScanSchedule.Step? {
    var chunks: [ScanSchedule.Chunk] = []
    var failure: (any Error)?
    var count = 0
    while failure == nil, count < segments.count {
      chunks += segments[count].chunks
      segments[count].chunks = []
      guard segments[count].status == .read else { break }
      failure = segments[count].failure
      count += 1
    }
    guard !chunks.isEmpty || count > 0 else { return nil }
    segments.removeFirst(count)
    chunkCount -= chunks.count
    return .deliver(chunks, position: position, failure)
  }

  fileprivate var position: ScanSchedule.Position {
    guard let whole, let first = segments.first, whole.distance > 0 else {
      return ScanSchedule.Position(fraction: segments.isEmpty ? 1 : 0)
    }
    let done = whole.lowerBound...first.rowIDs.lowerBound
    return ScanSchedule.Position(fraction: min(done.distance / whole.distance, 1))
  }
}

extension ClosedRange<Int64> {
  /// The difference of the bounds, which can be larger than the largest integer.
  var distance: Double { Double(UInt64(bitPattern: upperBound &- lowerBound)) }
}
