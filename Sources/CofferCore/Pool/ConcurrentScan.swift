import CofferVault
import Dispatch
import Foundation

/// The progress of a concurrent fetch; see ``DatabasePool/concurrentFetchAll(_:progress:)``.
public struct ConcurrentFetchProgress: Sendable, Hashable {
  /// The number of elements that were fetched.
  public let fetchedCount: Int

  /// The completed fraction, from 0 to 1, estimated by the rowids.
  ///
  /// It never decreases. It advances unevenly if the rowids have large gaps.
  public let fraction: Double
}

/// Receives the elements of one part of a scan, on the thread of its connection.
public final class _ScanOutput<Element> {
  @safe @exclusivity(unchecked) @usableFromInline var elements: [Element] = []
  /// The number of elements at which `check` is called.
  @safe @exclusivity(unchecked) @usableFromInline var checkCount = Int.max
  /// Called to bound the memory of the elements.
  private let check: ((_ScanOutput<Element>) throws -> Void)?

  init(check: ((_ScanOutput<Element>) throws -> Void)?) {
    self.check = check
    if check != nil { checkCount = 1 }
  }

  /// Adds the next element.
  @inlinable
  public func append(_ element: Element) throws {
    elements.append(element)
    if elements.count >= checkCount { try callCheck() }
  }

  @usableFromInline
  func callCheck() throws { try check?(self) }

  /// Returns the elements and removes them.
  func take() -> [Element] {
    defer { elements = [] }
    return elements
  }

  /// Requests the next check after `count` more elements.
  func checkAfter(_ count: Int) { checkCount = elements.count + count }
}

/// Reads the rows of a request and adds the elements to the output.
public typealias _ScanDecoding<Element> =
  @Sendable (
    Database, PreparedRequest, _ScanOutput<Element>
  ) throws -> Void

/// One request fetched by several connections of a pool.
final class ConcurrentScan<Element>: Sendable {
  /// Bytes of pages that a part should have, so that it fits in SQLite's cache.
  private static var partBytes: Int { 512 << 10 }
  /// Bytes of pages, and elements, after which elements are handed over.
  private static var chunkBytes: Int { 256 << 10 }
  private static var chunkCount: Int { 1_024 }

  private let pool: DatabasePool
  private let scan: _TableScan
  private let decoding: _ScanDecoding<Element>
  private let isBounded: Bool
  private let schedule: ScanSchedule<Element>
  private let readerCount: Int

  /// - Parameter isBounded: Whether the memory of elements before their delivery is bounded.
  init(
    _ pool: DatabasePool, _ scan: _TableScan, isBounded: Bool,
    _ decoding: @escaping _ScanDecoding<Element>
  ) {
    self.pool = pool
    self.scan = scan
    self.isBounded = isBounded
    self.decoding = decoding
    // Work on a queue of the application could wait for this work.
    let hasTarget = pool.configuration.targetQueue != nil
    readerCount =
      hasTarget
      ? 1
      : min(ProcessInfo.processInfo.activeProcessorCount, pool.configuration.maximumReaderCount)
    schedule = ScanSchedule(chunkLimit: isBounded ? 2 * max(readerCount, 1) : .max)
  }

  /// Ends the scan before its end, from any thread.
  func cancel() { schedule.stop(CancellationError()) }

  // MARK: The delivering connection

  /// Fetches the request inside a read that has executed no statement.
  ///
  /// - Parameters:
  ///   - deliver: Called on this thread, in the order of the rowids.
  ///   - progress: Called on this thread.
  func run(
    _ db: Database, progress: ((ConcurrentFetchProgress) throws -> Void)?,
    deliver: ([Element]) throws -> Void
  ) throws {
    try withoutActuallyEscaping(deliver) { deliver in
      var (fetchedCount, fraction) = (0, 0.0)
      func report() throws {
        try progress?(ConcurrentFetchProgress(fetchedCount: fetchedCount, fraction: fraction))
      }
      let part = ScanPart<Element>(db) { chunks, position in
        for chunk in chunks {
          try deliver(chunk.elements)
          fetchedCount += chunk.elements.count
        }
        fraction = position.fraction
        try report()
      }
      try run(db, part)
      guard fraction < 1 else { return }
      fraction = 1
      try report()
    }
  }

