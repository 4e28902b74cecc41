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
  /// Records the commits before they are moved to the file; nil without freshness.
  var freshness: FreshnessSession?
  /// Reads the commits before they are moved to the file; nil without an archive.
  var capture: CommitCapture?
  /// Whether the log stays when the database is closed: an archive goes on with it.
  var keepsLog = false
  private var pageCount = 0
  private var nextRestart: Int
  /// The size of the log when the archive was last told of commits.
  private var toldPageCount = 0

  init(_ policy: CheckpointPolicy, _ commitLog: CommitLog?) {
    self.policy = policy
    self.commitLog = commitLog
    nextRestart = policy.maximumPageCount
  }

  /// Records the size of a schema's log after a commit.
  ///
  /// - Returns: Whether to move its pages to the file.
  @safe func didCommit(_ connection: SQLiteConnection, pageCount: Int, isMain: Bool) -> Bool {
    // Readers see the commit from here on, even before the statement ends.
    commitLog?.settle(connection)
    if isMain { freshness?.didCommit(frameCount: pageCount) }
    guard isMain else { return pageCount >= policy.automaticPageCount }
    self.pageCount = pageCount
    if pageCount < policy.maximumPageCount { nextRestart = policy.maximumPageCount }
    let isDue = pageCount >= policy.automaticPageCount
    // A checkpoint reads them itself.
    if let capture, !isDue,
      !(toldPageCount..<(toldPageCount + Self.toldPages)).contains(pageCount)
    {
      toldPageCount = pageCount
      capture.readAhead()
    }
    return isDue
  }

  /// The pages of a log after which an archive reads them: a checkpoint waits for those that are
  /// left.
  private static let toldPages = 250

  /// Moves the log's pages to the file, as far as readers allow it.
  @safe func moveToFile(_ connection: SQLiteConnection, schema: String) {
    let mode = SQLite.passiveCheckpoint
    // Nobody is told of a failure.
    defer { SQLite.takeReadFailure(connection) }
    guard schema == "main" else {
      _ = SQLite.checkpoint(connection, schema: schema, mode: mode)
      return
    }
    // Without a record of the commits, the log grows.
    _ = checkpoint(connection, schema: schema, mode: mode, frameCount: pageCount)
  }

  /// Moves frames from the log to the file, after an archive has read them and freshness has
  /// recorded them.
  ///
  /// - Parameter frameCount: The frames in the log; nil if it was asked for.
  /// - Returns: Nil if freshness has failed.
  @safe func checkpoint(
    _ connection: SQLiteConnection, schema: String?, mode: CInt, frameCount: Int? = nil
  ) -> CheckpointResult? {
    let run = { [freshness] (mode: CInt) -> CheckpointResult? in
      guard let freshness else {
        return SQLite.checkpoint(connection, schema: schema, mode: mode)
      }
      return freshness.checkpoint(connection, schema: schema, mode: mode)
    }
    guard let capture else { return run(mode) }
    if capture.isClosed {
      self.capture = nil
      return run(mode)
    }
    return capture.checkpoint(mode: mode, frameCount: frameCount, run)
  }

  /// Restarts the log if it has become too long.
  func restartIfNeeded(_ database: Database) {
    guard pageCount >= nextRestart, let connection = database.sqliteConnection,
      SQLite.isAutocommit(connection)
    else { return }
    let code = database.withBusyTimeout(seconds: 0.1) {
      try? database.runCheckpoint(schema: "main", mode: SQLite.restartingCheckpoint).code
    }
    if code == SQLite.ok {
      // The next commit reports the new size.
      pageCount = 0
      nextRestart = policy.maximumPageCount
    } else {
      nextRestart = pageCount + pageCount / 2
      Database.logError?(
        .SQLITE_WARNING,
        "the write-ahead log of \(database) has \(pageCount) pages, and can't restart: "
          + (capture?.isFull == true
            ? "its archive can't store the commits yet"
            : "a read access or a snapshot holds on to an old state of the database"))
    }
  }
}
