import CSQLCipher
import Testing

/// SQLite itself, through its C API, to compare with.
final class SQLiteOracle {
  private var connection: OpaquePointer?

  init() throws {
    try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
  }

  deinit {
    sqlite3_close(connection)
  }

  func execute(_ sql: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    let code = sqlite3_exec(connection, sql, nil, nil, &message)
    defer { sqlite3_free(message) }
    try #require(code == SQLITE_OK, "\(message.map { String(cString: $0) } ?? ""): \(sql)")
  }

  /// The names of the parameters, nil for those without; nil where SQLite
  /// refuses the SQL.
  func parameterNames(_ sql: String) -> [String?]? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    defer { sqlite3_finalize(statement) }
    return (0..<sqlite3_bind_parameter_count(statement)).map { index in
      sqlite3_bind_parameter_name(statement, index + 1).map { String(cString: $0) }
    }
  }

  /// The first column of all rows, as text.
  func column(_ sql: String) throws -> [String] {
    try rows(sql).map { $0[0] }
  }

  /// All rows, as text; NULL is `NULL`.
  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(connection))): \(sql)")
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        })
    }
    try #require(sqlite3_reset(statement) == SQLITE_OK)
    return rows
  }
}
