import CofferCore
import Synchronization

/// What a session shows to other threads, while its queue works or waits for the destination.
final class ArchiveProgress: Sendable {
  private struct State {
    var status = ArchiveStatus()
    /// When the archive last had all commits.
    var lastCurrent = Duration.zero
    /// Whether what is stored can be restored.
    var isWhole = false
    /// Why the session has ended; nil while it runs, or if it was stopped.
    var failure: (any Error)?
  }

  private let state = Mutex(State())
  private let stop = Atomic(false)
  private let waiters = Atomic(0)

  /// Whether long work should end.
  var isStopRequested: Bool { stop.load(ordering: .relaxed) }

  /// The number of threads that wait until their commits are archived.
  var waiterCount: Int { waiters.load(ordering: .relaxed) }

  /// Calls what waits.
  func waiting<T>(_ body: () throws -> T) rethrows -> T {
    waiters.add(1, ordering: .relaxed)
    defer { waiters.subtract(1, ordering: .relaxed) }
    return try body()
  }

  func requestStop() { stop.store(true, ordering: .relaxed) }

  var isRunning: Bool { state.withLock(\.status.isRunning) }
  var failure: (any Error)? { state.withLock(\.failure) }

  func set(_ status: ArchiveStatus, lastCurrent: Duration, isWhole: Bool) {
    state.withLock { state in
      let isRunning = state.status.isRunning
      state.status = status
      state.status.isRunning = isRunning
      state.lastCurrent = lastCurrent
      state.isWhole = isWhole
    }
  }

  func end(_ failure: (any Error)? = nil) {
    state.withLock { state in
      state.status.isRunning = false
      state.failure = state.failure ?? failure
    }
  }

  /// Returns the status at a time.
  func status(_ backlog: CommitCapture.Backlog, at now: Duration) -> ArchiveStatus {
    state.withLock { state in
      var status = state.status
      status.waitingByteCount = backlog.byteCount
      status.gapCount = backlog.lossCount
      let hasAll = state.isWhole && backlog.byteCount == 0 && backlog.isFollowing
      if !hasAll { status.lag = now - state.lastCurrent }
      return status
    }
  }
}
