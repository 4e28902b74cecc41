import CSQLCipher
import Glibc

extension SQLite {
  /// The result of compiling the first statement of a text.
  @safe package struct Prepared {
    /// Nil if the text contains only blanks and comments.
    @safe package var statement: SQLiteStatement?
    /// The number of bytes that the statement occupies in the text.
    package var byteCount: Int
  }

  /// Compiles the first statement of NUL-terminated UTF-8.
  ///
  /// - Parameter utf8: The text; its terminating NUL follows the buffer.
  /// - Throws: SQLite's code, as `Failure`.
  @safe package static func prepare(
    _ utf8: UnsafeBufferPointer<UInt8>, in connection: SQLiteConnection, isPersistent: Bool
  ) throws(Failure) -> Prepared {
    guard let start = utf8.baseAddress else { return unsafe Prepared(statement: nil, byteCount: 0) }
    guard let byteCount = CInt(exactly: utf8.count + 1) else {
      throw Failure(code: SQLITE_TOOBIG)
    }
    var statement: SQLiteStatement?
    var tail: UnsafePointer<CChar>?
    let text = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    // SAFETY: `byteCount` includes the terminating NUL, which spares SQLite a copy.
    let code = unsafe coffer_prepare(
      connection, text, byteCount, isPersistent ? 1 : 0, &statement, &tail)
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return unsafe Prepared(
      statement: statement, byteCount: tail.map { unsafe $0 - text } ?? utf8.count)
  }

  /// Compiles the library's SQL.
  @safe package static func prepare(
    _ sql: String, in connection: SQLiteConnection, isPersistent: Bool = false
  ) throws(Failure) -> SQLiteStatement {
    var statement: SQLiteStatement?
    let code = unsafe coffer_prepare(connection, sql, -1, isPersistent ? 1 : 0, &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw Failure(code: code) }
    return unsafe statement
  }

  /// A result code other than success.
  package struct Failure: Error {
    package var code: CInt

    package init(code: CInt) { self.code = code }
  }

  @inlinable
  @safe package static func finalize(_ statement: SQLiteStatement) {
    unsafe sqlite3_finalize(statement)
  }

  @inlinable
  @safe package static func clearBindings(_ statement: SQLiteStatement) {
    unsafe sqlite3_clear_bindings(statement)
  }

  @inlinable
  @safe package static func isReadonly(_ statement: SQLiteStatement) -> Bool {
    unsafe sqlite3_stmt_readonly(statement) != 0
  }

  @inlinable
  @safe package static func isBusy(_ statement: SQLiteStatement) -> Bool {
    unsafe sqlite3_stmt_busy(statement) != 0
  }

  @inlinable
  @safe package static func reprepareCount(_ statement: SQLiteStatement) -> CInt {
    unsafe coffer_reprepare_count(statement)
  }

  @inlinable
  @safe package static func columnCount(_ statement: SQLiteStatement) -> Int {
    unsafe Int(sqlite3_column_count(statement))
  }

  @safe package static func columnName(_ statement: SQLiteStatement, _ index: Int) -> String {
    // An old SQLite returns no name if memory has run out before, and forgets that it has.
    let name =
      unsafe sqlite3_column_name(statement, CInt(index))
      ?? sqlite3_column_name(statement, CInt(index))
    return unsafe name.map { unsafe String(cString: $0) } ?? ""
  }

  /// Returns the declared type of the column in its table; nil if it has none, and for expressions.
  @inlinable
  @safe package static func columnDeclaredType(_ statement: SQLiteStatement, _ index: Int)
    -> String?
  {
    unsafe sqlite3_column_decltype(statement, CInt(index)).map { unsafe String(cString: $0) }
  }

  /// Returns whether the column's name consists of the same bytes.
  @safe package static func columnName(
    _ statement: SQLiteStatement, _ index: Int, isEqualTo name: String
  ) -> Bool {
    guard let columnName = unsafe sqlite3_column_name(statement, CInt(index)) else { return false }
    return unsafe name.withCString { unsafe strcmp($0, columnName) == 0 }
  }

  @inlinable
  @safe package static func parameterCount(_ statement: SQLiteStatement) -> Int {
    unsafe Int(sqlite3_bind_parameter_count(statement))
  }

  /// Returns the name of the 1-based parameter without its first character; nil for `?`.
  @safe package static func parameterName(_ statement: SQLiteStatement, _ index: Int) -> String? {
    guard let name = unsafe sqlite3_bind_parameter_name(statement, CInt(index)) else { return nil }
    return unsafe String(cString: name + 1)
  }

  @inlinable
  @safe package static func bindArray(
    _ array: UnsafeMutableRawPointer?, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    unsafe coffer_bind_array(statement, index, array)
  }

  /// Returns the SQL with the bound values inserted, or nil if memory or limits don't allow it.
  @safe package static func expandedSQL(_ statement: SQLiteStatement) -> String? {
    guard let text = unsafe sqlite3_expanded_sql(statement) else { return nil }
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  @inlinable
  @safe package static func sql(_ statement: SQLiteStatement) -> String {
    unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? ""
  }

  /// Returns the connection of a statement.
  @inlinable
  @safe package static func connection(_ statement: SQLiteStatement) -> SQLiteConnection? {
    unsafe sqlite3_db_handle(statement)
  }
}
