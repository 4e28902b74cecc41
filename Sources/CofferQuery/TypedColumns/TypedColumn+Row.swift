import CofferCore

extension Row {
  /// The value of a column.
  ///
  /// Traps where there is no such column, or where its value is NULL or can't be
  /// converted, and the column is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
    self[column.name]
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` where there is no such column, or where its value
  ///   is NULL or can't be converted, and the column is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ column: TypedColumn<Value>
  ) throws -> Value {
    try decode(Value.self, forColumn: column.name)
  }
}
