import CofferSQLite
import Glibc

// What a key does to a connection, whether or not it is a `Database`'s.
extension FileKey {
  /// Reads the salt of a file.
  ///
  /// - Returns: Nil if there is no such file, this process may not read it, or it has no salt.
  /// - Throws: An error with the code `SQLITE_IOERR` if the salt can't be read: with another one,
  ///   the key would be wrong.
  package static func salt(of path: String) throws(DatabaseError) -> [UInt8]? {
    guard DatabaseFile.size(at: path) ?? 0 > 1, unsafe access(path, R_OK) == 0 else { return nil }
    do {
      let salt = try ReadOnlyFile(path: path).read(count: 16, at: 0)
      return salt.count == 16 ? salt : nil
    } catch {
      throw error.databaseError(path)
    }
  }

  /// Reads the first bytes of a connection's file, which are the salt of an encrypted one.
  ///
  /// - Parameter path: The path of the file, for errors.
  /// - Returns: Nil if the file is new.
  /// - Throws: An error with the code `SQLITE_IOERR` if they can't be read.
  @safe package static func salt(
    of connection: SQLiteConnection, schema: String = "main", path: String
  ) throws(DatabaseError) -> [UInt8]? {
    do { return try SQLite.fileStart(count: 16, of: schema, in: connection) } catch {
      throw ReadOnlyFileError(code: error.code).databaseError(path)
    }
  }

  /// Sets SQLCipher's key and settings before the connection reads its file.
  ///
  /// - Returns: How the connection's provider works.
  @discardableResult
  @safe package static func setKey(
    _ spec: SecureBytes, _ pragmas: [String], usesStockProvider: Bool = false,
    readsAhead: Bool = ReadAhead.isWorthwhile, in connection: SQLiteConnection
  ) throws -> CipherProvision {
    let (code, provision) = spec.withUnsafeBytes {
      CipherProvider.setKey(
        $0, usesStock: usesStockProvider, readsAhead: readsAhead, in: connection)
    }
    guard code == SQLite.ok else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "SQLCipher has refused the key")
    }
    try CipherLog.setLevel(of: connection)
    if try !hasSettings(pragmas, connection) {
      for pragma in pragmas { try LibrarySQL.run(pragma, in: connection) }
    }
    return provision
  }

  /// Whether the settings of a connection that has just got its key are already these.
  ///
  /// To ask for all of them once takes less than half of the instructions that setting them takes;
  /// above all, a page size that is set, even to what it is, has new memory locked.
  @safe static func hasSettings(
    _ pragmas: [String], _ connection: SQLiteConnection
  ) throws -> Bool {
    let current: [[DatabaseValue]]
    do { current = try SQLite.rows(connection, "PRAGMA cipher_settings") } catch {
      throw DatabaseError(code: error.code, connection: connection)
    }
    // Before SQLCipher 4, there are no rows.
    let known = current.map { row -> String? in
      if case .string(let setting)? = row.first?.storage { setting } else { nil }
    }
    return pragmas.allSatisfy { pragma in
      // SQLCipher says 1 and 0.
      let setting =
        pragma.hasSuffix(" = ON")
        ? pragma.dropLast(2) + "1" : pragma.hasSuffix(" = OFF") ? pragma.dropLast(3) + "0" : pragma
      return known.contains(setting + ";")
    }
  }

  /// Attaches a file, with the key bound to a parameter.
  ///
  /// The key is bound directly from secure memory. SQLCipher keeps its own copies, and wipes them.
  /// - Parameter spec: The key; nil for a plaintext file.
  /// - Returns: What decrypts its pages ahead of scans; nil for nothing.
  @discardableResult
  @safe package static func attach(
    _ path: String, as name: String, spec: SecureBytes?,
    readsAhead: Bool = ReadAhead.isWorthwhile, to connection: SQLiteConnection
  ) throws -> ReadAhead? {
    let isFile = !path.isEmpty && path != ":memory:"
    var readAhead: ReadAhead?
    try ReadOnlyFile.retryingReads(of: isFile ? [path] : []) {
      let (_, context) = try unsafe KeptProvider.contextMade {
        try attachOnce(path, as: name, spec: spec, to: connection)
      }
      guard readsAhead, isFile, spec != nil else { return }
      readAhead = unsafe ReadAhead.begin(name, of: connection, context)
    }
    return readAhead
  }

  @safe private static func attachOnce(
    _ path: String, as name: String, spec: SecureBytes?, to connection: SQLiteConnection
  ) throws {
    // SAFETY: `spec` lives until the statement to which its bytes are bound is finalized.
    defer { withExtendedLifetime(spec) {} }
    try LibrarySQL.run("ATTACH DATABASE ? AS ? KEY ?", in: connection) { statement in
      var code = SQLite.bind(SQLite.plainName(path), to: statement, at: 1)
      if code == SQLite.ok { code = SQLite.bind(name, to: statement, at: 2) }
      guard code == SQLite.ok else { return code }
      return spec?.withUnsafeBytes { SQLite.bindStaticText($0, to: statement, at: 3) }
        ?? SQLite.bind("", to: statement, at: 3)
    }
  }

  /// Throws if the SQLite loaded by the process isn't SQLCipher: another library with the same
  /// symbols would ignore the key.
  @safe package static func proveEngine(of connection: SQLiteConnection) throws {
    // SQLCipher 4.19 returns no row if memory is exhausted, and no error.
    let hasVersion = try (0..<2).contains { _ in
      try LibrarySQL.scalar("PRAGMA cipher_version", in: connection)?.isEmpty == false
    }
    guard hasVersion else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the SQLite library in use is not SQLCipher: nothing would be encrypted",
        hint: "Another libsqlite3 in the process takes precedence. Link libsqlcipher first, "
          + "or remove the other library.")
    }
  }
}
