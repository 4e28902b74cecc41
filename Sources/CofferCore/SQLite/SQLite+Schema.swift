import CSQLCipher

extension SQLite {
  /// All rows of a statement without parameters: integers, texts and NULLs.
  package static func rows(
    _ connection: SQLiteConnection, _ sql: String
  ) throws(Failure) -> [[DatabaseValue]] {
    var handle: SQLiteStatement?
    let code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
    guard code == SQLITE_OK, let handle else { throw Failure(code: code) }
    defer { sqlite3_finalize(handle) }
    var rows: [[DatabaseValue]] = []
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(handle)).map { value(handle, $0) })
      case SQLITE_DONE: return rows
      case let code: throw Failure(code: code)
      }
    }
  }

  private static func value(_ handle: SQLiteStatement, _ index: CInt) -> DatabaseValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: sqlite3_column_int64(handle, index).databaseValue
    default: String(decoding: columnText(handle, index), as: UTF8.self).databaseValue
    }
  }
}
