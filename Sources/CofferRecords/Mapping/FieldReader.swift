import CofferCore

/// The columns of a mapping in one row.
public struct FieldReader {
  /// The statement to read from; nil for rows that are copies.
  @usableFromInline let handle: SQLiteStatement?
  /// Where each column of the mapping is: in the statement, or in the copy.
  @usableFromInline let indices: UnsafeMutablePointer<CInt>
  // SAFETY: the reader is used by a function that was given the row.
  @usableFromInline unowned(unsafe) let row: Row

  @inlinable @inline(__always)
  init(row: Row, indices: UnsafeMutablePointer<CInt>) {
    self.row = row
    self.indices = indices
    handle = if let live = row.live { live.pointee.handle } else { row.adaptedHandle }
  }

  /// The value of the mapping's column.
  ///
  /// - Throws: `RowDecodingError` where it doesn't convert.
  @inlinable @inline(__always)
  public func value<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, at column: Int
  ) throws -> Value {
    if let handle, let value = Value._value(of: handle, at: indices[column]) { return value }
    return try slowValue(type, at: column)
  }

  @usableFromInline @inline(never)
  func slowValue<Value: DatabaseValueConvertible>(
    _ type: Value.Type, at column: Int
  ) throws -> Value {
    let stored = databaseValue(at: column)
    if handle == nil, let value = Value.fromDatabaseValue(stored) { return value }
    throw mismatch(type, at: column)
  }

  /// The stored value of the mapping's column.
  public func databaseValue(at column: Int) -> DatabaseValue {
    if let handle { return DatabaseValue(sqliteStatement: handle, index: indices[column]) }
    return row.databaseValue(at: Int(indices[column]))
  }

  /// Whether the value of the mapping's column is NULL.
  public func isNull(at column: Int) -> Bool {
    if let handle { return SQLite.columnIsNull(handle, indices[column]) }
    return databaseValue(at: column).isNull
  }

  /// The error of a value that doesn't convert to the type.
  func mismatch(_ type: Any.Type, at column: Int) -> RowDecodingError {
    let name = handle.map { SQLite.columnName($0, Int(indices[column])) }
    var context = RowDecodingContext(
      columnName: name ?? row.layout.columnNames[Int(indices[column])], sql: row.statement?.sql)
    context.columnIndex = Int(indices[column])
    return .valueMismatch(type, context: context, databaseValue: databaseValue(at: column))
  }
}

/// It is valid while its row is.
@available(*, unavailable)
extension FieldReader: Sendable {}

extension Row {
  /// The statement behind an adapter; nil for a copy.
  @usableFromInline @inline(never)
  var adaptedHandle: SQLiteStatement? { adaptation == nil ? nil : statement?.handle }
}
