import CofferCore
import Foundation

// Columns are known by their names: each member is the one of the name.

extension Row {
  // MARK: Values

  /// The value of a column as it is stored; nil for NULL and where there is no such column.
  @inlinable
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    self[column.name]
  }

  /// The value of a column.
  ///
  /// Traps where there is no such column, or where its value is NULL or can't be converted, and
  /// `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
    self[column.name]
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` where there is no such column, or where its value is NULL or
  ///   can't be converted, and `Value` is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, forColumn: column.name)
  }

  /// The first value that is not NULL among several columns; those that the row doesn't have are
  /// passed over.
  @_disfavoredOverload
  public func coalesce<T: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> T? {
    coalesce(columns.map(\.name))
  }

  // MARK: Bytes without a copy

  /// Lends the bytes of a column to `body` as data; nil for NULL and where there is no such
  /// column.
  ///
  /// A text or a blob is not copied: the data is valid inside `body` only.
  public func withUnsafeData<Result>(
    at column: some ColumnExpression, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(named: column.name, body)
  }

  /// The bytes of a column, as the subscript gives them: copied, so that they stay valid.
  @available(*, deprecated, message: "Use withUnsafeData(at:_:), which copies nothing.")
  public func dataNoCopy(_ column: some ColumnExpression) -> Data? { self[column.name] }
}
