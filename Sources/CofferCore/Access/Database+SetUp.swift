import CofferVault
import FoundationEssentials

// The steps of an ``Opening``.
extension Database {
  /// Prepares what would otherwise read the file, and then have to wait for the key.
  func prepareEarlyStatements() throws {
    if SQLiteFeatures.linked.compilesBeforeKey { try prepareControlStatements() }
  }

  func setUpWaiting() throws {
    setUpBusyMode()
    SQLite.setCancellation(interruption, in: try openConnection())
  }

  func setUpSettings() throws {
    // Nothing may spill to a temporary file, which wouldn't be encrypted.
    try runSetting("PRAGMA temp_store = MEMORY")
    let connection = try openConnection()
    SQLite.setForeignKeys(connection, configuration.foreignKeysEnabled)
    SQLite.setDoubleQuotedStrings(connection, configuration.acceptsDoubleQuotedStringLiterals)
  }

  func giveKeyOfConfiguration() throws {
    if let key = keying.resolved { try giveKey(key, settings: configuration.cipher) }
  }

  func runPreparations() throws {
    setup?.isPreparing = true
    defer { setup?.isPreparing = false }
    for preparation in configuration.preparations { try run(preparation) }
    try registerAgain()
    try settleKey()
  }

  func prepareStatements() throws {
    try prepareControlStatements()
    try addWaitingTokenizers()
  }

  func setUpObservation() throws {
    // A reopened connection has a new sequence of data versions.
    externalChanges?.dataVersion = nil
    knownSchemaVersion = nil
    observation.install()
    hooks.authorizer.onMeaningChange = { [unowned hooks] in hooks.noteMeaningChange() }
    hooks.didSetUp()
    try restorePoolWriter()
  }

  func share() throws {
    shareConfiguration()
    // SQLite opens a file though some reads of it fail: a later error isn't theirs.
    SQLite.takeReadFailure(try openConnection())
  }

  /// Prepares `ROLLBACK`, and finds FTS5, unless that is done.
  private func prepareControlStatements() throws {
    let connection = try openConnection()
    do throws(SQLite.Failure) {
      try control.prepare(.rollback, in: connection)
      if unsafe fts5API == nil { fts5API = try SQLite.fts5API(connection) }
    } catch {
      throw DatabaseError(code: error.code, connection: connection)
    }
  }

  /// Registers the tokenizers that came before FTS5 could be found.
  private func addWaitingTokenizers() throws {
    let waiting = setup?.waitingTokenizers ?? []
    for tokenizer in waiting {
      unsafe addTokenizer(named: tokenizer.name, make: tokenizer.make)
    }
    try registerAgain()
  }

  func setUpJournal() throws {
    guard !configuration.readonly else { return }
    if configuration.journalMode == .wal || configuration.freshness != nil { return try setUpWAL() }
    var mode = try answer("PRAGMA journal_mode")
    switch (configuration.journalMode, mode) {
    // A file system without shared memory keeps the journal.
    case (.default, "delete") where setup?.usesDefaultJournal == true:
      mode = try answer("PRAGMA journal_mode = WAL")
    case (.delete, "wal"): mode = try answer("PRAGMA journal_mode = DELETE")
    default: break
    }
    // With FULL, the folder isn't synced after the journal was deleted, so that a power cut would
    // bring it back, and take the last commit back:
    // https://sqlite.org/pragma.html#pragma_synchronous
    if mode == "delete", try answer("PRAGMA synchronous") == "2" {
      try runSetting("PRAGMA synchronous = EXTRA")
    }
    if mode == "wal" { try setUpChangedPages() }
  }

  /// Runs a pragma, and returns its first value.
  private func answer(_ pragma: String) throws -> String? {
    let connection = try openConnection()
    return try retryingWhileBusy {
      do throws(SQLite.Failure) {
        return try SQLite.scalar(connection, pragma)
      } catch {
        throw DatabaseError(code: error.code, connection: connection)
      }
    }
  }

