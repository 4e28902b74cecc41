import CofferCore

/// Reads the columns of a mapping in one row.
@safe public struct FieldReader {
  /// The core of the statement to read from; nil if the row is a copy.
  @safe @usableFromInline let core: UnsafeMutablePointer<StatementCore>?
  /// SQLite's handle of the statement.
  @safe @usableFromInline let handle: SQLiteStatement?
  /// The index of each of the mapping's columns, in the statement or in the copy.
  @safe @usableFromInline let indices: UnsafeMutablePointer<CInt>
  // SAFETY: a reader doesn't outlive the call that was passed the row.
  @safe @usableFromInline unowned(unsafe) let row: Row

  @inlinable @inline(__always)
  @safe init(row: Row, indices: UnsafeMutablePointer<CInt>) {
    self.row = row
    self.indices = unsafe indices
    core = row.core
    handle = core?.pointee.handle
  }

  /// Returns the value of one of the mapping's columns.
  ///
  /// - Throws: `RowDecodingError` if it can't be converted.
  @inlinable @inline(__always)
  public func value<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, at column: Int
  ) throws -> Value {
    if let handle {
      if let core, let value = unsafe core.pointee.direct(Value.self, in: indices[column]) {
        return value
      }
      if let value = Value._value(of: handle, at: indices[column]) { return value }
    }
    return try slowValue(type, at: column)
  }

  @usableFromInline @inline(never)
  func slowValue<Value: DatabaseValueConvertible>(
    _ type: Value.Type, at column: Int
  ) throws -> Value {
    let stored = databaseValue(at: column)
    if unsafe handle == nil, let value = Value.fromDatabaseValue(stored) { return value }
    throw mismatch(type, at: column)
  }

  /// Returns the stored value of one of the mapping's columns.
  public func databaseValue(at column: Int) -> DatabaseValue {
    if let handle { return DatabaseValue(sqliteStatement: handle, index: indices[column]) }
    return row.databaseValue(at: Int(indices[column]))
  }

  /// Returns whether one of the mapping's columns is NULL.
  public func isNull(at column: Int) -> Bool {
    if let handle { return SQLite.columnIsNull(handle, indices[column]) }
    return databaseValue(at: column).isNull
  }

  /// Returns the error of a value that can't be converted to the type.
  func mismatch(_ type: Any.Type, at column: Int) -> RowDecodingError {
    let name = unsafe handle.map { SQLite.columnName($0, Int(indices[column])) }
    var context = RowDecodingContext(
      columnName: name ?? row.layout.columnNames[Int(indices[column])], sql: row.statement?.sql)
    context.columnIndex = Int(indices[column])
    return .valueMismatch(type, context: context, databaseValue: databaseValue(at: column))
  }
}

/// A reader is valid only as long as its row.
@available(*, unavailable)
extension FieldReader: Sendable {}
