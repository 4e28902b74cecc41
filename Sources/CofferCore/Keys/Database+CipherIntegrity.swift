import CofferVault

extension Database {
  /// Returns the pages whose authentication code is wrong.
  ///
  /// Pages are numbered from 1. A wrong code means that the page was changed without the key, or by
  /// a disk fault. Reads the whole file.
  ///
  /// Pages are checked where the connection reads them: in the WAL, if it holds a newer version,
  /// and otherwise in the file. Inside a transaction these are the pages that it sees, whatever
  /// others have committed since. When a database is opened, SQLite drops the commits from the
  /// first damaged frame of the WAL on. `PRAGMA integrity_check` additionally checks the structure.
  /// - Throws: ``DatabaseError`` for a database without a key or without authentication codes, and
  ///   what each read throws if the file's key was changed, or the file can't be read.
  public func checkCipherIntegrity() throws -> [Int] {
    try checkAccess()
    guard let (key, settings) = keying.given else {
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
      key, settings: settings, salt: keying.derived?.salt ?? FileKey.salt(of: path) ?? [],
      derived: keying.derived)
    guard let derived = fileKey.derived else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "the pages can't be authenticated here",
        hint: "No libcrypto has been found in the process.")
    }
    // A transaction keeps other connections from changing what it reads, by its lock of the file or
    // of the log.
    let needsTransaction = !isInsideTransaction
    if needsTransaction { try beginTransaction(.deferred) }
    defer { if needsTransaction { rollbackAfterError() } }
    let connection = try openConnection()
    var attempts = 0
    while true {
      let moment = FilesMoment(path)
      let failure = try failureToBeginReading()
      // A wrong key isn't damage.
      if let failure, failure.cipherDiagnosis == .wrongKey { throw failure }
      let pages: [Int]
      do {
        let file = try ReadOnlyFile(openedBy: connection)
        pages =
          try CipherFile(
            file: file, key: derived, settings: settings, newerPages: newerPages)?
          .verifyAll() ?? []
      } catch let error as ReadOnlyFileError {
        throw error.databaseError(path)
      }
      guard let failure else { return pages }
      // Without page 1, the transaction has no lock.
      if !pages.isEmpty, FilesMoment(path) == moment { return pages }
      attempts += 1
      if attempts == 4 { throw failure }
    }
  }

  /// Takes the lock for reading, if the transaction doesn't have it already.
  ///
  /// This reads page 1 and nothing else: a damaged schema is a result of the check.
  /// - Returns: The error if that page can't be read.
  /// Where the connection's transaction, which has read, finds pages that aren't in the file.
  private var newerPages: PageVersions.Place {
    guard let connection = sqliteConnection, !isInMemory else { return .nowhere }
    guard (try? setting("PRAGMA main.locking_mode")) == "normal" else {
      // Nobody else has committed anything since.
      return .log(beside: path)
    }
    return LogIndex(readBy: connection).map { unsafe .frames($0, of: connection) } ?? .nowhere
  }

  private func failureToBeginReading() throws -> DatabaseError? {
    do {
      _ = try Int.fetchOne(self, sql: "PRAGMA main.schema_version")
      return nil
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT
    {
      return error
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
      keying.given?.settings.usesHMAC == true
      ? "checkCipherIntegrity() returns the damaged pages; if there are none, PRAGMA "
        + "integrity_check shows what is wrong in the structure."
      : "PRAGMA integrity_check shows what is wrong."
    return error.addingHint("Copy the file before anything else. \(check)")
  }
}
