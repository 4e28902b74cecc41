import CofferVault
import FoundationEssentials

/// An `Optional` of any type.
package protocol AnyOptional {
  static var wrappedType: any Any.Type { get }
  static var none: Self { get }
  /// The wrapped value.
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  package static var wrappedType: any Any.Type { Wrapped.self }
  package var wrapped: Any? { self }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
  /// The value as an argument, or NULL for nil.
  @inlinable
  public var statementArgument: StatementArgument { self?.statementArgument ?? .null }

  /// Binds the value, or NULL for nil.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch self {
    case .none: SQLite.bindNull(sqliteStatement, index)
    case .some(let value): value.bind(to: sqliteStatement, at: index)
    }
  }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The wrapped type.
  public typealias _Base = Wrapped._Base

  /// The value's database value, or NULL for nil.
  @inlinable
  public var databaseValue: DatabaseValue {
    switch self {
    case .none: .null
    case .some(let value): value.databaseValue
    }
  }

  /// Returns the converted value, `.some(nil)` for NULL, or nil if the value can't be converted.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
    if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(value) }
    return dbValue.isNull ? .some(.none) : .none
  }

  /// Returns the converted value, `.some(nil)` for NULL, or nil if the value can't be converted.
  @inlinable
  @safe public static func _value(of sqliteStatement: SQLiteStatement, at index: CInt) -> Wrapped??
  {
    if let value = Wrapped._value(of: sqliteStatement, at: index) { return .some(value) }
    return SQLite.columnIsNull(sqliteStatement, index) ? .some(.none) : .none
  }

  /// Returns `.some(nil)`: a missing column is nil.
  @inlinable
  public static func fromMissingColumn() -> Wrapped?? { .some(.none) }

  /// Returns the wrapped type's decoder.
  public static func databaseJSONDecoder() -> JSONDecoder { Wrapped.databaseJSONDecoder() }

  /// Returns the wrapped type's encoder.
  public static func databaseJSONEncoder() -> JSONEncoder { Wrapped.databaseJSONEncoder() }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
  /// Creates a value from the column, which is not NULL.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self = .some(value)
  }

  /// Returns the converted value, `.some(nil)` for NULL, or nil if the value can't be converted.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Wrapped?? {
    if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) {
      return .some(value)
    }
    return SQLite.columnIsNull(sqliteStatement, index) ? .some(.none) : .none
  }
}
