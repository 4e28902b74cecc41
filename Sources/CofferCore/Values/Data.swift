import FoundationEssentials

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
  /// The bytes, as a blob.
  @inlinable
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

  /// The blob, or the UTF-8 bytes of a text; nil for everything else.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
    switch dbValue.storage {
    case .blob(let value): value
    case .string(let value): Data(value.utf8)
    default: nil
    }
  }

  /// The column as SQLite converts it to a blob.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(SQLite.columnBlob(sqliteStatement, index))
  }

  /// The column as SQLite converts it to a blob; nil for NULL.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Data? {
    let bytes = SQLite.columnBlob(sqliteStatement, index)
    // An empty blob and NULL look alike.
    if bytes.isEmpty, SQLite.columnIsNull(sqliteStatement, index) { return nil }
    return Data(bytes)
  }

  /// Binds the bytes; no bytes make an empty blob, not NULL.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes { SQLite.bind($0, to: sqliteStatement, at: index) }
  }
}
