import FoundationEssentials

extension String: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

  /// The text, or a blob that is UTF-8; nil for everything else.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
    switch dbValue.storage {
    case .string(let value): value
    case .blob(let value): String(validating: value, as: UTF8.self)
    default: nil
    }
  }

  /// The column as SQLite converts it to text, NULs in it included; bytes that
  /// are not UTF-8 become U+FFFD.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(decoding: SQLite.columnText(sqliteStatement, index), as: UTF8.self)
  }

  /// The column as SQLite converts it to text, NULs in it included; bytes that
  /// are not UTF-8 become U+FFFD. Nil for NULL.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> String? {
    let utf8 = SQLite.columnText(sqliteStatement, index)
    guard utf8.baseAddress != nil else {
      // NULL, an empty blob, or text for which there was no memory.
      let isEmpty =
        !SQLite.columnIsNull(sqliteStatement, index)
        && SQLite.columnBlob(sqliteStatement, index).isEmpty
      return isEmpty ? "" : nil
    }
    return String(decoding: utf8, as: UTF8.self)
  }

  /// Binds the text, NULs in it included.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.bind(self, to: sqliteStatement, at: index)
  }
}
