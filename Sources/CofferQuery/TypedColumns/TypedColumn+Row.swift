import CofferCore

extension Row {
  /// Returns the value of a column.
  ///
  /// Traps if the row has no such column, if the value can't be converted, or if it is NULL and
  /// `Value` is not optional.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
    self[column.name]
  }

  /// Returns the value of a column.
  ///
  /// - Throws: `RowDecodingError` if the row has no such column, if the value can't be converted,
  ///   or if it is NULL and `Value` is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ column: TypedColumn<Value>
  ) throws -> Value {
    try decode(Value.self, forColumn: column.name)
  }
}
