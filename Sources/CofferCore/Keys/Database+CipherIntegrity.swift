extension Database {
  /// Returns the pages whose authentication code is wrong.
  ///
  /// Pages are numbered from 1. A wrong code means that the page was changed without the key, or by
  /// a disk fault. Reads the whole file.
  ///
  /// Pages are checked where SQLite reads them: in the WAL, if it holds a newer version, and
  /// otherwise in the file. When a database is opened, SQLite drops the commits from the first damaged
  /// frame of the WAL on. `PRAGMA integrity_check` additionally checks the structure.
  /// - Throws: ``DatabaseError`` for a database without a key or without authentication codes.
  public func checkCipherIntegrity() throws -> [Int] {
    try checkAccess()
    guard let (key, settings) = keying else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the database is not encrypted",
        hint: "Use PRAGMA integrity_check, which checks the structure.")
    }
    guard settings.usesHMAC else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the pages of the database are not authenticated",
        hint: "Its cipher settings have usesHMAC: false.")
    }
    guard !isInMemory else { return [] }
    let fileKey = try FileKey(
      key, settings: settings, salt: derivedKey?.salt ?? Database.salt(of: path) ?? [],
      derived: derivedKey)
    guard let derived = fileKey.derived else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "the pages can't be authenticated here",
        hint: "No libcrypto has been found in the process.")
    }
    // A read transaction prevents other connections from changing the file or, with a WAL, from
    // moving pages to it that are newer than the transaction.
    let needsTransaction = !isInsideTransaction
    if needsTransaction { try beginTransaction(.deferred) }
    defer { if needsTransaction { rollbackAfterError() } }
    // A damaged schema is a result, not an error.
    do {
      _ = try Row.fetchOne(self, sql: "SELECT count(*) FROM sqlite_master")
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT
    {
      // The pages are checked anyway.
    }
    do {
      // With the transaction, nothing can be in a journal that isn't in the file.
      let file = try CipherFile(
        path: path, key: derived, settings: settings, newerPages: .log(of: self))
      return try file?.verifyAll() ?? []
    } catch let error as ReadOnlyFileError {
      throw error.databaseError(path)
    }
  }
}

extension Database {
  /// What this connection knows about its WAL; nil if it has none, or doesn't share it.
  ///
  /// - Precondition: The connection has read the file, and so opened its WAL if there is one.
  var logIndex: LogIndex? {
    guard let connection = sqliteConnection, !isInMemory,
      PendingFile.size(of: PendingFile.resolved(path) + "-wal") ?? 0 > 0,
      (try? setting("PRAGMA main.locking_mode")) == "normal"
    else { return nil }
    return LogIndex(of: connection)
  }

  /// Adds what to do to an error that reports damage without a reason.
  func explainingCorruption(_ error: DatabaseError) -> DatabaseError {
    guard error.resultCode == .SQLITE_CORRUPT, error.hint == nil, !isInMemory else { return error }
    if error.extendedResultCode == .SQLITE_CORRUPT_VTAB {
      return error.addingHint(
        "The content of a virtual table is damaged: rebuild it, as a full-text index by "
          + "INSERT INTO name(name) VALUES ('rebuild').")
    }
    let check =
      keying?.settings.usesHMAC == true
      ? "checkCipherIntegrity() returns the damaged pages; if there are none, PRAGMA "
        + "integrity_check shows what is wrong in the structure."
      : "PRAGMA integrity_check shows what is wrong."
    return error.addingHint("Copy the file before anything else. \(check)")
  }
}
