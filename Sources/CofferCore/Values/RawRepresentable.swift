// A type with a raw value is stored as its raw value, even if it is Codable.
import CofferVault

extension DatabaseValueConvertible
where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value's database value.
  @inlinable
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// Returns the value for the stored raw value; nil if there is none.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }

  /// Binds the raw value.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & Encodable, RawValue: DatabaseValueConvertible {
  /// The raw value's database value.
  @inlinable
  public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & Decodable, RawValue: DatabaseValueConvertible {
  /// Returns the value for the stored raw value; nil if there is none.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }
}

extension StatementColumnConvertible
where Self: RawRepresentable, RawValue: StatementColumnConvertible {
  /// Creates a value from the column's raw value; nil if there is none.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else {
      return nil
    }
    self.init(rawValue: rawValue)
  }

  /// Returns the value for the column's raw value; nil if there is none.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    RawValue.fromStatement(sqliteStatement, atUncheckedIndex: index)
      .flatMap(Self.init(rawValue:))
  }
}

extension DatabaseValueConvertible
where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// An argument of one value.
  @inlinable
  public var statementArgument: StatementArgument { StatementArgument(databaseValue) }
}

// For types that represent SQL other than a value, such as column names.

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
  /// The raw value's argument.
  @inlinable
  public var statementArgument: StatementArgument { rawValue.statementArgument }

  /// Binds the raw value.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The raw value's expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
  /// The raw value's selection.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
  /// The raw value's ordering.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLSpecificExpressible
where Self: RawRepresentable, RawValue: SQLSpecificExpressible {
  /// The raw value's selection.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }

  /// The raw value's ordering.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}
