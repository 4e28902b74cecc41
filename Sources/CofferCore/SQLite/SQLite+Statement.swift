import CSQLCipher
import Glibc

extension SQLite {
  /// The result of compiling the first statement of a text.
  package struct Prepared {
    /// Nil if the text contains only blanks and comments.
    package var statement: SQLiteStatement?
    /// The number of bytes that the statement occupies in the text.
    package var byteCount: Int
  }

  /// Compiles the first statement of NUL-terminated UTF-8.
  ///
  /// - Parameter utf8: The text; its terminating NUL follows the buffer.
  /// - Throws: SQLite's code, as `Failure`.
  package static func prepare(
    _ utf8: UnsafeBufferPointer<UInt8>, in connection: SQLiteConnection, isPersistent: Bool
  ) throws(Failure) -> Prepared {
    guard let start = utf8.baseAddress else { return Prepared(statement: nil, byteCount: 0) }
    guard let byteCount = CInt(exactly: utf8.count + 1) else {
      throw Failure(code: SQLITE_TOOBIG)
    }
    var statement: SQLiteStatement?
    var tail: UnsafePointer<CChar>?
    let text = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    // SAFETY: `byteCount` includes the terminating NUL, which spares SQLite a copy.
    let code = coffer_prepare(
      connection, text, byteCount, isPersistent ? 1 : 0, &statement, &tail)
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return Prepared(statement: statement, byteCount: tail.map { $0 - text } ?? utf8.count)
  }

  /// Compiles SQL of the library.
  package static func prepare(
    _ sql: String, in connection: SQLiteConnection, isPersistent: Bool = false
  ) throws(Failure) -> SQLiteStatement {
    var statement: SQLiteStatement?
    let code = coffer_prepare(connection, sql, -1, isPersistent ? 1 : 0, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw Failure(code: code) }
    return statement
  }

  /// A result code other than success.
  package struct Failure: Error {
    package var code: CInt
  }

  package static func finalize(_ statement: SQLiteStatement) {
    sqlite3_finalize(statement)
  }

  package static func clearBindings(_ statement: SQLiteStatement) {
    sqlite3_clear_bindings(statement)
  }

  package static func isReadonly(_ statement: SQLiteStatement) -> Bool {
    sqlite3_stmt_readonly(statement) != 0
  }

  package static func isBusy(_ statement: SQLiteStatement) -> Bool {
    sqlite3_stmt_busy(statement) != 0
  }

  package static func reprepareCount(_ statement: SQLiteStatement) -> CInt {
    coffer_reprepare_count(statement)
  }

  package static func columnCount(_ statement: SQLiteStatement) -> Int {
    Int(sqlite3_column_count(statement))
  }

  package static func columnName(_ statement: SQLiteStatement, _ index: Int) -> String {
    String(cString: sqlite3_column_name(statement, CInt(index)))
  }

  /// Returns the declared type of the column in its table; nil if it has none, and for expressions.
  package static func columnDeclaredType(_ statement: SQLiteStatement, _ index: Int) -> String? {
    sqlite3_column_decltype(statement, CInt(index)).map { String(cString: $0) }
  }

  /// Returns whether the column's name consists of the same bytes.
  package static func columnName(
    _ statement: SQLiteStatement, _ index: Int, isEqualTo name: String
  ) -> Bool {
    guard let columnName = sqlite3_column_name(statement, CInt(index)) else { return false }
    return name.withCString { strcmp($0, columnName) == 0 }
  }

  package static func parameterCount(_ statement: SQLiteStatement) -> Int {
    Int(sqlite3_bind_parameter_count(statement))
  }

  /// Returns the name of the 1-based parameter without its first character; nil for `?`.
  static func parameterName(_ statement: SQLiteStatement, _ index: Int) -> String? {
    guard let name = sqlite3_bind_parameter_name(statement, CInt(index)) else { return nil }
    return String(cString: name + 1)
  }

  static func bindArray(
    _ array: UnsafeMutableRawPointer?, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    coffer_bind_array(statement, index, array)
  }

  /// Returns the SQL with the bound values inserted, or nil if memory or limits don't allow it.
  static func expandedSQL(_ statement: SQLiteStatement) -> String? {
    guard let text = sqlite3_expanded_sql(statement) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  package static func sql(_ statement: SQLiteStatement) -> String {
    sqlite3_sql(statement).map { String(cString: $0) } ?? ""
  }

  /// Returns the connection of a statement.
  package static func connection(_ statement: SQLiteStatement) -> SQLiteConnection? {
    sqlite3_db_handle(statement)
  }
}
