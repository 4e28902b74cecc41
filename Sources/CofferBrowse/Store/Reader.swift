import Coffer
import Dispatch
import Synchronization

/// A read-only connection whose statements are ended after a time, or when somebody asks for it.
final class Reader: Sendable {
  private struct State {
    /// The limits under way, the outermost first.
    var limits: [Int] = []
    var lastLimit = 0
    /// Whether the access has to end.
    var isStopped = false
    var isQuery = false
  }

  let queue: DatabaseQueue
  private let state = Mutex(State())

  init(_ queue: DatabaseQueue) { self.queue = queue }

  /// Reads in one transaction.
  ///
  /// - Parameter isQuery: Whether ``stop(queriesOnly:)`` ends it when a person asks for that.
  /// - Throws: ``BrowseError/tooLong`` or ``BrowseError/stopped``.
  func read<T>(
    within limit: Duration, isQuery: Bool, _ body: (Database) throws -> T
  ) throws -> T {
    state.withLock {
      $0.isStopped = false
      $0.isQuery = isQuery
    }
    defer { state.withLock { $0.isQuery = false } }
    return try self.limit(limit) { try queue.read(body) }
  }

  /// Calls `body`, and interrupts its statements once the time is over.
  func limit<T>(_ time: Duration, _ body: () throws -> T) throws -> T {
    let number = state.withLock { state in
      state.lastLimit += 1
      state.limits.append(state.lastLimit)
      return state.lastLimit
    }
    let end = ContinuousClock.now + time
    interrupt(number, after: time)
    defer { state.withLock { $0.limits.removeAll { $0 >= number } } }
    do { return try body() } catch let error as DatabaseError
      where error.resultCode == .SQLITE_INTERRUPT
    {
      if state.withLock(\.isStopped) { throw BrowseError.stopped }
      throw ContinuousClock.now >= end ? BrowseError.tooLong : error
    }
  }

  /// Interrupts the statements of a limit from then on: one that hasn't begun can't be interrupted.
  private func interrupt(_ number: Int, after time: Duration) {
    let (seconds, attoseconds) = time.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    DispatchQueue.global(qos: .userInteractive).asyncAfter(
      deadline: .now() + .nanoseconds(nanoseconds)
    ) { [weak self] in
      guard let self else { return }
      // Under the lock, so that it can't meet a statement after the limit.
      let isUnderWay = state.withLock { state in
        guard state.limits.contains(number) else { return false }
        queue.interrupt()
        return true
      }
      if isUnderWay { interrupt(number, after: .milliseconds(20)) }
    }
  }

  /// Ends what is being read.
  func stop(queriesOnly: Bool) {
    let number: Int? = state.withLock { state in
      guard let first = state.limits.first, state.isQuery || !queriesOnly else { return nil }
      state.isStopped = true
      return first
    }
    if let number { interrupt(number, after: .zero) }
  }

  /// Throws if the access has been stopped, between two statements.
  func check() throws {
    if state.withLock(\.isStopped) { throw BrowseError.stopped }
  }
}

/// Why there is no page, in words for it.
enum BrowseError: Error, Equatable {
  /// There is no such table, row or value.
  case missing(String)
  /// Something that only reads was expected, or a value of another form.
  case refused(String)
  case tooLong
  case stopped
}
