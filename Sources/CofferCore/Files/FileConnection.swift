/// A connection for work on a whole file.
///
/// It isn't traced, observed or authorized, so keys bound to its statements aren't exposed. It
/// fires no triggers, enforces no constraints, and keeps its temporary data in memory.
final class FileConnection {
  let path: String
  let fileKey: FileKey?
  private var handle: SQLiteConnection?

  /// - Parameters:
  ///   - key: The key; nil for a plaintext file.
  ///   - additions: The application's functions and collations, which indexes and tables can use.
  init(
    path: String, key: FileKey?, readonly: Bool = false, busyTimeout milliseconds: CInt = 5000,
    additions: SQLAdditions = SQLAdditions()
  ) throws {
    self.path = path
    fileKey = key
    do {
      handle = try SQLite.open(
        FileConnection.plainName(path), flags: [.noMutex, readonly ? .readOnly : .readWrite])
    } catch {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: error.code), message: error.message,
        hint: DatabaseFile.inspect(at: path).kind == .missing
          ? "There is no file at \(path)." : "The file is \(path).")
    }
    // All properties are initialized now, so `deinit` runs if the initializer throws.
    let connection = try self.connection
    SQLite.setBusyTimeout(connection, milliseconds: milliseconds)
    try run("PRAGMA temp_store = MEMORY")
    try run("PRAGMA foreign_keys = OFF")
    try run("PRAGMA ignore_check_constraints = ON")
    SQLite.setTriggersEnabled(connection, false)
    try Database.addStandardFunctions(to: connection)
    try Database.add(additions, to: connection)
    if let key { try apply(key) }
  }

  deinit { close() }

  func close() {
    guard let connection = handle else { return }
    handle = nil
    SQLite.closeWhenIdle(connection)
  }

  /// Returns a name that SQLite doesn't interpret as a URI.
  static func plainName(_ path: String) -> String {
    path.hasPrefix("file:") ? "./" + path : path
  }

  var connection: SQLiteConnection {
    get throws {
      guard let handle else { throw DatabaseError.connectionIsClosed }
      return handle
    }
  }

  private func apply(_ key: FileKey) throws {
    try proveEngine()
    let connection = try connection
    let code = key.spec.withUnsafeBytes { SQLite.key(connection, $0) }
    guard code == SQLite.ok else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "SQLCipher has refused the key")
    }
    // The pragma follows the key, since the process's first key resets the log level.
    if SQLiteFeatures.linked.logsToStandardError { try run("PRAGMA cipher_log_level = NONE") }
    for pragma in try key.settings.pragmas() { try run(pragma) }
  }

  /// Throws if the process's SQLite isn't SQLCipher.
  private func proveEngine() throws {
    guard try scalar("PRAGMA cipher_version")?.isEmpty == false else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the SQLite library in use is not SQLCipher: nothing would be encrypted")
    }
  }

  // MARK: Statements

  /// Runs constant SQL and ignores its rows.
  func run(_ sql: String) throws {
    let connection = try connection
    let code = SQLite.run(connection, sql)
    guard code == SQLite.ok else { throw failure(code, sql) }
  }

  /// Returns the first column of the first row as text.
  func scalar(_ sql: String) throws -> String? {
    let connection = try connection
    do {
      return try SQLite.scalar(connection, sql)
    } catch {
      throw failure(error.code, sql)
    }
  }

  func integer(_ sql: String) throws -> Int { Int(try scalar(sql) ?? "") ?? 0 }

  /// Returns all rows as text, with empty strings for NULL.
  func rows(_ sql: String) throws -> [[String]] {
    try withStatement(sql) { statement in
      var rows: [[String]] = []
      while try step(statement, sql) {
        rows.append(
          (0..<SQLite.columnCount(statement)).map {
            String(decoding: SQLite.columnText(statement, CInt($0)), as: UTF8.self)
          })
      }
      return rows
    }
  }

  /// Whether the step has returned a row.
  func step(_ statement: SQLiteStatement, _ sql: String) throws -> Bool {
    switch SQLite.step(statement) {
    case SQLite.row: return true
    case SQLite.done: return false
    case let code: throw failure(code, sql)
    }
  }

  func withStatement<T>(_ sql: String, _ body: (SQLiteStatement) throws -> T) throws -> T {
    guard let statement = try FileConnection.prepare(sql, in: connection) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "empty statement", sql: sql)
    }
    defer { SQLite.finalize(statement) }
    return try body(statement)
  }

  /// Whether the SQL compiles.
  func canPrepare(_ sql: String) throws -> Bool {
    do {
      guard let statement = try FileConnection.prepare(sql, in: connection) else { return false }
      SQLite.finalize(statement)
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      return false
    }
  }

  private func failure(_ code: CInt, _ sql: String) -> DatabaseError {
    DatabaseError(code: code, connection: handle, sql: sql)
  }

  // MARK: On any connection

  static func prepare(_ sql: String, in connection: SQLiteConnection) throws -> SQLiteStatement? {
    do {
      return try sql.withCString { text throws(SQLite.Failure) in
        let bytes = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        return try SQLite.prepare(
          UnsafeBufferPointer(start: bytes, count: sql.utf8.count), in: connection,
          isPersistent: false
        ).statement
      }
    } catch let failure as SQLite.Failure {
      throw DatabaseError(code: failure.code, connection: connection, sql: sql)
    }
  }

  /// Attaches a file, with the key bound to a parameter.
  ///
  /// The key is bound directly from secure memory. SQLCipher keeps its own copies, and wipes them.
  /// - Parameter spec: The key; nil for a plaintext file.
  static func attach(
    _ path: String, as name: String, spec: SecureBytes?, to connection: SQLiteConnection
  ) throws {
    let sql = "ATTACH DATABASE ? AS ? KEY ?"
    guard let statement = try prepare(sql, in: connection) else { return }
    defer { SQLite.finalize(statement) }
    var code = SQLite.bind(plainName(path), to: statement, at: 1)
    if code == SQLite.ok { code = SQLite.bind(name, to: statement, at: 2) }
    if code == SQLite.ok {
      code =
        spec?.withUnsafeBytes { SQLite.bindStaticText($0, to: statement, at: 3) }
        ?? SQLite.bind("", to: statement, at: 3)
    }
    // SAFETY: `spec` lives until the bindings are cleared below, after the only step.
    if code == SQLite.ok { code = SQLite.step(statement) }
    withExtendedLifetime(spec) { SQLite.clearBindings(statement) }
    guard code == SQLite.done else {
      throw DatabaseError(code: code, connection: connection, sql: sql)
    }
  }

  // MARK: Verification

  /// Reads the schema, which fails with a wrong key.
  func readSchema() throws { _ = try scalar("SELECT count(*) FROM sqlite_master") }

  /// Whether the key opens the file.
  ///
  /// - Throws: Any error that says nothing about the key.
  static func opens(_ path: String, with key: FileKey) throws -> Bool {
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
    }
  }
}
