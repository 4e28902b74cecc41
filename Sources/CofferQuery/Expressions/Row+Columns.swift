import CofferCore
import Foundation

// Each member forwards to the member that takes a column name.

extension Row {
  // MARK: Values

  /// Returns the stored value of a column.
  ///
  /// Nil for NULL, and if the row has no such column.
  @inlinable
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    self[column.name]
  }

  /// Returns the value of a column.
  ///
  /// Traps if the row has no such column, if the value can't be converted, or if it is NULL and
  /// `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
    self[column.name]
  }

  /// Returns the value of a column.
  ///
  /// - Throws: `RowDecodingError` if the row has no such column, if the value can't be converted,
  ///   or if it is NULL and `Value` is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, forColumn: column.name)
  }

  /// Returns the first non-NULL value of several columns.
  ///
  /// Columns that the row doesn't have are skipped.
  @_disfavoredOverload
  public func coalesce<T: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> T? {
    coalesce(columns.map(\.name))
  }

  // MARK: Bytes without copying

  /// Calls `body` with the bytes of a column, without copying them.
  ///
  /// The data is valid only during the call. It is nil for NULL, and if the row has no such column.
  public func withUnsafeData<Result>(
    at column: some ColumnExpression, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(named: column.name, body)
  }

  /// Returns a copy of the bytes of a column, like the subscript.
  @available(*, deprecated, message: "Use withUnsafeData(at:_:), which copies nothing.")
  public func dataNoCopy(_ column: some ColumnExpression) -> Data? { self[column.name] }
}
