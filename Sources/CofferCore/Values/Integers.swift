// Integers are stored unchanged. From a DatabaseValue, integers and reals convert; reals lose their
// fraction, and values out of the type's range give nil. From a statement, SQLite's conversions
// also apply to text and blobs: "12 apples" is 12, "apples" is 0.
import CofferVault

extension Int: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {}

extension FixedWidthInteger {
  /// Creates an integer from the integer part of a real; nil if it is out of range.
  @inlinable
  package init?(truncatingReal real: Double) {
    guard real >= -0x1p63, real < 0x1p63 else { return nil }
    self.init(exactly: Int64(real))
  }
}

// Constrained to Codable to be preferred over the `databaseValue` of Codable types.
extension DatabaseValueConvertible where Self: FixedWidthInteger & Encodable {
  /// The integer.
  /// - Precondition: It is not above `Int64.max`, SQLite's largest integer.
  @inlinable
  public var databaseValue: DatabaseValue {
    guard let value = Int64(exactly: self) else {
      preconditionFailure("SQLite can't store \(self): its largest integer is \(Int64.max)")
    }
    return DatabaseValue(storage: .int64(value))
  }

  /// Binds the integer; above `Int64.max`, returns ``ResultCode/SQLITE_MISMATCH``.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard let value = Int64(exactly: self) else { return SQLite.mismatch }
    return SQLite.bind(value, to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: FixedWidthInteger & Decodable {
  /// Returns the integer, or the integer part of a real.
  ///
  /// Nil for other values and out of the type's range.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let value): Self(exactly: value)
    case .double(let value): Self(truncatingReal: value)
    default: nil
    }
  }
}

extension StatementColumnConvertible where Self: FixedWidthInteger {
  /// Creates an integer from the column, converted by SQLite; nil if it is out of range.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
      return nil
    }
    self = value
  }

  /// Returns the column, converted to an integer by SQLite.
  ///
  /// Nil for NULL and out of the type's range.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    let value = SQLite.columnInt64(sqliteStatement, index)
    // Reading the type costs another call. It matters only if 0 may mean NULL, or if an extreme
    // value may be a real out of range.
    if value == 0 || value == .max || value == .min {
      return fromAmbiguous(value, sqliteStatement, index)
    }
    return Self(exactly: value)
  }

  @inlinable @inline(never)
  @safe static func fromAmbiguous(
    _ value: Int64, _ sqliteStatement: SQLiteStatement, _ index: CInt
  ) -> Self? {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.nullType: nil
    case SQLite.floatType: Self(truncatingReal: SQLite.columnDouble(sqliteStatement, index))
    default: Self(exactly: value)
    }
  }
}
