import FoundationEssentials

/// What can be bound to a statement's parameters, and stand in ``StatementArguments``.
///
/// `DatabaseValueConvertible` types have it for free. Collections of them have
/// it too, as array arguments: see ``StatementArguments``.
public protocol StatementBinding {
  /// The argument to bind.
  var statementArgument: StatementArgument { get }

  /// Binds the value to the 1-based parameter.
  /// - Returns: SQLite's result code.
  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

/// A type that converts to and from a database value.
///
/// An enum or struct with a raw value needs no more than the conformance, and
/// is stored as its raw value. So does a `Codable` type: it is stored as the one
/// value that it encodes, or else as JSON text.
///
/// A generic type is stored if its values are:
///
/// ```swift
/// struct Box<Value> { var value: Value }
/// extension Box: SQLExpressible where Value: DatabaseValueConvertible {}
/// extension Box: StatementBinding where Value: DatabaseValueConvertible {}
/// extension Box: DatabaseValueConvertible where Value: DatabaseValueConvertible {
///   var databaseValue: DatabaseValue { value.databaseValue }
///   static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Box? {
///     Value.fromDatabaseValue(dbValue).map { Box(value: $0) }
///   }
/// }
/// ```
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
  /// The type itself; of an optional, the type that it wraps.
  ///
  /// Not to be implemented: operators on typed columns take all types with the same one.
  associatedtype _Base: DatabaseValueConvertible = Self

  /// The value to store.
  var databaseValue: DatabaseValue { get }

  /// The value that a stored one stands for, or nil where it stands for none.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

  /// The value of a statement's 0-based column, NULL or not, by the fastest way that the type has;
  /// nil where it can't be converted.
  ///
  /// Not to be implemented: it is `fromStatement(_:atUncheckedIndex:)` where there is that, found
  /// at compile time.
  static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self?

  /// The value of a column that the row doesn't have, or nil where there is
  /// none; `Optional` answers `.some(nil)`.
  static func fromMissingColumn() -> Self?

  /// The decoder for the JSON of a `Decodable` type.
  static func databaseJSONDecoder() -> JSONDecoder

  /// The encoder for the JSON of an `Encodable` type.
  static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
  /// Answers nil: a missing column is an error.
  @inlinable
  public static func fromMissingColumn() -> Self? { nil }

  /// The value by way of ``DatabaseValue``.
  @inlinable
  public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
    fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
  }

  /// Binds ``databaseValue``.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// The value, read straight from the statement.
  @inlinable
  public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
    fromStatement(sqliteStatement, atUncheckedIndex: index)
  }
}

/// A type that can be read straight from a statement's current row, which
/// spares the detour through ``DatabaseValue``.
public protocol StatementColumnConvertible {
  /// The value of the 0-based column, whose value is not NULL; nil where it
  /// can't be converted.
  init?(sqliteStatement: SQLiteStatement, index: CInt)

  /// The value of the 0-based column, NULL or not; nil where it is NULL or
  /// can't be converted (`Optional` answers `.some(nil)` for NULL).
  ///
  /// The index is not checked.
  static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self?
}

extension StatementColumnConvertible {
  /// Tests for NULL, then calls ``init(sqliteStatement:index:)``.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    if SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return Self(sqliteStatement: sqliteStatement, index: index)
  }
}
