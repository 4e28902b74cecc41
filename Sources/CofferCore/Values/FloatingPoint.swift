// FoundationEssentials has no CGFloat.
import Foundation

// Reals are stored as they are; SQLite turns NaN into NULL. A Float is stored as
// the Double of the same value.

extension Double: DatabaseValueConvertible, StatementColumnConvertible {}
extension Float: DatabaseValueConvertible, StatementColumnConvertible {}
extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {}

// Codable, since that would otherwise bring its own `databaseValue`.
extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Encodable {
  /// The number as a real.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

  /// Binds the number as a real; NaN becomes NULL.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.bind(Double(self), to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Decodable {
  /// The real or integer, rounded to the type's precision; nil for everything else.
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
  /// The column as SQLite converts it to a real.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(SQLite.columnDouble(sqliteStatement, index))
  }

  /// The column as SQLite converts it to a real; nil for NULL.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    let value = SQLite.columnDouble(sqliteStatement, index)
    if value == 0, SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return Self(value)
  }
}
