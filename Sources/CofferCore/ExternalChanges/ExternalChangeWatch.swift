import Foundation
import Synchronization

/// Has a connection look for the commits of others when its files are written.
///
/// A thread of its own waits for that, and does nothing while nobody observes,
/// or nothing is written. SQLite may write a commit a while before it makes it
/// visible, which no event tells: so the look is repeated, after 1 ms at first,
/// and then after twice as long each time, up to 4 s. What is written without
/// a break, such as one's own transactions, is looked at every 8 ms.
final class ExternalChangeWatch: Sendable {
  /// What a look has come to.
  enum Look {
    /// The connection knows of all that is visible.
    case isDone
    /// The database was locked.
    case isBusy
    /// There is nobody to look.
    case isClosed
  }

  private static let shortestPause = 1
  private static let pauseAmongEvents = 8
  private static let longestPause = 4096

  private let folder: FolderWatch
  private let isStopped = Atomic(false)
  private let isObserved = Atomic(false)

  /// - Throws: ``DatabaseError`` where the folder can't be watched.
  init(databasePath: String) throws { folder = try FolderWatch(databasePath: databasePath) }

  /// Begins to look, on another thread, until ``stop()`` or until there is nobody.
  func start(_ look: @escaping @Sendable () -> Look) {
    let thread = Thread { [self] in run(look) }
    thread.name = "Coffer.elsewhere"
    thread.start()
  }

  /// Whether there is anybody to tell; from any thread.
  ///
  /// Whoever begins to observe may have missed what a commit has written
  /// before it became visible: so a look is due.
  func setObserved(_ newValue: Bool) {
    guard isObserved.exchange(newValue, ordering: .sequentiallyConsistent) != newValue else {
      return
    }
    if newValue { folder.wake() }
  }

  /// Ends it; from any thread. Doesn't wait for a look that is under way.
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
      // With a look due soon, events can wait.
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
      // Commits of these events may become visible after the look.
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
    // Rounded up, for the wait not to end before.
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1
  }
}
