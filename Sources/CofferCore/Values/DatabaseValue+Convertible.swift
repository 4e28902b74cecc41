import CofferVault
import FoundationEssentials

extension DatabaseValue: DatabaseValueConvertible, StatementColumnConvertible {
  /// This value.
  @inlinable
  public var databaseValue: DatabaseValue { self }

  /// Returns the value, which can be NULL.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

  /// Returns the column's value, which can be NULL; never nil.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> DatabaseValue? {
    DatabaseValue(sqliteStatement: sqliteStatement, index: index)
  }

  /// Binds the value to the 1-based parameter.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch storage {
    case .null: SQLite.bindNull(sqliteStatement, index)
    case .int64(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .double(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .string(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .blob(let value):
      unsafe value.withUnsafeBytes { SQLite.bind($0, to: sqliteStatement, at: index) }
    }
  }
}

extension DatabaseValue {
  /// Creates a database value from a value of any type; nil if it isn't `DatabaseValueConvertible`.
  public init?(value: Any) {
    guard let value = value as? any DatabaseValueConvertible else { return nil }
    self = value.databaseValue
  }
}

extension DatabaseValue.Storage {
  /// The value as `Int64`, `Double`, `String` or `Data`; nil for NULL.
  public var value: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .int64(let value): value
    case .double(let value): value
    case .string(let value): value
    case .blob(let value): value
    }
  }
}
