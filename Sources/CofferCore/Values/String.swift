import CofferVault
import FoundationEssentials

extension String: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

  /// Returns the text, or a blob that is valid UTF-8; nil for other values.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
    switch dbValue.storage {
    case .string(let value): value
    case .blob(let value): String(validating: value, as: UTF8.self)
    default: nil
    }
  }

  /// Creates a string from the column, converted to text by SQLite, with NULs kept.
  ///
  /// Invalid UTF-8 becomes U+FFFD.
  @inlinable
  @safe public init(sqliteStatement: SQLiteStatement, index: CInt) {
    unsafe self.init(decoding: SQLite.columnText(sqliteStatement, index), as: UTF8.self)
  }

  /// Returns the column, converted to text by SQLite, with NULs kept; nil for NULL.
  ///
  /// Invalid UTF-8 becomes U+FFFD.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> String? {
    let utf8 = SQLite.columnText(sqliteStatement, index)
    guard unsafe utf8.baseAddress != nil else {
      // NULL, an empty blob, or a failed allocation.
      let isEmpty =
        unsafe !SQLite.columnIsNull(sqliteStatement, index)
        && SQLite.columnBlob(sqliteStatement, index).isEmpty
      return isEmpty ? "" : nil
    }
    return unsafe String(decoding: utf8, as: UTF8.self)
  }

  /// Binds the text, with NULs kept.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    SQLite.bind(self, to: sqliteStatement, at: index)
  }
}
