/// How a pool keeps its write-ahead log short: <https://sqlite.org/wal.html#ckpt>.
public struct CheckpointPolicy: Sendable, Hashable {
  /// From how many pages in the log on a commit moves them to the file; 1,000 by default.
  ///
  /// Nobody waits for that; what a reader still needs stays in the log.
  public var automaticPageCount: Int

  /// From how many pages in the log on the next write waits for the reads that began before it,
  /// up to a tenth of a second, so that the log can begin anew; 16,384 by default: 64 MiB of
  /// pages of 4 KiB.
  ///
  /// Where a read takes longer, a warning is logged through ``Database/logError``, and the next
  /// attempt comes when the log has grown by half.
  public var maximumPageCount: Int

  /// A policy with two limits, in pages.
  public init(automaticPageCount: Int = 1_000, maximumPageCount: Int = 16_384) {
    self.automaticPageCount = automaticPageCount
    self.maximumPageCount = maximumPageCount
  }

  /// The limits that fit most programs.
  public static let `default` = CheckpointPolicy()

  /// The log is left to grow: call ``Database/checkpoint(_:on:)`` from time to time.
  public static let manual = CheckpointPolicy(automaticPageCount: .max, maximumPageCount: .max)
}

/// Keeps the log of one connection that writes short.
final class Checkpointer {
  private let policy: CheckpointPolicy
  private let commitLog: CommitLog
  private var pageCount = 0
  private var nextRestart: Int

  init(_ policy: CheckpointPolicy, _ commitLog: CommitLog) {
    self.policy = policy
    self.commitLog = commitLog
    nextRestart = policy.maximumPageCount
  }

  /// A commit has left the log of a schema at so many pages.
  ///
  /// - Returns: Whether to move them to the file.
  func didCommit(_ connection: SQLiteConnection, pageCount: Int, isMain: Bool) -> Bool {
    // Readers see the commit from here on, whatever the statement has to do still.
    commitLog.settle(connection)
    guard isMain else { return pageCount >= policy.automaticPageCount }
    self.pageCount = pageCount
    if pageCount < policy.maximumPageCount { nextRestart = policy.maximumPageCount }
    return pageCount >= policy.automaticPageCount
  }

  /// Begins the log anew where it has become too long.
  func restartIfNeeded(_ database: Database) {
    guard pageCount >= nextRestart, let connection = database.sqliteConnection,
      SQLite.isAutocommit(connection)
    else { return }
    let code = database.withBusyTimeout(seconds: 0.1) {
      SQLite.checkpoint(connection, schema: "main", mode: SQLite.restartingCheckpoint).code
    }
    if code == SQLite.ok {
      // The next commit tells how long it is then.
      pageCount = 0
      nextRestart = policy.maximumPageCount
    } else {
      nextRestart = pageCount + pageCount / 2
      Database.logError?(
        .SQLITE_WARNING,
        "the write-ahead log of \(database) has \(pageCount) pages, and can't begin anew: a read "
          + "access or a snapshot holds on to an old state of the database")
    }
  }
}
