import Coffer
import CofferCore
import Dispatch
import FoundationEssentials
import Synchronization

/// A database that follows an archive, on another machine or beside it, for reading.
///
/// ```swift
/// let follower = try ArchiveFollower(
///   Archive(FolderDestination(path: "/mnt/backup/vault")), path: "replica.db", key: key)
/// let count = try follower.pool.read { db in
///   try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// The file is restored at first, and then gets the archive's commits about a second after they
/// were stored. Each read sees a state that was committed; running reads keep theirs, and the next
/// ones see the new one. Observations of ``pool`` see them. A follower that was away for long goes
/// on with the archive's layers.
///
/// Nobody else may write to the file. What the follower knows is beside it, in `<path>-follow`, and
/// by that it refuses a file that was replaced or written to: ``ArchiveError/changedFile(_:)``. It
/// also refuses an archive that doesn't have its commits: ``ArchiveError/otherHistory``.
public final class ArchiveFollower: Sendable {
  /// Reads the file, also in observations.
  public let pool: DatabasePool

  private let queue = DispatchQueue(label: "Coffer.follower", qos: .utility)
  private let work: FollowerWork
  private let configuration: ArchiveConfiguration
  /// Whether a look at the archive is a request, so that an idle follower looks less often.
  private let isAskedLess: Bool
  private let state: Mutex<State>

  private struct State {
    var commit: ArchiveCommit
    var lastCurrent: Duration
    /// When an object of the archive was last seen.
    var lastSight: Duration
    var lastError: (any Error)?
    var isClosed = false
  }

  /// Opens a file that follows an archive, or restores it if there is none.
  ///
  /// - Parameters:
  ///   - archive: The archive. Its configuration's interval is that of the follower. Where the
  ///     archive isn't in a folder and has nothing new, the time between two looks grows to 10
  ///     seconds.
  ///   - path: The path of the file.
  ///   - minimums: What the archive has to reach at least, now and at each ``follow()``; nothing by
  ///     default.
  ///   - key: The key of the archive's database.
  ///   - configuration: The configuration of ``pool``. It is read-only in any case.
  ///   - progress: Called while the file is restored, with the part that is done.
  /// - Throws: ``ArchiveError``, such as ``ArchiveError/foreignFile(_:)`` for a file that follows
  ///   no archive or another one, and ``ArchiveError/notReached(_:last:)``; ``DatabaseError``; or
  ///   the error of the destination.
  public init(
    _ archive: Archive, path: String, atLeast minimums: [ArchiveMinimum] = [], key: DatabaseKey,
    configuration: Configuration = Configuration(),
    progress: ((Double) throws -> Void)? = nil
  ) throws {
    self.configuration = archive.configuration
    isAskedLess = !(archive.destination is FolderDestination)
    work = try FollowerWork(
      archive, path: path, atLeast: minimums, key: key, cipher: configuration.cipher,
      progress: progress)
    var configuration = configuration
    configuration.readonly = true
    configuration.observesExternalChanges = true
    configuration.key = key
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
    } catch {
      work.close()
      throw error
    }
    let now = archive.configuration.elapsed()
    state = Mutex(State(commit: work.commit, lastCurrent: now, lastSight: now))
    schedule(after: .zero, failures: 0)
  }

  deinit { state.withLock { $0.isClosed = true } }

  private func schedule(after delay: Duration, failures: Int) {
    queue.async(after: delay) { [weak self] in
      guard let self, !state.withLock(\.isClosed) else { return }
      var failures = failures + 1
      do {
        try attempt(isPolling: true)
        failures = 0
      } catch {
        // The status has it.
      }
      let pause =
        failures == 0 && isAskedLess
        ? configuration.pause(afterIdleLooks: work.idleLooks)
        : configuration.pause(after: failures)
      schedule(after: pause, failures: failures)
    }
  }

  private func attempt(isPolling: Bool) throws {
    let start = configuration.elapsed()
    do {
      let isCurrent = try work.work(isPolling: isPolling)
      state.withLock {
        $0.commit = work.commit
        if work.hasSeenArchive { $0.lastSight = start }
        if isCurrent { $0.lastCurrent = start }
        $0.lastError = nil
      }
    } catch {
      state.withLock {
        $0.commit = work.commit
        $0.lastError = error
        // What was taken for no news was none: the archive may have been gone since.
        if error is ArchiveError { $0.lastCurrent = min($0.lastCurrent, $0.lastSight) }
      }
      throw error
    }
  }

  // MARK: Status

  /// The last commit that the file has.
  public var commit: ArchiveCommit { state.withLock(\.commit) }

  /// How long ago the file had all commits of the archive, as far as that was seen.
  ///
  /// Where the archive is gone, since it was last seen, as soon as that is noticed: in a folder at
  /// the next look, and in another destination within 20 looks.
  public var lag: Duration { configuration.elapsed() - state.withLock(\.lastCurrent) }

  /// The error of the last attempt; nil if it succeeded.
  ///
  /// After one that ``ArchiveError/endsFollowing`` names, no later attempt can succeed.
  public var lastError: (any Error)? { state.withLock(\.lastError) }

  /// Whether a file is a follower's, which nobody else may write to.
  ///
  /// - Parameter path: The path of the file.
  public static func hasFollower(fileAt path: String) -> Bool {
    ArchiveStateFile.exists(.follower, forDatabaseAt: path)
  }

  // MARK: Following

  /// Brings the file to the last commit that the archive has.
  ///
  /// - Returns: That commit.
  /// - Throws: ``ArchiveError``; ``DatabaseError``; or the error of the destination.
  @discardableResult
  public func follow() throws -> ArchiveCommit {
    try queue.sync {
      guard !state.withLock(\.isClosed) else { throw ArchiveError.ended }
      try attempt(isPolling: false)
      try work.checkMinimums()
      return work.commit
    }
  }

  /// Makes the file a database of its own, which goes on where the archive ends.
  ///
  /// The archive is taken over from its writer, which has to be gone for good: a writer that comes
  /// back is refused, and what it had not archived is in its database alone. The file has exactly
  /// the commits that the archive has; a program can open it for writing, and
  /// ``Archive/start(_:)`` goes on with the same archive. The follower has ended, and ``pool`` is
  /// closed, after this.
  ///
  /// If this throws, it can be called again with a new follower of the file.
  /// - Returns: The last commit of the archive, and of the file.
  /// - Throws: ``ArchiveError``; ``DatabaseError``; or the error of the destination.
  public func promote() throws -> ArchiveCommit {
    try pool.close()
    return try queue.sync {
      guard !state.withLock(\.isClosed) else { throw ArchiveError.ended }
      defer { state.withLock { $0.isClosed = true } }
      do { return try work.promote() } catch {
        work.close()
        throw error
      }
    }
  }

  /// Closes ``pool``, and ends. The next follower of the file goes on.
  ///
  /// - Parameter limit: The most time that this takes, where the destination doesn't answer.
  /// - Throws: The error of the pool; or ``ArchiveError/notEnded(waitingByteCount:)`` if the time
  ///   is over: the file stays this follower's until its request has ended.
  public func close(within limit: Duration = .seconds(30)) throws {
    try pool.close()
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    guard !wasClosed else { return }
    let end = BackgroundWork { [queue, work] in queue.sync { work.close() } }
    guard end.wait(for: limit) != nil else { throw ArchiveError.notEnded(waitingByteCount: 0) }
  }
}
