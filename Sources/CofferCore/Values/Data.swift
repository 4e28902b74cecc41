import CofferVault
import FoundationEssentials

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
  /// The bytes, as a blob.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

  /// Returns the blob, or the UTF-8 bytes of a text; nil for other values.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
    switch dbValue.storage {
    case .blob(let value): value
    case .string(let value): Data(value.utf8)
    default: nil
    }
  }

  /// Creates data from the column, converted to a blob by SQLite.
  @inlinable
  @safe public init(sqliteStatement: SQLiteStatement, index: CInt) {
    unsafe self.init(SQLite.columnBlob(sqliteStatement, index))
  }

  /// Returns the column, converted to a blob by SQLite; nil for NULL.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Data? {
    let bytes = SQLite.columnBlob(sqliteStatement, index)
    // SQLite returns a null pointer for an empty blob and for NULL.
    if unsafe bytes.isEmpty, SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return unsafe Data(bytes)
  }

  /// Binds the bytes; empty data is an empty blob, not NULL.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    unsafe withUnsafeBytes { SQLite.bind($0, to: sqliteStatement, at: index) }
  }
}
