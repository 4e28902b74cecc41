import Coffer
import CofferDrawing
import Dispatch
import Synchronization

/// A read-only connection whose statements are ended after a time, or when somebody asks for it.
final class Reader: Sendable {
  let queue: DatabaseQueue
  /// Whether the access is a person's query, and whether it has to end.
  private let state = Mutex((isQuery: false, isStopped: false))
  /// Counts of rows by tables' names, as of a version of the data.
  let counts = Mutex<(version: Int, counts: [[UInt8]: RowCount])>((0, [:]))

  init(_ queue: DatabaseQueue) { self.queue = queue }

  /// Reads in one transaction.
  ///
  /// - Parameter isQuery: Whether ``stop(queriesOnly:)`` ends it when a person asks for that.
  /// - Throws: ``BrowseError/tooLong(_:)`` or ``BrowseError/stopped``.
  func read<T>(
    within time: Duration, isQuery: Bool, _ body: (Database) throws -> T
  ) throws -> T {
    state.withLock { $0 = (isQuery, false) }
    defer { state.withLock { $0.isQuery = false } }
    return try limit(time) { try queue.read(body) }
  }

  /// Calls `body`, and interrupts its statements once the time is over.
  func limit<T>(_ time: Duration, _ body: () throws -> T) throws -> T {
    let end = ContinuousClock.now + time
    let isOver = Mutex(false)
    // Again and again: a statement that hasn't begun can't be interrupted.
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
    timer.schedule(deadline: .now() + .milliseconds(20), repeating: .milliseconds(20))
    timer.setEventHandler { [self] in
      // Under the lock, so that it can't meet a statement after the limit.
      isOver.withLock { isOver in
        if !isOver, isStopped || ContinuousClock.now >= end { queue.interrupt() }
      }
    }
    timer.activate()
    defer {
      isOver.withLock { $0 = true }
      timer.cancel()
    }
    do { return try body() } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_INTERRUPT:
        try check()
        throw ContinuousClock.now >= end ? BrowseError.tooLong(time) : error
      case .SQLITE_NOMEM, .SQLITE_TOOBIG: throw BrowseError.tooLarge
      default: throw error
      }
    }
  }

  private var isStopped: Bool { state.withLock(\.isStopped) }

  /// Ends what is being read.
  func stop(queriesOnly: Bool) {
    state.withLock { if $0.isQuery || !queriesOnly { $0.isStopped = true } }
  }

  /// Throws if the access has been stopped, between two statements.
  func check() throws {
    if isStopped { throw BrowseError.stopped }
  }
}

/// Why there is no page, in words for it.
enum BrowseError: Error, Equatable {
  /// There is no such table, row or value.
  case missing(String)
  /// Something that only reads was expected, or a value of another form.
  case refused(String)
  /// It has taken all the time that it may.
  case tooLong(Duration)
  case stopped

  /// SQLite has as much memory as it gets, or a value is longer than any may be.
  static let tooLarge = refused(
    """
    This takes more memory than the \(Numbers.size(BrowseServer.memoryLimit)) that all pages have: a \
    large value, or many that are sorted or put together. Leave large columns out – length(column) is \
    their size, and a table's rows have their beginnings – or take fewer rows.
    """)
}
