import CofferSQLite

/// Adds to a connection what the rows of its file need: functions and collations of indexes, of
/// constraints and of computed columns.
@safe package struct ConnectionPreparation: Sendable {
  let run: @Sendable (SQLiteConnection) throws -> Void

  package init(_ run: @escaping @Sendable (SQLiteConnection) throws -> Void) {
    unsafe self.run = unsafe run
  }

  /// Adds nothing.
  static let none = unsafe ConnectionPreparation { _ in }
}

/// A connection for work on a whole file.
///
/// It isn't traced, observed or authorized, so keys bound to its statements aren't exposed. It
/// fires no triggers, enforces no constraints, and keeps its temporary data in memory.
@safe package final class FileConnection {
  @safe private var handle: SQLiteConnection?
  private let path: String
  private let key: FileKey?
  /// Whether the connection has the key.
  private var isKeyed = false
  /// What decrypts pages ahead of scans; nil for nothing.
  package private(set) var readAhead: ReadAhead?

  /// - Parameters:
  ///   - key: The key; nil for a plaintext file.
  ///   - prepare: Adds what the file's rows need.
  package init(
    path: String, key: FileKey?, readonly: Bool = false, busyTimeout milliseconds: CInt = 5000,
    prepare: ConnectionPreparation = .none
  ) throws {
    self.path = path
    self.key = key
    handle = try SQLite.connect(to: path, flags: readonly ? .readOnly : .readWrite)
    // All properties are initialized now, so `deinit` runs if the initializer throws.
    let connection = try unsafe self.connection
    SQLite.setBusyTimeout(connection, milliseconds: milliseconds)
    try run("PRAGMA temp_store = MEMORY")
    try run("PRAGMA foreign_keys = OFF")
    try run("PRAGMA ignore_check_constraints = ON")
    SQLite.setTriggersEnabled(connection, false)
    try unsafe prepare.run(connection)
    guard let key else { return }
    try FileKey.proveEngine(of: connection)
    readAhead = try FileKey.setKey(key.spec, key.settings.pragmas(), in: connection).readAhead
    isKeyed = true
  }

  deinit { close() }

  package func close() {
    guard let connection = handle else { return }
    handle = nil
    SQLite.closeWhenIdle(connection)
  }

  @safe package var connection: SQLiteConnection {
    get throws {
      guard let handle else { throw DatabaseError.connectionIsClosed }
      return unsafe handle
    }
  }

  package var isInTransaction: Bool { get throws { try unsafe !SQLite.isAutocommit(connection) } }

  // MARK: Statements

  /// Runs constant SQL and ignores its rows.
  package func run(_ sql: String) throws {
    try explaining { try unsafe LibrarySQL.run(sql, in: connection) }
  }

  /// Returns the first column of the first row as text.
  package func scalar(_ sql: String) throws -> String? {
    try explaining { try unsafe LibrarySQL.scalar(sql, in: connection) }
  }

  package func integer(_ sql: String) throws -> Int { Int(try scalar(sql) ?? "") ?? 0 }

  /// Returns all rows as text, with empty strings for NULL.
  func rows(_ sql: String) throws -> [[String]] {
    try unsafe LibrarySQL.naming(sql, in: connection) { connection throws(SQLite.Failure) in
      try SQLite.rows(connection, sql)
    }.map { row in
      row.map { value in
        value.integer.map { "\($0)" } ?? value.text ?? ""
      }
    }
  }

  /// Whether the step has returned a row.
  @safe func step(_ statement: SQLiteStatement, _ sql: String) throws -> Bool {
    switch SQLite.step(statement) {
    case SQLite.row: return true
    case SQLite.done: return false
    case let code: throw DatabaseError(code: code, connection: handle, sql: sql)
    }
  }

  @safe func withStatement<T>(_ sql: String, _ body: (SQLiteStatement) throws -> T) throws -> T {
    let statement = try unsafe LibrarySQL.prepare(sql, in: connection)
    defer { SQLite.finalize(statement) }
    return try unsafe body(statement)
  }

  /// Whether the SQL compiles.
  func canPrepare(_ sql: String) throws -> Bool {
    do {
      return try withStatement(sql) { _ in true }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      return false
    }
  }

  // MARK: Verification

  /// Reads the schema, which fails with a wrong key.
  package func readSchema() throws { _ = try scalar("SELECT count(*) FROM sqlite_master") }

  /// Whether the key opens the file.
  ///
  /// - Throws: Any error that says nothing about the key.
  package static func opens(_ path: String, with key: FileKey) throws -> Bool {
    do {
      return try readsSchema(of: path, with: key)
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT && SQLiteFeatures.linked.refusesPagesAfterFailure
    {
      // Pages are refused after a read that failed, too, of which nothing else is told.
      return try readsSchema(of: path, with: key)
    }
  }

  private static func readsSchema(of path: String, with key: FileKey) throws -> Bool {
    let connection = try FileConnection(path: path, key: key)
    defer { connection.close() }
    do {
      try connection.readSchema()
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      return false
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_ERROR && key.settings.plaintextHeaderSize > 0
    {
      // SQLCipher's error for a wrong key if the header is in plaintext.
      return false
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT && key.settings.plaintextHeaderSize > 0
      && (!key.settings.usesHMAC || connection.refusesPages)
    {
      // SQLCipher can't notice that the key is wrong: SQLite sees a header and a page of noise. Or
      // it does, and SQLite sees a header and zeros.
      return false
    }
  }

  /// Throws if a page couldn't be read, or has a wrong code.
  ///
  /// SQLCipher 4.19 goes on with zeros then, and other versions with the last page of a long value.
  package func checkPages() throws {
    guard refusesPages else { return }
    throw try unsafe DatabaseError(
      code: ResultCode.SQLITE_CORRUPT.rawValue, connection: connection)
  }

  /// Executes `body`, whose errors say whether the file has another key, as before SQLCipher 4.7.
  ///
  /// Newer versions report for each page that they refuse that memory is exhausted, or that there
  /// is no database.
  private func explaining<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError
      where [.SQLITE_NOMEM, .SQLITE_NOTADB].contains(error.resultCode) && refusesPages
    {
      let code: ResultCode
      switch (error.resultCode, hasFirstPage) {
      case (.SQLITE_NOMEM, false): code = .SQLITE_NOTADB
      case (.SQLITE_NOTADB, true): code = .SQLITE_CORRUPT
      default: throw error
      }
      throw DatabaseError(
        resultCode: code, message: SQLite.errorString(code.rawValue), sql: error.sql)
    }
  }

  /// Whether the first page is one of this key, as a connection sees it: a log can have a page of a
  /// commit that failed.
  private var hasFirstPage: Bool {
    guard let key, let another = try? FileConnection(path: path, key: key, busyTimeout: 0) else {
      return true
    }
    defer { another.close() }
    do {
      _ = try unsafe LibrarySQL.scalar("PRAGMA main.schema_version", in: another.connection)
      return true
    } catch let error as DatabaseError {
      return ![.SQLITE_NOMEM, .SQLITE_NOTADB].contains(error.resultCode)
    } catch {
      return true
    }
  }

  private var refusesPages: Bool {
    guard isKeyed, SQLiteFeatures.linked.refusesPagesAfterFailure, let handle else {
      return false
    }
    if let status = try? LibrarySQL.scalar("PRAGMA cipher_status", in: handle) {
      return status == "0"
    }
    // Up to 4.10, SQLCipher can't be asked.
    do {
      _ = try LibrarySQL.scalar("PRAGMA main.schema_version", in: handle)
      return false
    } catch let error as DatabaseError {
      return error.resultCode == .SQLITE_NOMEM && SQLite.hasMemory
    } catch {
      return false
    }
  }

  // MARK: Failed commits

  /// Removes a commit from the file's log that was written, but failed: SQLite's recovery of a log
  /// takes it for a commit.
  ///
  /// - Returns: Whether it has none now: another connection that writes prevents that.
  package static func removeFailedCommit(at path: String, key: FileKey) throws -> Bool {
    let connection = try FileConnection(path: path, key: key)
    defer { connection.close() }
    try connection.readSchema()
    guard try connection.scalar("PRAGMA journal_mode") == "wal" else { return true }
    let handle = try unsafe connection.connection
    let (code, _, _) = SQLite.checkpoint(
      handle, schema: "main", mode: SQLite.truncatingCheckpoint)
    return code == SQLite.ok && SQLite.syncLog(handle) == SQLite.ok
  }
}
