import CofferVault
import FoundationEssentials

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
  /// The 16 bytes, as a blob.
  public var databaseValue: DatabaseValue {
    unsafe DatabaseValue(storage: .blob(withUnsafeBytes(of: uuid) { unsafe Data($0) }))
  }

  /// Returns the UUID of a blob of 16 bytes, or of a text; nil for other values.
  ///
  /// A text has the form `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
    switch dbValue.storage {
    case .blob(let value): unsafe value.withUnsafeBytes { UUID(bytes: $0) }
    case .string(let value): UUID(uuidString: value)
    default: nil
    }
  }

  /// Creates a UUID from the column's text or blob of 16 bytes; nil for other values.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
      return nil
    }
    self = value
  }

  /// Returns the UUID of the column's text or blob of 16 bytes; nil for other values.
  @inlinable
  @safe public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> UUID? {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.blobType:
      UUID(bytes: SQLite.columnBlob(sqliteStatement, index))
    case SQLite.textType:
      UUID(uuidString: String(sqliteStatement: sqliteStatement, index: index))
    default:
      nil
    }
  }

  /// Binds the 16 bytes, as a blob.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    unsafe withUnsafeBytes(of: uuid) { SQLite.bind($0, to: sqliteStatement, at: index) }
  }

  @inlinable
  @safe init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    unsafe self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}
