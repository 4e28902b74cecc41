// Integers are stored as they are. Read from a DatabaseValue, integers and reals
// convert, reals losing their fraction; what the type has no room for is nil.
// Read from a statement, SQLite's own conversions apply to text and blobs as
// well: "12 apples" is 12, "apples" is 0.

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
  /// The integer part of a real, or nil where the type has no room for it.
  @inlinable
  package init?(truncatingReal real: Double) {
    guard real >= -0x1p63, real < 0x1p63 else { return nil }
    self.init(exactly: Int64(real))
  }
}

// Codable, since that would otherwise bring its own `databaseValue`.
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

  /// Binds the integer; one above `Int64.max` is refused with
  /// ``ResultCode/SQLITE_MISMATCH``.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard let value = Int64(exactly: self) else { return SQLite.mismatch }
    return SQLite.bind(value, to: sqliteStatement, at: index)
  }
}

extension DatabaseValueConvertible where Self: FixedWidthInteger & Decodable {
  /// The integer, or the integer part of a real; nil for everything else, and
  /// for what the type has no room for.
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
  /// The column as SQLite converts it to an integer; nil where the type has no
  /// room for it.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
      return nil
    }
    self = value
  }

  /// The column as SQLite converts it to an integer; nil for NULL, and where
  /// the type has no room for it.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    let value = SQLite.columnInt64(sqliteStatement, index)
    // The class costs a second call: it matters only where 0 may stand for
    // NULL, or the ends of the range for a real beyond them.
    if value == 0 || value == .max || value == .min {
      return fromAmbiguous(value, sqliteStatement, index)
    }
    return Self(exactly: value)
  }

  @inlinable @inline(never)
  static func fromAmbiguous(
    _ value: Int64, _ sqliteStatement: SQLiteStatement, _ index: CInt
  ) -> Self? {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.nullType: nil
    case SQLite.floatType: Self(truncatingReal: SQLite.columnDouble(sqliteStatement, index))
    default: Self(exactly: value)
    }
  }
}
