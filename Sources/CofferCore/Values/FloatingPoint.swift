// For CGFloat, which FoundationEssentials lacks.
import CofferVault
import Foundation

// SQLite stores reals unchanged, except NaN, which becomes NULL. A Float is stored as a Double.

extension Double: DatabaseValueConvertible, StatementColumnConvertible {}
extension Float: DatabaseValueConvertible, StatementColumnConvertible {}
extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {}

// Constrained to Codable to be preferred over the `databaseValue` of Codable types.
extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Encodable {
  /// The number as a real.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

  /// Binds the number as a real; NaN becomes NULL.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.bind(Double(self), to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Decodable {
  /// Returns the real or integer, rounded to the type's precision; nil for other values.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let value): Self(value)
    case .double(let value): Self(value)
    default: nil
    }
  }
}

extension StatementColumnConvertible where Self: BinaryFloatingPoint {
  /// Creates a number from the column, converted to a real by SQLite.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(SQLite.columnDouble(sqliteStatement, index))
  }

  /// Returns the column, converted to a real by SQLite; nil for NULL.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    let value = SQLite.columnDouble(sqliteStatement, index)
    if value == 0, SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return Self(value)
  }
}
