import CofferCore

// Wrappers are stored and read in the form of their value, which is faster than `Codable`.

extension DatabaseValueConvertible
where Self: ConfigurationAnnotation, Self.Value: DatabaseValueConvertible {
  /// The database value of the wrapped value.
  @inlinable
  public var databaseValue: DatabaseValue { wrappedValue.databaseValue }

  /// Binds the wrapped value.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    wrappedValue.bind(to: sqliteStatement, at: index)
  }

  /// Wraps the value decoded from a database value.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Value.fromDatabaseValue(dbValue).map(Self.init(wrappedValue:))
  }

  /// Wraps the value of the column.
  @inlinable
  @safe public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
    Value._value(of: sqliteStatement, at: index).map(Self.init(wrappedValue:))
  }

  /// Wraps the value that the value's type has for a missing column.
  @inlinable
  public static func fromMissingColumn() -> Self? {
    Value.fromMissingColumn().map(Self.init(wrappedValue:))
  }
}

extension StatementColumnConvertible
where Self: ConfigurationAnnotation, Self.Value: StatementColumnConvertible {
  /// Wraps the value of the column, which isn't NULL.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Value(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self.init(wrappedValue: value)
  }

  /// Wraps the value of the column.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    Value.fromStatement(sqliteStatement, atUncheckedIndex: index).map(Self.init(wrappedValue:))
  }
}
