import CofferVault

extension DatabasePool {
  /// Lets a follower see the commits before the writer's checkpoints.
  ///
  /// The log stays when the pool is closed, so that the next follower goes on with it.
  package func add(_ follower: any LogFollower) throws {
    try writer.sync { db in db.checkpointer?.add(follower) }
    try keepLog()
  }

  /// Leaves the log as it is when the pool is closed.
  package func keepLog() throws {
    try writer.sync { db in
      db.checkpointer?.keepsLog = true
      SQLite.keepLogAtClose(try db.openConnection())
    }
  }

  /// The key of the open file, which has one and can be written to.
  package func fileKey() throws -> FileKey {
    try writer.sync { db in
      guard let key = db.openingKey, db.isKeyed, !configuration.readonly else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: configuration.readonly
            ? "a read-only pool can't be archived" : "a database without a key can't be archived",
          hint: "An archive holds pages as they are in the file: those of a database without a key "
            + "could be read by all. Encrypt it first.")
      }
      return try FileKey(
        key, settings: db.openingSettings,
        salt: db.keying.derived?.salt ?? FileKey.salt(of: db.path) ?? [],
        derived: db.keying.derived)
    }
  }

  /// What tells the pool's anchor how far the archive is; nil if the pool has no freshness.
  ///
  /// The call keeps the higher one of an archive's commits, unless `isComplete` says that the
  /// archive has all that the database has. It waits for no connection, and for no anchor.
  package func anchorNote() throws -> (@Sendable (_ end: ArchivedEnd, _ isComplete: Bool) -> Void)?
  {
    guard let session = try writer.sync({ db in db.freshness.session }) else { return nil }
    return { session.noteArchived($0, isComplete: $1) }
  }

  /// Whether the pool has freshness, which only one process's checkpoints keep.
  package var hasFreshness: Bool { configuration.freshness != nil }
}
