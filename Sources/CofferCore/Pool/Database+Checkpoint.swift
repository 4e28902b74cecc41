extension Database {
  /// How a checkpoint treats other connections: <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
  public enum CheckpointMode: CInt, Sendable, Hashable {
    /// Moves what it can without waiting.
    case passive = 0
    /// Waits for writers and for readers of old states, and moves all.
    case full = 1
    /// As `full`, and makes the next writer begin the log anew.
    case restart = 2
    /// As `restart`, and empties the log.
    case truncate = 3
  }

  /// Moves changes from the write-ahead log into the database file.
  ///
  /// - Parameters:
  ///   - kind: How far to go; passive by default.
  ///   - dbName: The schema; nil for all.
  /// - Returns: The frames in the log, and how many of them are in the file
  ///   now; both are -1 where there is no log.
  /// - Throws: `SQLITE_BUSY` where another connection is in the way, or
  ///   `SQLITE_LOCKED` inside a transaction.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on dbName: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    try checkAccess()
    let connection = try openConnection()
    let result = SQLite.checkpoint(connection, schema: dbName, mode: kind.rawValue)
    guard result.code == SQLite.ok else {
      throw translated(DatabaseError(code: result.code, connection: connection))
    }
    return (result.walFrames, result.checkpointedFrames)
  }
}
