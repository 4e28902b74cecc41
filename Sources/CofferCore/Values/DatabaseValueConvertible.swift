import CofferVault
import FoundationEssentials

/// A type that can be bound to a statement's parameters and used in ``StatementArguments``.
///
/// `DatabaseValueConvertible` types conform. So do collections of them, as array arguments: see
/// ``StatementArguments``.
public protocol StatementBinding {
  /// The argument to bind.
  var statementArgument: StatementArgument { get }

  /// Binds the value to the 1-based parameter.
  /// - Returns: SQLite's result code.
  @safe func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

/// A type that converts to and from a database value.
///
/// An enum or struct with a raw value only needs the conformance, and is stored as its raw value. A
/// `Codable` type only needs it too, and is stored as the single value that it encodes, or else as
/// JSON text.
///
/// A generic type can conform if its values do:
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

  /// Converts a database value; returns nil if that is impossible.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

  /// Returns the value of a statement's 0-based column, which can be NULL.
  ///
  /// Nil if it can't be converted. Don't implement it: the compiler chooses
  /// `fromStatement(_:atUncheckedIndex:)` for types that have it.
  @safe static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self?

  /// Returns the value for a column that is missing in the row.
  ///
  /// Nil for an error; `Optional` returns `.some(nil)`.
  static func fromMissingColumn() -> Self?

  /// Returns the decoder for the JSON of a `Decodable` type.
  static func databaseJSONDecoder() -> JSONDecoder

  /// Returns the encoder for the JSON of an `Encodable` type.
  static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
  /// Returns nil: a missing column is an error.
  @inlinable
  public static func fromMissingColumn() -> Self? { nil }

  /// Returns the value, converted from a ``DatabaseValue``.
  @inlinable
  @safe public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
    fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
  }

  /// Binds ``databaseValue``.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// Returns the value, read directly from the statement.
  @inlinable
  @safe public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
    fromStatement(sqliteStatement, atUncheckedIndex: index)
  }
}

/// A type that can be read directly from a statement's current row, without a ``DatabaseValue``.
public protocol StatementColumnConvertible {
  /// Creates a value from the 0-based column, which is not NULL; nil if it can't be converted.
  @safe init?(sqliteStatement: SQLiteStatement, index: CInt)

  /// Returns the value of the 0-based column.
  ///
  /// Nil if it can't be converted or is NULL (`.some(nil)` from `Optional`). The index is not
  /// checked.
  @safe static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self?
}

extension StatementColumnConvertible {
  /// Returns nil for NULL, or else calls ``init(sqliteStatement:index:)``.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    if SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return Self(sqliteStatement: sqliteStatement, index: index)
  }
}