  private func run(_ db: Database, _ part: ScanPart<Element>) throws {
    var table = try scan.table(db)
    var rowIDs = try table.rowIDs(db)
    let others = takeOthers(for: rowIDs)
    if !others.isEmpty {
      do {
        try db.renewPendingTransaction()
        try db.beginTogether(others)
        table = try scan.table(db)
        rowIDs = try table.rowIDs(db)
      } catch {
        for reader in others {
          if (try? reader.endSnapshot()) == nil { reader.invalidate() }
          pool.readers.giveBack(reader)
        }
        throw error
      }
    }
    schedule.begin(rowIDs, others: others)
    for reader in others { start(reader, table) }
    defer {
      schedule.stop()
      schedule.waitForOthers()
    }
    try coordinate(table, part)
  }

  /// Borrows other connections, if the table may be large enough.
  private func takeOthers(for rowIDs: ClosedRange<Int64>?) -> [SerializedDatabase] {
    guard let rowIDs, rowIDs.distance >= 1_000 else { return [] }
    return pool.readers.takeSpare(readerCount - 1)
  }

  private func coordinate(_ table: _TableScan.Table, _ part: ScanPart<Element>) throws {
    part.rowCount = ConcurrentScan.initialRowCount(table)
    while true {
      try part.db.checkCancellation()
      let step = schedule.nextStep(
        part.sleeper, rowCount: part.rowCount, isDense: part.isDense)
      if case .read(let taken) = step {
        try read(taken, table, part)
      } else if try !part.perform(step) {
        return
      }
    }
  }

  // MARK: The other connections

  private func start(_ reader: SerializedDatabase, _ table: _TableScan.Table) {
    reader.scheduleUntilSnapshotEnds { [self] db in
      let part = ScanPart<Element>(db, deliver: nil)
      part.rowCount = ConcurrentScan.initialRowCount(table)
      while let taken = schedule.nextPart(
        part.sleeper, rowCount: part.rowCount, isDense: part.isDense,
        canRetire: { pool.readers.hasWaiters })
      {
        // Without delivery, errors are kept with the part.
        try? read(taken, table, part)
      }
      schedule.leave(reader)
    } whenOver: { [self] in
      schedule.leave(reader)
      pool.readers.giveBack(reader)
      schedule.didReturnReader()
    }
  }

  // MARK: Parts

  private static func initialRowCount(_ table: _TableScan.Table) -> Int {
    table.isCostly ? 4_096 : 64
  }

  private static func maximumRowCount(_ table: _TableScan.Table) -> Int {
    table.isCostly ? 65_536 : 4_096
  }

  /// Reads a part of the rows.
  ///
  /// - Throws: Errors of the delivery. Errors of the part are kept with it.
  private func read(
    _ taken: ScanSchedule<Element>.Taken, _ table: _TableScan.Table, _ part: ScanPart<Element>
  ) throws {
    let (db, start) = (part.db, taken.rowIDs.lowerBound)
    let output = _ScanOutput<Element>(
      check: isBounded ? { try self.handOver($0, start, part) } : nil)
    do {
      let rowCount = try db.readOnly { () throws -> Int? in
        let requests = part.pageRequests()
        let (rowIDs, rowCount) =
          taken.rowCount == nil
          ? try findEnd(of: taken.rowIDs, table, part) : (taken.rowIDs, nil)
        part.startChunk()
        if rowCount != 0 {
          try decoding(db, scan.request(db, rowIDs: rowIDs), output)
          try db.checkDamage()
        }
        try db.requireSnapshot()
        let bytes = part.bytes(since: requests)
        part.adapt(
          // The rows' own pages were requested twice if they were counted.
          bytes: rowCount == nil ? bytes : bytes / 2,
          rowCount: taken.rowCount ?? Double(rowCount ?? 0), wasCounted: rowCount != nil,
          goal: ConcurrentScan.partBytes, maximum: ConcurrentScan.maximumRowCount(table))
        return rowCount
      }
      schedule.finishPart(start, output.take(), rowCount: rowCount, failure: nil)
    } catch let error as ScanDeliveryError {
      throw error.underlying
    } catch {
      let error = db.explainingDamage(error)
      schedule.finishPart(start, output.take(), rowCount: nil, failure: error)
    }
  }

