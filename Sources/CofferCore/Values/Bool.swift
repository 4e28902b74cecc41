import CofferVault

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
  /// The integer 1 or 0.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

  /// Returns whether an integer or real differs from 0; nil for other values.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
    switch dbValue.storage {
    case .int64(let value): value != 0
    case .double(let value): value != 0
    default: nil
    }
  }

  /// Creates a Bool: whether the column, converted to a number by SQLite, differs from 0.
  @inlinable
  @safe public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self =
      SQLite.columnInt64(sqliteStatement, index) != 0
      || SQLite.columnDouble(sqliteStatement, index) != 0
  }

  /// Returns whether the column, converted to a number by SQLite, differs from 0; nil for NULL.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Bool? {
    if SQLite.columnInt64(sqliteStatement, index) != 0 { return true }
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.nullType: return nil
    case SQLite.integerType: return false
    // 0.5 converts to the integer 0, but is true.
    default: return SQLite.columnDouble(sqliteStatement, index) != 0
    }
  }

  /// Binds the integer 1 or 0.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.bind(self ? 1 : 0 as Int64, to: sqliteStatement, at: index)
  }
}