  private func setUpWAL() throws {
    let mode = try answer("PRAGMA journal_mode = WAL")
    guard mode?.lowercased() == "wal" || isInMemory else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "could not activate the WAL journal mode",
        hint: "The file system may lack shared memory; the journal mode is now "
          + "\(mode ?? "unknown").")
    }
    try setUpChangedPages()
    // The first read creates the log's files, which read-only connections need.
    try validateFormat()
    // In WAL mode this is as safe as FULL, except that a power cut can lose the last transactions.
    try execute(sql: "PRAGMA synchronous = NORMAL")
  }

  /// Whether the database isn't stored in a file, or only in a temporary one.
  var isInMemory: Bool { path == ":memory:" || path.isEmpty }

  /// Runs a preparation, and diagnoses the error if one of its statements is the first that can't
  /// read the file.
  private func run(_ preparation: (Database) throws -> Void) throws {
    do {
      try preparation(self)
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: throw try diagnose(error)
      default: throw canBeRefusedPages && refusedSchema == "main" ? try diagnose(error) : error
      }
    }
  }

  // MARK: Validation

  /// Reads the schema, which fails with a wrong key.
  func validateFormat() throws {
    let connection = try openConnection()
    do {
      _ = try SQLite.scalar(connection, "SELECT count(*) FROM sqlite_master")
    } catch {
      let failure = DatabaseError(code: error.code, connection: connection)
      throw try diagnose(failure)
    }
    guard isKeyed else { return }
    // A preparation may have allowed temporary files.
    guard try setting("PRAGMA temp_store") == "2" else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "temp_store must be MEMORY",
        hint: "Temporary files would contain data of the encrypted database in plaintext.")
    }
  }

  /// Adds the reason for a failure, as far as the file reveals it.
  private func diagnose(_ failure: DatabaseError) throws -> any Error {
    guard !isInMemory, failure.canBeDiagnosed else { return failure }
    if let derived = keying.derived, openingKey?.isPassphrase == true,
      let salt = try FileKey.salt(of: path), salt != derived.salt
    {
      return SaltRace()
    }
    let hasRead = failure.resultCode == .SQLITE_NOTADB || failure.resultCode == .SQLITE_CORRUPT
    return failure.diagnosed(
      path: path, key: openingKey, settings: openingSettings, derived: keying.derived,
      index: hasRead ? logIndex : nil)
  }

  /// Writes the first page of a new encrypted file, and proves that the file is encrypted.
  func createEncryptedFile() throws {
    guard isKeyed, !isInMemory, !configuration.readonly else { return }
    do {
      let isNew = try createFile(at: path, schema: "main", openingSettings)
      // Nothing has read the file since another connection has created it.
      if keying.hasNewSalt, !isNew { throw SaltRace() }
      setup?.isNewFile = isNew
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw SaltRace()
    }
  }

  /// Writes the first page of an encrypted file that is empty, and proves that it is encrypted.
  ///
  /// - Returns: Whether the file was empty.
  @discardableResult
  func createFile(at path: String, schema: String, _ settings: CipherSettings) throws -> Bool {
    let connection = try openConnection()
    // SQLite treats a file of one byte as empty.
    let isNew = DatabaseFile.size(at: path) ?? 0 <= 1
    if isNew {
      do {
        // The first transaction writes the first page, whatever it changes.
        try runSetting(
          "BEGIN IMMEDIATE; PRAGMA \(schema.quotedDatabaseIdentifier).user_version = 0; COMMIT")
      } catch {
        if !SQLite.isAutocommit(connection) { _ = control.run(.rollback, in: connection) }
        throw error
      }
    }
    // Few files need a longer look.
    guard try FileKey.salt(of: connection, schema: schema, path: path) == SQLiteHeader.magic,
      try DatabaseFile.isExposed(at: path, despite: settings)
    else { return isNew }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "the file was written without encryption",
      hint: "This is a failure of the SQLite library that the process has loaded. Delete \(path).")
  }
}
