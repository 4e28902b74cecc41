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
        path: ":memory:", name: name, file: ":memory:", flags: [], configuration: configuration)
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
    guard !path.utf8.contains(0) else {
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
    if let mode = configuration.fileMode, !configuration.readonly, !path.isEmpty,
      path != ":memory:"
    {
      createEmptyFile(at: path, mode: mode)
    }
    return try prepare(
      path: path, name: name, file: path, flags: [], configuration: configuration,
      knownKey: knownKey, cacheBudget: cacheBudget,
      mayRace: !path.isEmpty && size <= 1)
  }

  /// Creates an empty file with the permissions, unless the file exists.
  ///
  /// SQLite gives its journal, WAL and shared memory the permissions of the file. Where the file can't
  /// be created, SQLite's error tells it.
  private static func createEmptyFile(at path: String, mode: UInt32) {
    // A file that exists must not be opened: closing it would drop this process's locks on it. That
    // is why links to missing files are followed here.
    var target = path
    for _ in 0..<8 {
      guard let link = PendingFile.destination(ofLink: target) else { break }
      target = link
    }
    let descriptor = unsafe Glibc.open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, mode)
    Glibc.close(descriptor)
  }

  /// - Parameter mayRace: Whether others may create the file, with their salt, until this
  ///   connection has.
  private static func prepare(
    path: String, name: String, file: String, flags: SQLite.OpenFlags,
    configuration: Configuration, knownKey: KnownKey? = nil, cacheBudget: CacheBudget? = nil,
    mayRace: Bool = false
  ) throws -> Database {
    let connection = try connect(
      to: file, flags: flags.union(configuration.readonly ? .readOnly : [.readWrite, .create]))
    let database = Database(
      connection: connection, path: path, name: name, configuration: configuration,
      cacheBudget: cacheBudget ?? CacheBudget(byteCount: configuration.cacheSize))
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
        throw error
      }
    }
    return database
  }

  /// Opens a connection, which isn't set up yet.
  ///
  /// - Parameter path: A path, or a URI if the flags say so.
  @safe static func connect(
    to path: String, flags: SQLite.OpenFlags
  ) throws -> SQLiteConnection {
    do {
      return try SQLite.open(
        flags.contains(.uri) ? path : plainName(path), flags: flags.union(.noMutex))
    } catch {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: error.code), message: error.message, sql: nil,
        hint: hint(forOpening: path, canCreate: flags.contains(.create)))
    }
  }

  /// Returns a name that SQLite doesn't interpret as a URI, as SQLCipher 4 is built to.
  static func plainName(_ path: String) -> String {
    path.hasPrefix("file:") ? "./" + path : path
  }

  private static func hint(forOpening path: String, canCreate: Bool) -> String {
    switch DatabaseFile.inspect(at: path).kind {
    case .directory: return "The path is that of a folder."
    case .missing:
      let folder = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) : "."
      guard canCreate else { return "There is no such file, and this connection can't create it." }
      return DatabaseFile.inspect(at: folder.isEmpty ? "/" : folder).kind == .missing
        ? "The folder doesn't exist: create it first."
        : "The file can't be created there: check the folder's permissions."
    default: return "Check the permissions of the file and of its folder."
    }
  }

  // MARK: Setting up a connection

  func setUp() throws {
    let connection = try openConnection()
    isSetUp = false
    setUpBusyMode()
    SQLite.setCancellation(interruption, in: connection)
    // Nothing may spill to a temporary file, which wouldn't be encrypted. None of these settings
    // reads the file, which would fail before the key is set.
    try runSetting("PRAGMA temp_store = MEMORY")
    try runSetting("PRAGMA foreign_keys = \(configuration.foreignKeysEnabled ? "ON" : "OFF")")
    SQLite.setDoubleQuotedStrings(connection, configuration.acceptsDoubleQuotedStringLiterals)
    try installAuthorizer()
    try Database.addStandardFunctions(to: connection)
    fts5API = SQLite.fts5API(connection)
    if let key = configuration.key { try giveKey(key, settings: configuration.cipher) }
    isPreparing = true
    defer { isPreparing = false }
    for preparation in configuration.preparations { try run(preparation) }
    try settleKey()
    isPreparing = false
    try validateFormat()
    // Reads the schema, so that it comes after the key.
    setCacheSize()
    try createEncryptedFile()
    if configuration.journalMode == .wal, !configuration.readonly {
      try setUpWAL()
    }
    // A reopened connection has a new sequence of data versions.
    externalChanges?.dataVersion = nil
    observation.install()
    try restorePoolWriter()
    shareConfiguration()
    isSetUp = true
  }

  private func setUpWAL() throws {
    let mode = try retryingWhileBusy {
      try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
    }
    guard mode?.lowercased() == "wal" || isInMemory else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "could not activate the WAL journal mode",
        hint: "The file system may lack shared memory; the journal mode is now "
          + "\(mode ?? "unknown").")
    }
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
    guard try SQLite.scalar(connection, "PRAGMA temp_store") == "2" else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "temp_store must be MEMORY",
        hint: "Temporary files would contain data of the encrypted database in plaintext.")
    }
  }

  /// Adds the reason for a failure, as far as the file reveals it.
  private func diagnose(_ failure: DatabaseError) throws -> any Error {
    guard !isInMemory, failure.canBeDiagnosed else { return failure }
    if let derivedKey, openingKey?.isPassphrase == true,
      let salt = Database.salt(of: path), salt != derivedKey.salt
    {
      return SaltRace()
    }
    return failure.diagnosed(
      path: path, key: openingKey, settings: openingSettings, derived: derivedKey)
  }

  /// Writes the first page of a new encrypted file, and proves that the file is encrypted.
  private func createEncryptedFile() throws {
    guard isKeyed, !isInMemory, !configuration.readonly else { return }
    do {
      try createFile(at: path, schema: "main", openingSettings)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw SaltRace()
    }
  }

  /// Writes the first page of an encrypted file that is empty, and proves that it is encrypted.
  func createFile(at path: String, schema: String, _ settings: CipherSettings) throws {
    let connection = try openConnection()
    // SQLite treats a file of one byte as empty.
    if DatabaseFile.size(at: path) ?? 0 <= 1 {
      do {
        // The first transaction writes the first page, whatever it changes.
        try runSetting(
          "BEGIN IMMEDIATE; PRAGMA \(schema.quotedDatabaseIdentifier).user_version = 0; COMMIT")
      } catch {
        if !SQLite.isAutocommit(connection) { _ = SQLite.run(connection, "ROLLBACK") }
        throw error
      }
    }
    guard DatabaseFile.isExposed(at: path, despite: settings) else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "the file was written without encryption",
      hint: "This is a failure of the SQLite library that the process has loaded. Delete \(path).")
  }

  static func salt(of path: String) -> [UInt8]? {
    guard let file = try? ReadOnlyFile(path: path), let salt = try? file.read(count: 16, at: 0),
      salt.count == 16
    else { return nil }
    return salt
  }
}

/// Thrown when another connection has meanwhile created the file with another salt.
struct SaltRace: Error {}
