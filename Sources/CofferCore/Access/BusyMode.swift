import CofferVault
import FoundationEssentials
import Synchronization
import Glibc

extension Database {
  /// A callback that decides whether to retry after the given number of tries.
  public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

  /// The behavior of a connection when another connection has locked the database.
  public enum BusyMode: Sendable {
    /// Throws `SQLITE_BUSY` at once.
    case immediateError
    /// Waits for up to this many seconds before it throws `SQLITE_BUSY`.
    ///
    /// The wait also ends when the access is cancelled or interrupted.
    case timeout(TimeInterval)
    /// Asks the callback whether to retry, and throws `SQLITE_BUSY` if not.
    case callback(BusyCallback)
  }

  func setUpBusyMode() {
    guard let connection = sqliteConnection else { return }
    hooks.busyWait = makeBusyWait()
    SQLite.setBusyWait(hooks.busyWait, in: connection)
  }

  private func makeBusyWait() -> BusyWait? {
    switch configuration.busyMode {
    case .immediateError: nil
    case .timeout(let seconds): BusyWait(.seconds(seconds), interruption)
    case .callback(let callback): BusyWait(.asking(callback), interruption)
    }
  }

  /// Repeats `body` while the busy mode allows, where SQLite fails without waiting: it doesn't wait
  /// for a lock whose holder may itself be waiting for this connection.
  func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
    let wait = makeBusyWait()
    var count = 0
    while true {
      do { return try body() } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && wait?.shouldRetry(count: count) == true
      {
        count += 1
      }
    }
  }

  /// Runs `body`, in which SQLite waits for locks no longer than `seconds`.
  func withBusyTimeout<T>(seconds: TimeInterval, _ body: () -> T) -> T {
    guard let connection = sqliteConnection else { return body() }
    let usual = hooks.busyWait
    hooks.busyWait = BusyWait(.seconds(seconds), interruption)
    SQLite.setBusyWait(hooks.busyWait, in: connection)
    defer {
      hooks.busyWait = usual
      SQLite.setBusyWait(usual, in: connection)
    }
    return body()
  }

  /// The error to throw for an SQLite error: `CancellationError` if the access was cancelled, and
  /// `SQLITE_INTERRUPT` if an interruption ended a wait for a lock.
  func translated(_ error: DatabaseError) -> any Error {
    let error = explainingRefusedPages(
      explainingCorruption(explainingChangedKey(explainingTokenizers(error))))
    let wasInterrupted = error.resultCode == .SQLITE_BUSY && hooks.busyWait?.wasInterrupted == true
    guard error.resultCode == .SQLITE_INTERRUPT || wasInterrupted else { return error }
    if interruption.isCancelled.load(ordering: .relaxed) { return CancellationError() }
    guard wasInterrupted else { return error }
    return DatabaseError(resultCode: .SQLITE_INTERRUPT, sql: error.sql)
  }
}

/// Waits while another connection has locked the database.
final class BusyWait {
  enum Limit {
    case seconds(TimeInterval)
    case asking(Database.BusyCallback)
  }

  private let limit: Limit
  private let interruption: Interruption
  private var deadline = ContinuousClock.now
  private var interruptions = 0
  /// Whether an interruption ended the last wait.
  private(set) var wasInterrupted = false

  init(_ limit: Limit, _ interruption: Interruption) {
    self.limit = limit
    self.interruption = interruption
  }

  /// Returns, after a pause, whether SQLite should retry.
  func shouldRetry(count: Int) -> Bool {
    if count == 0 {
      interruptions = interruption.count
      wasInterrupted = false
      // The limit, more than a century, prevents overflow.
      if case .seconds(let seconds) = limit {
        deadline = .now + .seconds(min(max(seconds, 0), 4e9))
      }
    }
    if noticeInterruption() { return false }
    switch limit {
    case .asking(let callback):
      return callback(count) && !noticeInterruption()
    case .seconds:
      let remaining = ContinuousClock.now.duration(to: deadline)
      guard remaining > .zero else { return false }
      BusyWait.sleep(min(BusyWait.pause(), remaining))
      return !noticeInterruption()
    }
  }

  private func noticeInterruption() -> Bool {
    wasInterrupted =
      interruption.isCancelled.load(ordering: .relaxed) || interruption.count != interruptions
    return wasInterrupted
  }

  /// The time between two tries, short however long the wait: another process that writes
  /// continuously frees the lock for only microseconds between its transactions, and infrequent
  /// tries would always miss them. A random time keeps two waiting connections from always trying
  /// at the same moment.
  private static func pause() -> Duration { .microseconds(Int.random(in: 50...600)) }

  private static func sleep(_ duration: Duration) {
    let nanoseconds = duration.components.attoseconds / 1_000_000_000
    var time = timespec(
      tv_sec: Int(duration.components.seconds), tv_nsec: Int(nanoseconds))
    unsafe nanosleep(&time, nil)
  }
}
