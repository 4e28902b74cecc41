import CofferVault

/// The limits of a pool's write-ahead log.
///
/// <https://sqlite.org/wal.html#ckpt>
public struct CheckpointPolicy: Sendable, Hashable {
  /// The number of pages in the log from which a commit moves them to the file.
  ///
  /// 1,000 by default.
  ///
  /// This waits for no reader: pages that a reader still needs stay in the log.
  public var automaticPageCount: Int

  /// The number of pages in the log from which a write waits for earlier reads.
  ///
  /// The write waits up to 0.1 s, so that the log can restart. 16,384 by default: 64 MiB with pages
  /// of 4 KiB.
  ///
  /// If a read takes longer, a warning is logged through ``Database/logError``, and the next
  /// attempt follows when the log has grown by half.
  public var maximumPageCount: Int

  /// Creates a policy from its two limits, in pages.
  public init(automaticPageCount: Int = 1_000, maximumPageCount: Int = 16_384) {
    self.automaticPageCount = automaticPageCount
    self.maximumPageCount = maximumPageCount
  }

  /// The default limits, which suit most programs.
  public static let `default` = CheckpointPolicy()

  /// No limits: call ``Database/checkpoint(_:on:)`` from time to time.
  public static let manual = CheckpointPolicy(automaticPageCount: .max, maximumPageCount: .max)
}

/// Limits the log of a pool's writer.
final class Checkpointer {
  private let policy: CheckpointPolicy
  private let commitLog: CommitLog?
  /// What has to see the commits before they are moved to the file: each decides what those before
  /// it are asked to do.
  private var followers: [any LogFollower] = []
  var hasFollowers: Bool { !followers.isEmpty }
  /// Whether the log stays when the database is closed: an archive goes on with it.
  var keepsLog = false
  @safe @exclusivity(unchecked) private var pageCount = 0
  @safe @exclusivity(unchecked) private var nextRestart: Int

  init(_ policy: CheckpointPolicy, _ commitLog: CommitLog?) {
    self.policy = policy
    self.commitLog = commitLog
    nextRestart = policy.maximumPageCount
  }

  /// Adds a follower.
  ///
  /// - Parameter isFirst: Whether it is next to SQLite.
  func add(_ follower: any LogFollower, isFirst: Bool = false) {
    followers.insert(follower, at: isFirst ? 0 : followers.endIndex)
  }

  func remove(_ follower: any LogFollower) { followers.removeAll { $0 === follower } }

  /// Records the size of a schema's log after a commit.
  ///
  /// - Returns: Whether to move its pages to the file.
  @safe func didCommit(_ connection: SQLiteConnection, pageCount: Int, isMain: Bool) -> Bool {
    // Readers see the commit from here on, even before the statement ends.
    commitLog?.settle(connection)
    let isDue = pageCount >= policy.automaticPageCount
    guard isMain else { return isDue }
    for follower in followers {
      follower.didCommit(frameCount: pageCount, isCheckpointDue: isDue)
    }
    self.pageCount = pageCount
    if pageCount < policy.maximumPageCount { nextRestart = policy.maximumPageCount }
    return isDue
  }

  /// Moves the log's pages to the file, as far as readers allow it.
  @safe func moveToFile(_ connection: SQLiteConnection, schema: String) {
    let mode = SQLite.passiveCheckpoint
    // Nobody is told of a failure.
    defer { SQLite.takeReadFailure(connection) }
    guard schema == "main" else {
      _ = SQLite.checkpoint(connection, schema: schema, mode: mode)
      return
    }
    // If a follower fails, the log grows.
    _ = checkpoint(connection, schema: schema, mode: mode, frameCount: pageCount)
  }

  /// Moves frames from the log to the file, as the followers let it.
  ///
  /// - Parameter frameCount: The frames in the log; nil if it was asked for.
  /// - Returns: Nil if a follower has failed.
  @safe func checkpoint(
    _ connection: SQLiteConnection, schema: String?, mode: CInt, frameCount: Int? = nil
  ) -> CheckpointResult? {
    followers.removeAll { $0.hasEnded }
    let move = { (mode: CInt) -> CheckpointResult? in
      SQLite.checkpoint(connection, schema: schema, mode: mode)
    }
    let run = followers.reduce(move) { run, follower in
      { follower.checkpoint(mode: $0, frameCount: frameCount, run) }
    }
    return run(mode)
  }

  /// Restarts the log if it has become too long.
  func restartIfNeeded(_ database: Database) {
    guard pageCount >= nextRestart, let connection = database.sqliteConnection,
      SQLite.isAutocommit(connection)
    else { return }
    let code = database.withBusyTimeout(seconds: 0.1) {
      database.tryCheckpoint(mode: SQLite.restartingCheckpoint)
    }
    if code == SQLite.ok {
      // The next commit reports the new size.
      pageCount = 0
      nextRestart = policy.maximumPageCount
    } else {
      nextRestart = pageCount + pageCount / 2
      ErrorLog.write(
        .SQLITE_WARNING,
        "the write-ahead log of \(database) has \(pageCount) pages, and can't restart: "
          + (followers.lazy.compactMap(\.reasonForLongLog).first
            ?? "a read access or a snapshot holds on to an old state of the database"))
    }
  }
}
