import Foundation
import Synchronization

/// Makes a connection check for other connections' commits when its files are written.
///
/// A dedicated thread waits for writes, and is idle while there are no observers or no writes.
/// SQLite can write a commit some time before making it visible, which causes no event. So the
/// check is repeated, first after 1 ms, and then after twice as long each time, up to 4 s. During
/// continuous writes, such as the connection's own transactions, it runs every 8 ms.
final class ExternalChangeWatch: Sendable {
  /// The result of a check.
  enum Look {
    /// The connection has seen all visible commits.
    case isDone
    /// The database was locked.
    case isBusy
    /// The connection is closed.
    case isClosed
  }

  private static let shortestPause = 1
  private static let pauseAmongEvents = 8
  private static let longestPause = 4096

  private let folder: FolderWatch
  private let isStopped = Atomic(false)
  private let isObserved = Atomic(false)

  /// - Throws: ``DatabaseError`` if the folder can't be watched.
  init(databasePath: String) throws { folder = try FolderWatch(databasePath: databasePath) }

  /// Starts checking on another thread, until ``stop()`` or until `look` returns `isClosed`.
  func start(_ look: @escaping @Sendable () -> Look) {
    let thread = Thread { [self] in run(look) }
    thread.name = "Coffer.elsewhere"
    thread.start()
  }

  /// Sets whether there are observers; callable from any thread.
  ///
  /// Before a new observer was added, the events of a commit that wasn't visible yet may have been
  /// missed, so this triggers a check.
  func setObserved(_ newValue: Bool) {
    guard isObserved.exchange(newValue, ordering: .sequentiallyConsistent) != newValue else {
      return
    }
    if newValue { folder.wake() }
  }

  /// Stops checking, without waiting for a check that is under way; callable from any thread.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    folder.wake()
  }

  // MARK: The thread

  private func run(_ look: () -> Look) {
    var pause = ExternalChangeWatch.shortestPause
    var due: ContinuousClock.Instant?
    while true {
      let isObserved = isObserved.load(ordering: .sequentiallyConsistent)
      if !isObserved { due = nil }
      let remaining = due.map { milliseconds(until: $0) }
      // If a check is due soon, events can wait.
      let isLongWait = (remaining ?? .max) > ExternalChangeWatch.pauseAmongEvents
      let wakeup = folder.wait(milliseconds: remaining, forEvents: isObserved && isLongWait)
      if isStopped.load(ordering: .sequentiallyConsistent) { return }
      if wakeup.isWoken || wakeup.hasEvents {
        pause =
          due == nil ? ExternalChangeWatch.shortestPause : ExternalChangeWatch.pauseAmongEvents
        let next = ContinuousClock.now + .milliseconds(pause)
        due = min(due ?? next, next)
      }
      guard let moment = due, ContinuousClock.now >= moment else { continue }
      // The commits behind these events may become visible only after the check.
      let hasNews = folder.takeEvents()
      let result = look()
      if result == .isClosed { return }
      pause = hasNews ? ExternalChangeWatch.pauseAmongEvents : pause * 2
      if result == .isBusy { pause = min(pause, ExternalChangeWatch.longestPause) }
      due =
        pause > ExternalChangeWatch.longestPause
        ? nil : ContinuousClock.now + .milliseconds(pause)
    }
  }

  private func milliseconds(until moment: ContinuousClock.Instant) -> Int {
    let duration = ContinuousClock.now.duration(to: moment)
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    // Rounded up, so that the wait doesn't end early.
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1
  }
}
