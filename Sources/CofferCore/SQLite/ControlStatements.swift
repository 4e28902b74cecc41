import CSQLCipher

/// The statements that begin and end transactions, prepared on first use.
///
/// They are run without a `Statement`, since every access runs them.
final class ControlStatements {
  enum Kind: Int, CaseIterable {
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

  private var handles: [SQLiteStatement?] = Array(repeating: nil, count: Kind.allCases.count)

  /// - Returns: SQLite's result code.
  func run(_ kind: Kind, in connection: SQLiteConnection) -> CInt {
    let handle: SQLiteStatement
    if let known = handles[kind.rawValue] {
      handle = known
    } else {
      do {
        handle = try SQLite.prepare(kind.sql, in: connection, isPersistent: true)
      } catch {
        return error.code
      }
      handles[kind.rawValue] = handle
    }
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code
  }

  func sql(_ kind: Kind) -> String { kind.sql }

  // MARK: The version of a schema

  /// The statements by schema name; few enough for a linear search.
  private var versions: [(schema: String, handle: SQLiteStatement)] = []

  /// Returns SQLite's counter of changes to a schema, as the connection currently sees the file.
  func schemaVersion(
    of schema: String, in connection: SQLiteConnection
  ) throws(SQLite.Failure) -> Int32 {
    let handle = try versionHandle(of: schema, in: connection)
    let code = sqlite3_step(handle)
    let version = sqlite3_column_int(handle, 0)
    let resetCode = sqlite3_reset(handle)
    guard code == SQLITE_ROW else {
      throw SQLite.Failure(code: resetCode == SQLITE_OK ? code : resetCode)
    }
    return version
  }

  private func versionHandle(
    of schema: String, in connection: SQLiteConnection
  ) throws(SQLite.Failure) -> SQLiteStatement {
    if let known = versions.first(where: { $0.schema == schema }) { return known.handle }
    let handle = try SQLite.prepare(
      "PRAGMA \(schema.quotedDatabaseIdentifier).schema_version", in: connection,
      isPersistent: true)
    versions.append((schema, handle))
    return handle
  }

  /// Finalizes the statements about schemas, which can be detached.
  func finalizeVersions() {
    for (_, handle) in versions { sqlite3_finalize(handle) }
    versions = []
  }

  func finalizeAll() {
    finalizeVersions()
    for handle in handles { sqlite3_finalize(handle) }
    handles = Array(repeating: nil, count: Kind.allCases.count)
  }
}
