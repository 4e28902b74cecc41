import FoundationEssentials

extension DatabasePool {
  /// Creates what reads the pool's commits for an archive.
  package func makeCommitCapture(
    limits: CommitCapture.Limits, levels: Int, lastDate: UInt64,
    now: @escaping @Sendable () -> Date
  ) throws -> CommitCapture {
    try writer.sync { db in
      try CommitCapture(
        path: PendingFile.resolved(db.path), key: db.archivedKey(), limits: limits, levels: levels,
        lastDate: lastDate, now: now)
    }
  }

  /// Returns the key of the file, and its settings.
  package func archivedKey() throws -> (derived: DerivedKey, settings: CipherSettings) {
    try writer.sync { db in
      let key = try db.archivedKey()
      guard let derived = key.derived else {
        throw DatabaseError(
          resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
      }
      return (derived, key.settings)
    }
  }

  /// Lets a capture read the commits before the writer's checkpoints.
  ///
  /// The log stays when the pool is closed, so that the next capture goes on with it.
  package func attach(_ capture: CommitCapture) throws {
    try writer.sync { db in
      db.checkpointer?.capture = capture
      db.checkpointer?.keepsLog = true
      SQLite.keepLogAtClose(try db.openConnection())
    }
  }

  /// The bytes of the database's key slots; nil if it has none.
  package func keySlotsFile() throws -> [UInt8]? {
    let path = KeySlots.path(forDatabaseAt: path)
    guard KeySlots.exist(forDatabaseAt: self.path) else { return nil }
    return try NewFile.read(path, atMost: 1 << 20)
  }

  /// Whether the pool has freshness, which only one process's checkpoints keep.
  package var hasFreshness: Bool { configuration.freshness != nil }
}

extension Database {
  /// The key of the open file.
  fileprivate func archivedKey() throws -> FileKey {
    guard let key = openingKey, isKeyed, !configuration.readonly else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: configuration.readonly
          ? "a read-only pool can't be archived" : "a database without a key can't be archived",
        hint: "An archive holds pages as they are in the file: those of a database without a key "
          + "could be read by all. Encrypt it first.")
    }
    return try FileKey(
      key, settings: openingSettings, salt: derivedKey?.salt ?? FileKey.salt(of: path) ?? [],
      derived: derivedKey)
  }
}
