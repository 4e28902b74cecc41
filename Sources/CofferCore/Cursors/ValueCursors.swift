import CofferVault

/// A cursor over the values in the first column of a statement.
///
/// Types that conform to ``StatementColumnConvertible`` are read directly from the statement.
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
  /// A value.
  public typealias Element = Value

  /// The execution that the cursor steps.
  public let _execution: StatementExecution
  @safe @exclusivity(unchecked) @usableFromInline private(set) var column: CInt

  @usableFromInline
  init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
    _execution = StatementExecution(statement)
    column = CInt(try statement.firstColumn(adapter))
    _execution.whenColumnsChange(adapter) { [unowned self] _ in
      column = CInt(try statement.firstColumn(adapter))
    }
  }

  /// Returns the current row's value.
  @inlinable @inline(__always)
  public func _element() throws -> Value {
    if let handle = _execution.core.pointee.handle {
      let value = _execution.core.pointee.direct(Value.self, in: column)
      if let value = value ?? Value._value(of: handle, at: column) { return value }
    }
    throw _execution.statement.mismatch(Value.self, column: Int(column))
  }

  /// Returns the next value, or nil at the end.
  @inlinable
  public func next() throws -> Value? {
    guard try _execution.advance() else { return nil }
    return try _element()
  }
}

/// A cursor over values that are read directly from the statement, under GRDB's name.
public typealias FastDatabaseValueCursor<
  Value: DatabaseValueConvertible & StatementColumnConvertible
> = DatabaseValueCursor<Value>

extension Statement {
  /// Returns the 0-based index of the column that a cursor of values reads.
  ///
  /// A statement without columns has no rows, so that none of its columns is read.
  @usableFromInline
  package func firstColumn(_ adapter: (any RowAdapter)?) throws -> Int {
    if let adaptation = try adaptation(of: adapter) {
      if let column = adaptation.baseIndices.first { return column }
    } else {
      return 0
    }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "the statement gives no column", sql: sql)
  }

  /// Returns the error for a value that can't be converted.
  @usableFromInline
  package func mismatch(_ type: Any.Type, column: Int) -> any Error {
    guard let handle else { return DatabaseError.connectionIsClosed }
    if let memoryError { return memoryError }
    let name = column < layout.count ? layout.columnNames[column] : nil
    return RowDecodingError.valueMismatch(
      type,
      context: RowDecodingContext(
        columnName: name, columnIndex: column, sql: sql, arguments: arguments,
        publicStatementArguments: database.configuration.publicStatementArguments),
      databaseValue: DatabaseValue(sqliteStatement: handle, index: CInt(column)))
  }
}
