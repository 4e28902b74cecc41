import CofferVault

extension Database {
  /// The treatment of other connections by a checkpoint.
  ///
  /// <https://sqlite.org/c3ref/wal_checkpoint_v2.html>
  public enum CheckpointMode: CInt, Sendable, Hashable {
    /// Moves as many frames as possible without waiting; none while another connection writes, on
    /// an SQLite before 3.51.3, which could lose its commit.
    case passive = 0
    /// Waits for writers and for readers of old states, and moves all frames.
    case full = 1
    /// Like `full`, and makes the next writer restart the log.
    case restart = 2
    /// Like `restart`, and truncates the log to zero bytes.
    case truncate = 3
  }

  /// Moves changes from the write-ahead log into the database file.
  ///
  /// - Parameters:
  ///   - kind: The checkpoint mode; passive by default.
  ///   - dbName: The schema; nil for all.
  /// - Returns: The number of frames in the log, and how many of them are now in the file; both are
  ///   -1 if there is no log.
  /// - Throws: `SQLITE_BUSY` if another connection blocks the checkpoint, or `SQLITE_LOCKED` inside
  ///   a transaction.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on dbName: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    try checkAccess()
    if let dbName { try CName.check(dbName, "name of the database") }
    let connection = try openConnection()
    let result = try runCheckpoint(schema: dbName, mode: kind.rawValue)
    if kind == .passive, CheckpointGuard.isNeeded, result.walFrames < 0,
      ResultCode(rawValue: result.code).primaryResultCode == .SQLITE_BUSY
    {
      // Left out, since another connection writes.
      guard dbName?.lowercased() == "main" else { return (-1, -1) }
      var index = LogIndex(of: connection)
      if index == nil {
        // Reading waits until it is written.
        _ = try Int.fetchOne(self, sql: "PRAGMA main.schema_version")
        index = LogIndex(readBy: connection)
      }
      return (index?.frameCount ?? -1, index?.movedCount ?? -1)
    }
    guard result.code == SQLite.ok else {
      throw translated(DatabaseError(code: result.code, connection: connection))
    }
    return (result.walFrames, result.checkpointedFrames)
  }
}