  /// Finds the end of a part, frees the rest of the taken rowids, and counts the rows.
  private func findEnd(
    of taken: ClosedRange<Int64>, _ table: _TableScan.Table, _ part: ScanPart<Element>
  ) throws -> (ClosedRange<Int64>, rowCount: Int?) {
    guard let end = try table.end(of: taken, count: part.rowCount, part.db) else {
      return (taken, try table.count(taken, part.db))
    }
    schedule.endPart(taken.lowerBound, at: end)
    return (taken.lowerBound...end, part.rowCount)
  }

  /// Hands elements over if they are many, and waits while too many aren't delivered.
  private func handOver(
    _ output: _ScanOutput<Element>, _ start: Int64, _ part: ScanPart<Element>
  ) throws {
    let bytes = part.chunkBytes()
    let count = output.elements.count
    guard bytes >= ConcurrentScan.chunkBytes || count >= ConcurrentScan.chunkCount else {
      let bytesPerElement = bytes / count
      return output.checkAfter(min(32, max(1, 16_384 / max(bytesPerElement, 1))))
    }
    if !schedule.add(output.take(), start) {
      if part.deliver == nil {
        schedule.waitForRoom(part.sleeper, start)
      } else {
        try deliverUntilRoom(start, part)
      }
    }
    if schedule.isStopped { throw CancellationError() }
    part.startChunk()
    output.checkAfter(1)
  }

  private func deliverUntilRoom(_ start: Int64, _ part: ScanPart<Element>) throws {
    do {
      while let step = schedule.nextStepWithoutRoom(part.sleeper, start) {
        if try !part.perform(step) { return }
      }
    } catch { throw ScanDeliveryError(underlying: error) }
  }
}

/// An error of the delivery, which isn't one of the part that is being read.
private struct ScanDeliveryError: Error { let underlying: any Error }

/// What one connection needs to read parts; used on its thread.
private final class ScanPart<Element> {
  typealias Delivery = ([ScanSchedule<Element>.Chunk], ScanSchedule<Element>.Position) throws ->
    Void

  let db: Database
  /// Delivers elements; nil for connections that only read.
  let deliver: Delivery?
  let sleeper = DispatchSemaphore(value: 0)
  /// The number of rows of the next part.
  var rowCount = 1
  private let pageSize: Int
  private var chunkStart: CInt = 0

  init(_ db: Database, deliver: Delivery?) {
    self.db = db
    self.deliver = deliver
    pageSize = db.pageSize
  }

  /// Performs a step other than reading; returns false at the end.
  func perform(_ step: ScanSchedule<Element>.Step) throws -> Bool {
    switch step {
    case .deliver(let chunks, let position, let failure):
      try deliver?(chunks, position)
      if let failure { throw failure }
    case .wait: sleeper.wait()
    case .end(let error):
      if let error { throw error }
      return false
    case .read: break
    }
    return true
  }

  /// The number of pages that the connection has requested.
  func pageRequests() -> CInt { unsafe db.sqliteConnection.map { SQLite.pageRequests($0) } ?? 0 }

  func bytes(since requests: CInt) -> Int { Int(pageRequests() &- requests) * pageSize }

  func startChunk() { chunkStart = pageRequests() }

  /// The bytes of pages that were read for the current chunk.
  func chunkBytes() -> Int { bytes(since: chunkStart) }

  /// Whether the last part had as many pages as its estimated rows should have.
  private(set) var isDense = true
  /// The bytes of pages per row in the last part whose rows were counted.
  private var bytesPerRow = 0.0

  /// Adapts the number of rows of the next part.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of pages in the part.
  ///   - rowCount: The number of its rows, counted or estimated.
  ///   - goal: The bytes that a part should have.
  func adapt(bytes: Int, rowCount count: Double, wasCounted: Bool, goal: Int, maximum: Int) {
    if wasCounted {
      bytesPerRow = count > 0 ? Double(bytes) / count : 0
      isDense = count > 0
    } else {
      // Fewer pages mean that there are gaps, which the condition's elements don't show.
      isDense = Double(bytes) > count * bytesPerRow / 4
    }
    if bytes > 2 * goal {
      rowCount = max(rowCount / 2, 1)
    } else if bytes < goal / 2, count >= Double(rowCount) / 2 {
      rowCount = min(rowCount * 2, maximum)
    }
  }
}
