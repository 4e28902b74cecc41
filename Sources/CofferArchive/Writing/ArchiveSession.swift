import Coffer
import CofferCore
import Dispatch
import FoundationEssentials
import Synchronization

/// Archives the commits of a pool while it lives, on a thread of its own.
///
/// ``Archive/start(_:)`` makes it. Where the destination is away, it tries again, at first after
/// the interval, and at last every 30 seconds; commits wait in the write-ahead log.
///
/// It ends by itself only where going on would be wrong: another writer has taken over, or the
/// database's key was changed. ``status`` says so, and the methods throw the reason.
public final class ArchiveSession: Sendable {
  private let queue: DispatchQueue
  private let gate: ArchiveGate?
  private let work: ArchiveWork
  private let progress: ArchiveProgress
  private let configuration: ArchiveConfiguration
  private let isStoringSoon = Atomic(false)

  init(
    _ database: ArchivedDatabase, _ destination: any ArchiveDestination,
    _ configuration: ArchiveConfiguration, _ gate: ArchiveGate? = nil
  ) throws {
    self.configuration = configuration
    self.gate = gate
    queue = DispatchQueue(
      label: "Coffer.archive", qos: .utility, target: gate == nil ? nil : ArchiveGate.threads)
    progress = ArchiveProgress()
    work = try ArchiveWork(database, destination, configuration, progress)
    schedule(after: .zero, failures: 0)
    work.capture.onFull { [weak self] in self?.storeSoon() }
    work.capture.watchLog(every: configuration.pause(after: 0))
  }

  // The commits are still there for the next session.
  deinit {
    progress.requestStop()
    queue.async { [work, progress] in
      guard progress.isRunning else { return }
      try? work.end()
    }
  }

  private func schedule(after delay: Duration, failures: Int) {
    queue.async(after: delay) { [weak self] in
      guard let self, let gate else {
        self?.attempt(failures)
        return
      }
      gate.run(on: queue) { [weak self] in self?.attempt(failures) }
    }
  }

  /// Works once, and again after the interval.
  private func attempt(_ failures: Int) {
    guard progress.isRunning, !progress.isStopRequested else { return }
    var failures = failures + 1
    do {
      try Self.attempt(work, progress)
      failures = 0
    } catch {
      // The status has it.
    }
    schedule(after: configuration.pause(after: failures), failures: failures)
  }

  /// Works before the interval is over: commits come so fast that the log would grow.
  private func storeSoon() {
    // A call that hangs would let them gather.
    guard !isStoringSoon.exchange(true, ordering: .relaxed) else { return }
    queue.async { [weak self] in
      guard let self else { return }
      isStoringSoon.store(false, ordering: .relaxed)
      guard progress.isRunning, !progress.isStopRequested, work.capture.isNearlyFull,
        status.lastError == nil
      else { return }
      try? Self.attempt(work, progress)
    }
  }

  /// Works once, and ends the session after an error with which it can't go on.
  private static func attempt(
    _ work: ArchiveWork, _ progress: ArchiveProgress, for served: Int = 0,
    isStopping: Bool = false
  ) throws {
    do {
      try work.work(for: served, isStopping: isStopping)
    } catch let error as ArchiveError where error.endsSession {
      work.abandon(error)
      Database.logError?(.SQLITE_WARNING, "the archive's session has ended: \(error)")
      throw error
    }
  }

  // MARK: Status

  /// How far the archive is.
  ///
  /// Doesn't wait for the destination.
  public var status: ArchiveStatus {
    progress.status(work.capture.backlog(), at: configuration.elapsed())
  }

  // MARK: Waiting

  /// Archives the commits until now, and waits until they can be restored.
  ///
  /// Inside a write, its own changes aren't committed yet.
  /// - Returns: A commit that has them.
  /// - Throws: The error of the destination, with which the commits wait for the next attempt; or
  ///   ``ArchiveError``, if the session has ended.
  @discardableResult
  public func archiveNow() throws -> ArchiveCommit {
    // A session that has ended says so at once, though a request of it may never be answered.
    try checkRunning()
    return try progress.waiting { try queue.sync(execute: archiveAll) }
  }

  private func archiveAll() throws -> ArchiveCommit {
    // A log that is let go meanwhile is followed again by the next attempt.
    for _ in 0..<100 {
      try checkRunning()
      try Self.attempt(work, progress, for: 1)
      if work.isWhole, work.hasStoredAll, let archived = status.archived { return archived }
    }
    throw ArchiveError.logTooLong
  }

  /// Archives the commits until now, and ends the session.
  ///
  /// A copy of all pages that is under way isn't finished: the next session begins it again.
  /// - Parameter limit: The most time that this takes, where the destination doesn't answer.
  /// - Throws: An error if the last commits couldn't be archived, after which the session has
  ///   ended, too: the next one finds them in the write-ahead log. Calling this again returns.
  ///   ``ArchiveError/notEnded(waitingByteCount:)`` if the time is over: a request that still waits
  ///   keeps the archive from another session of this process until it ends.
  public func stop(within limit: Duration = .seconds(30)) throws {
    progress.requestStop()
    let end = BackgroundWork { [queue, work, progress] in
      try queue.sync { try Self.end(work, progress) }
    }
    if let result = end.wait(for: limit) { return try result.get() }
    let error = ArchiveError.notEnded(waitingByteCount: status.waitingByteCount)
    // Nothing is read or stored after this; only the request under way may still succeed.
    progress.end(error)
    work.capture.close()
    // It may just have ended.
    if let result = end.result { return try result.get() }
    throw error
  }

  private static func end(_ work: ArchiveWork, _ progress: ArchiveProgress) throws {
    if case .notEnded = progress.failure as? ArchiveError { return work.leave() }
    if let failure = progress.failure { throw failure }
    guard progress.isRunning else { return }
    var failure: (any Error)?
    do { try attempt(work, progress, isStopping: true) } catch { failure = error }
    // Nobody waits any more, and the next session has to see what is stored.
    guard progress.isRunning else {
      work.leave()
      throw progress.failure ?? failure ?? ArchiveError.ended
    }
    do { try work.end() } catch { failure = failure ?? error }
    if let failure { throw failure }
  }

  private func checkRunning() throws {
    if let failure = progress.failure { throw failure }
    guard progress.isRunning, !progress.isStopRequested else { throw ArchiveError.ended }
  }
}

extension ArchiveError {
  /// Whether a writer can't go on after it.
  fileprivate var endsSession: Bool {
    switch self {
    case .superseded, .changedKey, .otherKey: true
    default: false
    }
  }
}
