import CSQLCipher

/// The statements that begin and end transactions, prepared on first use.
///
/// They are run without a `Statement`, since every access runs them. `ROLLBACK` is prepared when
/// the connection is set up: it has to run when there is no memory left.
@safe package final class ControlStatements {
  package enum Kind: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollback
    /// Fails if SQLCipher has found a damaged page since the transaction began.
    case touchSchema

    fileprivate var sql: String {
      switch self {
      case .beginDeferred: "BEGIN DEFERRED TRANSACTION"
      case .beginImmediate: "BEGIN IMMEDIATE TRANSACTION"
      case .beginExclusive: "BEGIN EXCLUSIVE TRANSACTION"
      case .commit: "COMMIT TRANSACTION"
      case .rollback: "ROLLBACK TRANSACTION"
      case .touchSchema: "SELECT 1 FROM sqlite_master LIMIT 1"
      }
    }
  }

  @safe @exclusivity(unchecked) private var handles: [SQLiteStatement?] = unsafe Array(
    repeating: nil, count: Kind.allCases.count)

  package init() {}

  /// - Returns: SQLite's result code.
  @safe package func run(_ kind: Kind, in connection: SQLiteConnection) -> CInt {
    if unsafe handles[kind.rawValue] == nil {
      do { try prepare(kind, in: connection) } catch { return error.code }
    }
    let handle = unsafe handles[kind.rawValue]
    let code = unsafe sqlite3_step(handle)
    unsafe sqlite3_reset(handle)
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code
  }

  /// Returns the statement, which is prepared if it isn't yet.
  @discardableResult
  @safe package func prepare(
    _ kind: Kind, in connection: SQLiteConnection
  ) throws(SQLite.Failure) -> SQLiteStatement {
    if let known = unsafe handles[kind.rawValue] { return unsafe known }
    let handle = try SQLite.prepare(kind.sql, in: connection, isPersistent: true)
    unsafe handles[kind.rawValue] = unsafe handle
    return unsafe handle
  }

  package func sql(_ kind: Kind) -> String { kind.sql }

  // MARK: The version of a schema

  /// The statements by schema name; few enough for a linear search.
  @safe private var versions: [(schema: String, handle: SQLiteStatement)] = unsafe []

  /// Returns SQLite's counter of changes to a schema, as the connection currently sees the file.
  @safe package func schemaVersion(
    of schema: String, in connection: SQLiteConnection
  ) throws(SQLite.Failure) -> Int32 {
    let handle = try versionHandle(of: schema, in: connection)
    let code = unsafe sqlite3_step(handle)
    let version = unsafe sqlite3_column_int(handle, 0)
    let resetCode = unsafe sqlite3_reset(handle)
    guard code == SQLITE_ROW else {
      throw SQLite.Failure(code: resetCode == SQLITE_OK ? code : resetCode)
    }
    return version
  }

  @safe private func versionHandle(
    of schema: String, in connection: SQLiteConnection
  ) throws(SQLite.Failure) -> SQLiteStatement {
    if let known = unsafe versions.first(where: { unsafe $0.schema == schema }) {
      return unsafe known.handle
    }
    let handle = try SQLite.prepare(
      "PRAGMA \(schema.quotedDatabaseIdentifier).schema_version", in: connection,
      isPersistent: true)
    unsafe versions.append((schema, handle))
    return unsafe handle
  }

  /// Finalizes the statements about schemas, which can be detached.
  package func finalizeVersions() {
    unsafe versions.forEach { unsafe sqlite3_finalize($0.1) }
    versions = unsafe []
  }

  package func finalizeAll() {
    finalizeVersions()
    unsafe handles.forEach { unsafe sqlite3_finalize($0) }
    handles = unsafe Array(repeating: nil, count: Kind.allCases.count)
  }
}
