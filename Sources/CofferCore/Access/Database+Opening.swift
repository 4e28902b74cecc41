import CofferVault
import FoundationEssentials
import Glibc

extension Database {
  /// Opens a file.
  ///
  /// A new file with a key is created at once, encrypted, so that nothing comes between setting the
  /// key and the first write.
  /// - Parameters:
  ///   - name: The connection's name.
  ///   - knownKey: The file's key, if another connection has derived it.
  ///   - cacheBudget: The memory that the connection shares with others; nil for all of the
  ///     configuration's.
  static func open(
    path: String, name: String, configuration: Configuration,
    knownKey: KnownKey? = nil, cacheBudget: CacheBudget? = nil
  ) throws -> Database {
    let path = absolutePath(path)
    // Between the inspection and the first write, another process may create the file with a
    // different salt.
    var attempts = 3
    while true {
      do {
        return try openOnce(
          path: path, name: name, configuration: configuration, knownKey: knownKey,
          cacheBudget: cacheBudget)
      } catch is SaltRace where attempts > 1 {
        attempts -= 1
      }
    }
  }

  /// Returns the path from the root, so that it is that of the file after `chdir`, too: readers,
  /// snapshots and key changes open the file again.
  private static func absolutePath(_ path: String) -> String {
    guard !path.isEmpty, path != ":memory:", !path.hasPrefix("/"),
      let folder = unsafe getcwd(nil, 0)
    else { return path }
    // SAFETY: `getcwd` allocates the path that it returns.
    defer { unsafe free(folder) }
    let name = unsafe String(cString: folder)
    return name.hasSuffix("/") ? name + path : "\(name)/\(path)"
  }

