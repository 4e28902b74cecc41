import CSQLCipher

/// A pointer to SQLite's `sqlite3_stmt`.
public typealias SQLiteStatement = OpaquePointer

/// A pointer to SQLite's `sqlite3`, a connection.
public typealias SQLiteConnection = OpaquePointer

/// The C functions of SQLite that Coffer calls, with Swift types.
///
/// Only this folder imports `CSQLCipher`. Everything here inlines to the C call, including in other
/// modules, since cursors and decoding call it for each value.
@usableFromInline
package enum SQLite {
  @inlinable package static var ok: CInt { SQLITE_OK }
  @inlinable package static var row: CInt { SQLITE_ROW }
  @inlinable package static var error: CInt { SQLITE_ERROR }
  @inlinable package static var done: CInt { SQLITE_DONE }
  @inlinable package static var misuse: CInt { SQLITE_MISUSE }
  @inlinable package static var noMemory: CInt { SQLITE_NOMEM }

  /// SQLite's five storage classes, as `sqlite3_column_type` numbers them.
  @inlinable package static var integerType: CInt { SQLITE_INTEGER }
  @inlinable package static var floatType: CInt { SQLITE_FLOAT }
  @inlinable package static var textType: CInt { SQLITE_TEXT }
  @inlinable package static var blobType: CInt { SQLITE_BLOB }
  @inlinable package static var nullType: CInt { SQLITE_NULL }

  // MARK: Stepping

  @inlinable
  @safe package static func step(_ statement: SQLiteStatement) -> CInt {
    unsafe sqlite3_step(statement)
  }

  @inlinable
  @safe package static func reset(_ statement: SQLiteStatement) -> CInt {
    unsafe sqlite3_reset(statement)
  }

  // MARK: Columns of the current row

  @inlinable
  @safe package static func columnType(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
    unsafe sqlite3_column_type(statement, index)
  }

  @inlinable
  @safe package static func columnIsNull(_ statement: SQLiteStatement, _ index: CInt) -> Bool {
    unsafe sqlite3_column_type(statement, index) == SQLITE_NULL
  }

  @inlinable
  @safe package static func columnInt64(_ statement: SQLiteStatement, _ index: CInt) -> Int64 {
    unsafe sqlite3_column_int64(statement, index)
  }

  @inlinable
  @safe package static func columnDouble(_ statement: SQLiteStatement, _ index: CInt) -> Double {
    unsafe sqlite3_column_double(statement, index)
  }

  /// Returns the column's text as UTF-8, empty for NULL; valid until the next step.
  @inlinable
  @safe package static func columnText(
    _ statement: SQLiteStatement, _ index: CInt
  ) -> UnsafeBufferPointer<UInt8> {
    unsafe valueBytes(columnValue(statement, index), isText: true).bindMemory(to: UInt8.self)
  }

  /// Returns the column's bytes, empty for NULL; valid until the next step.
  @inlinable
  @safe package static func columnBlob(
    _ statement: SQLiteStatement, _ index: CInt
  ) -> UnsafeRawBufferPointer {
    valueBytes(columnValue(statement, index), isText: false)
  }

  // MARK: Values of the current row
  //
  // SQLite checks and locks once to return a value, and once for each access to a column. Only one
  // thread at a time may use such a value, which holds: a connection has one access at a time.
  // <https://sqlite.org/c3ref/value.html>

  @inlinable
  @safe package static func columnValue(_ statement: SQLiteStatement, _ index: CInt)
    -> OpaquePointer?
  {
    unsafe sqlite3_column_value(statement, index)
  }

  @inlinable
  @safe package static func valueType(_ value: OpaquePointer?) -> CInt {
    unsafe sqlite3_value_type(value)
  }

  @inlinable
  @safe package static func valueInt64(_ value: OpaquePointer?) -> Int64 {
    unsafe sqlite3_value_int64(value)
  }

  @inlinable
  @safe package static func valueDouble(_ value: OpaquePointer?) -> Double {
    unsafe sqlite3_value_double(value)
  }

  /// Returns the bytes of a text or a blob; valid until the next step.
  @inlinable
  @safe package static func valueBytes(
    _ value: OpaquePointer?, isText: Bool
  ) -> UnsafeRawBufferPointer {
    // SAFETY: reads the bytes before their count: the order that SQLite requires.
    let start =
      unsafe isText ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
    guard let start = unsafe start else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  // MARK: Binding
  //
  // Numbers and NULL are stored in SQLite's memory, where their place is proven.

  @inlinable
  @safe package static func bindNull(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
    ParameterLayout.linked.storeNull(in: statement, at: index)
      ? SQLITE_OK : unsafe sqlite3_bind_null(statement, index)
  }

  @inlinable
  @safe package static func bind(
    _ value: Int64, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    ParameterLayout.linked.store(value, in: statement, at: index)
      ? SQLITE_OK : unsafe sqlite3_bind_int64(statement, index, value)
  }

  /// Binds the number, or NULL for one that isn't a number.
  @inlinable
  @safe package static func bind(
    _ value: Double, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    ParameterLayout.linked.store(value, in: statement, at: index)
      ? SQLITE_OK : unsafe sqlite3_bind_double(statement, index, value)
  }

  /// Binds a copy of the text with its length, so that NULs in it are kept.
  @inlinable
  @safe package static func bind(
    _ value: String, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    var value = value
    return value.withUTF8 { utf8 in
      // SAFETY: an empty buffer can have no address, which SQLite would bind as NULL.
      guard let start = utf8.baseAddress else {
        return unsafe coffer_bind_text_copy(statement, index, "", 0)
      }
      return unsafe start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
        unsafe coffer_bind_text_copy(statement, index, $0, UInt64(utf8.count))
      }
    }
  }

  /// Binds a copy of the bytes; an empty buffer becomes an empty blob, not NULL.
  @inlinable
  @safe package static func bind(
    _ bytes: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    unsafe coffer_bind_blob_copy(statement, index, bytes.baseAddress, UInt64(bytes.count))
  }
}