  /// Opens an in-memory database.
  ///
  /// - Parameter sharedName: Connections of this process with the same shared name share a
  ///   database.
  static func openInMemory(
    named sharedName: String?, name: String, configuration: Configuration
  ) throws -> Database {
    try configuration.checkCacheSize()
    guard let sharedName else {
      return try prepare(
        path: ":memory:", name: name, file: ":memory:", flags: [], configuration: configuration,
        key: configuration.resolvedKey(nil, path: ":memory:"))
    }
    guard configuration.key == nil else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a named database in memory can't have a key",
        hint: "It is never written to a file. Open it without a key.")
    }
    let features = SQLiteFeatures.linked
    try features.require(features.hasSharedMemoryDatabases, "a named database in memory", "3.36")
    let escaped = sharedName.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
      let hex = String(byte, radix: 16)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
    }
    return try prepare(
      path: ":memory:", name: name, file: "file:/coffer-\(escaped.joined())?vfs=memdb",
      flags: .uri, configuration: configuration)
  }

  private static func openOnce(
    path: String, name: String, configuration: Configuration,
    knownKey: KnownKey?, cacheBudget: CacheBudget?
  ) throws -> Database {
    try configuration.checkCacheSize()
    // SQLite would end the path there and open another file.
    guard CName.isWhole(path) else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "unable to open database file",
        hint: "The path holds a NUL character.")
    }
    // SQLite opens devices and waits for pipes, and loses what it writes there.
    guard let size = DatabaseFile.size(at: path) else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "unable to open database file",
        hint: "The path is that of a device, a pipe or a socket.")
    }
    // Before there is a file: a missing key makes none.
    let key = try configuration.resolvedKey(knownKey, path: path)
    if size <= 1, !configuration.readonly, !path.isEmpty, path != ":memory:" {
      // A link is looked at before anything is created where it leads.
      try NewDatabaseFile.requireOwn(at: path)
      if let mode = configuration.fileMode {
        NewDatabaseFile.create(at: path, mode: mode)
        try NewDatabaseFile.requireOwn(at: path)
      }
    }
    return try prepare(
      path: path, name: name, file: path, flags: [], configuration: configuration, key: key,
      knownKey: knownKey, cacheBudget: cacheBudget,
      mayRace: !path.isEmpty && size <= 1)
  }

  /// - Parameter mayRace: Whether others may create the file, with their salt, until this
  ///   connection has.
  private static func prepare(
    path: String, name: String, file: String, flags: SQLite.OpenFlags,
    configuration: Configuration, key: DatabaseKey? = nil, knownKey: KnownKey? = nil,
    cacheBudget: CacheBudget? = nil, mayRace: Bool = false
  ) throws -> Database {
    let connection = try SQLite.connect(
      to: file, flags: flags.union(configuration.readonly ? .readOnly : [.readWrite, .create]))
    let database = Database(
      connection: connection, path: path, name: name, configuration: configuration,
      cacheBudget: cacheBudget ?? CacheBudget(byteCount: configuration.cacheSize))
    database.resolvedKey = key
    database.knownKey = knownKey
    try database.gate.withAccess { () throws -> Void in
      do {
        try database.setUp()
      } catch {
        database.closeConnection()
        if mayRace, database.isKeyed, (error as? DatabaseError)?.resultCode == .SQLITE_NOTADB,
          DatabaseFile.size(at: path) ?? 0 > 1
        {
          throw SaltRace()
        }
        throw (error as? DatabaseError)?.explainingLogIndex(of: path) ?? error
      }
    }
    return database
  }

  // MARK: Setting up a connection

  func setUp() throws {
    let connection = try openConnection()
    isSetUp = false
    waitingTokenizers = []
    // Otherwise they read the file, which has to wait for the key.
    if SQLiteFeatures.linked.compilesBeforeKey { try prepareStatements(connection) }
    setUpBusyMode()
    SQLite.setCancellation(interruption, in: connection)
    // Nothing may spill to a temporary file, which wouldn't be encrypted. None of these settings
    // reads the file, which would fail before the key is set.
    try runSetting("PRAGMA temp_store = MEMORY")
    try runSetting("PRAGMA foreign_keys = \(configuration.foreignKeysEnabled ? "ON" : "OFF")")
    SQLite.setDoubleQuotedStrings(connection, configuration.acceptsDoubleQuotedStringLiterals)
    try installAuthorizer()
    try Database.addStandardFunctions(to: connection)
    if let key = resolvedKey { try giveKey(key, settings: configuration.cipher) }
    isPreparing = true
    defer { isPreparing = false }
    for preparation in configuration.preparations { try run(preparation) }
    try registerAgain()
    try settleKey()
    isPreparing = false
    try validateFormat()
    try prepareStatements(connection)
    try addWaitingTokenizers()
    // Reads the schema, so that it comes after the key.
    setCacheSize()
    let isNew = try createEncryptedFile()
    if !configuration.readonly { try setUpJournal(isNew: isNew) }
    try beginFreshness()
    // A reopened connection has a new sequence of data versions.
    externalChanges?.dataVersion = nil
    observation.install()
    try restorePoolWriter()
    shareConfiguration()
    // SQLite opens a file though some reads of it fail: a later error isn't theirs.
    SQLite.takeReadFailure(connection)
    isSetUp = true
  }

  /// Prepares `ROLLBACK`, and finds FTS5, unless that is done.
  @safe private func prepareStatements(_ connection: SQLiteConnection) throws {
    do throws(SQLite.Failure) {
      try control.prepare(.rollback, in: connection)
      if unsafe fts5API == nil { fts5API = try SQLite.fts5API(connection) }
    } catch {
      throw DatabaseError(code: error.code, connection: connection)
    }
  }

  /// Registers the tokenizers that came before FTS5 could be found.
  private func addWaitingTokenizers() throws {
    let waiting = waitingTokenizers
    waitingTokenizers = []
    for tokenizer in waiting {
      unsafe addTokenizer(named: tokenizer.name, make: tokenizer.make)
    }
    try registerAgain()
  }

  private func setUpJournal(isNew: Bool) throws {
    if configuration.journalMode == .wal || configuration.freshness != nil { return try setUpWAL() }
    var mode = try answer("PRAGMA journal_mode")
    switch (configuration.journalMode, mode) {
    // A file system without shared memory keeps the journal.
    case (.default, "delete") where isNew && !hasChosenJournalMode:
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
    if mode == "wal" { try setSpilling(false) }
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
    try setSpilling(false)
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
      default: throw error
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
    if let derivedKey, openingKey?.isPassphrase == true,
      let salt = try FileKey.salt(of: path), salt != derivedKey.salt
    {
      return SaltRace()
    }
    let hasRead = failure.resultCode == .SQLITE_NOTADB || failure.resultCode == .SQLITE_CORRUPT
    return failure.diagnosed(
      path: path, key: openingKey, settings: openingSettings, derived: derivedKey,
      index: hasRead ? logIndex : nil)
  }

  /// Writes the first page of a new encrypted file, and proves that the file is encrypted.
  ///
  /// - Returns: Whether the file is new.
  private func createEncryptedFile() throws -> Bool {
    guard isKeyed, !isInMemory, !configuration.readonly else { return false }
    do {
      let isNew = try createFile(at: path, schema: "main", openingSettings)
      // Nothing has read the file since another connection has created it.
      if hasNewSalt, !isNew { throw SaltRace() }
      return isNew
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
    guard try DatabaseFile.isExposed(at: path, despite: settings) else { return isNew }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "the file was written without encryption",
      hint: "This is a failure of the SQLite library that the process has loaded. Delete \(path).")
  }
}

/// Thrown when another connection has meanwhile created the file with another salt.
struct SaltRace: Error {}

extension Configuration {
  /// Returns the key of a file, which a provider or an unlocker may have to give.
  fileprivate func resolvedKey(_ known: KnownKey?, path: String) throws -> DatabaseKey? {
    guard let key, key.isUnresolved else { return key }
    return try known?.key ?? key.resolved(forDatabaseAt: path, settings: cipher)
  }
}

extension DatabaseError {
  /// Returns the error with a hint if a reader can't make the index of a write-ahead log.
  fileprivate func explainingLogIndex(of path: String) -> DatabaseError {
    guard resultCode == .SQLITE_CANTOPEN || resultCode == .SQLITE_READONLY,
      !path.isEmpty, unsafe access(path, R_OK) == 0
    else { return self }
    let folder = path.contains("/") ? String(path[...path.lastIndex(of: "/")!]) : "."
    guard unsafe access(folder, W_OK) != 0, unsafe access(path + "-shm", R_OK | W_OK) != 0 else {
      return self
    }
    return addingHint(
      "A file with a write-ahead log can be read only with the log's index beside it, "
        + "\(path)-shm, and this user may neither write that nor make it. Let the user read and write "
        + "both files of the log while the owner has the database open, give it write access to the "
        + "folder, or let the owner set PRAGMA journal_mode = DELETE.")
  }
}
