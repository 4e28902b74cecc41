import FoundationEssentials

/// A value stored in the database: NULL, an integer, a real, text or a blob.
///
/// Two values are equal as SQLite compares them: the integer 1 equals the real
/// 1.0, texts are equal when their UTF-8 bytes are, so that "é" in two Unicode
/// forms makes two values. Unlike in SQL, NULL equals NULL.
public struct DatabaseValue: Sendable {
  /// What SQLite stores.
  public enum Storage: Sendable {
    /// NULL.
    case null
    /// A signed integer of 64 bits.
    case int64(Int64)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case blob(Data)
  }

  /// What SQLite stores.
  public let storage: Storage

  /// NULL.
  public static let null = DatabaseValue(storage: .null)

  /// The value with the storage.
  @inlinable
  package init(storage: Storage) { self.storage = storage }

  /// The database value of a value of any type, if it has one: nil for a value
  /// that is not `DatabaseValueConvertible`.
  public init?(value: Any) {
    guard let value = value as? any DatabaseValueConvertible else { return nil }
    self = value.databaseValue
  }

  /// A copy of the value in the 0-based column of the statement's current row.
  ///
  /// Bytes of text that are not UTF-8 become U+FFFD.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.integerType:
      self.init(storage: .int64(SQLite.columnInt64(sqliteStatement, index)))
    case SQLite.floatType:
      self.init(storage: .double(SQLite.columnDouble(sqliteStatement, index)))
    case SQLite.textType:
      let utf8 = SQLite.columnText(sqliteStatement, index)
      self.init(storage: .string(String(decoding: utf8, as: UTF8.self)))
    case SQLite.blobType:
      self.init(storage: .blob(Data(SQLite.columnBlob(sqliteStatement, index))))
    default:
      self.init(storage: .null)
    }
  }

  /// Whether the value is NULL.
  @inlinable
  public var isNull: Bool {
    if case .null = storage { true } else { false }
  }
}

extension DatabaseValue: DatabaseValueConvertible, StatementColumnConvertible {
  /// The value itself.
  @inlinable
  public var databaseValue: DatabaseValue { self }

  /// The value itself, NULL included.
  @inlinable
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

  /// The column's value, NULL included: never nil.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> DatabaseValue? {
    DatabaseValue(sqliteStatement: sqliteStatement, index: index)
  }

  /// Binds the value to the 1-based parameter.
  @inlinable
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch storage {
    case .null: SQLite.bindNull(sqliteStatement, index)
    case .int64(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .double(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .string(let value): SQLite.bind(value, to: sqliteStatement, at: index)
    case .blob(let value):
      value.withUnsafeBytes { SQLite.bind($0, to: sqliteStatement, at: index) }
    }
  }
}

extension DatabaseValue: Hashable {
  /// Whether SQLite takes the values for equal, or both are NULL.
  public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
      // Exact: a comparison as reals would merge integers above 2^53.
      Int64(exactly: real) == integer
    default:
      lhs.storage == rhs.storage
    }
  }

  /// Feeds the hasher so that equal values hash alike.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .null: hasher.combine(0 as UInt8)
    case .int64(let value): hasher.combine(Double(value))
    case .double(let value): hasher.combine(value)
    case .string(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension DatabaseValue: CustomStringConvertible {
  /// `NULL`, `1`, `1.5`, `"text"` with its special characters escaped, or
  /// `Data(3 bytes)`.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): String(reflecting: value)
    case .blob(let value): "Data(\(value))"
    }
  }

  /// SQLite's name for the storage class.
  var className: String {
    switch storage {
    case .null: "null"
    case .int64: "integer"
    case .double: "real"
    case .string: "text"
    case .blob: "blob"
    }
  }
}

extension DatabaseValue.Storage: Equatable {
  /// Whether class and value are the same: the integer 1 is not the real 1.0,
  /// and texts are compared by their UTF-8 bytes.
  public static func == (lhs: DatabaseValue.Storage, rhs: DatabaseValue.Storage) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.int64(let lhs), .int64(let rhs)): lhs == rhs
    case (.double(let lhs), .double(let rhs)): lhs == rhs
    case (.string(let lhs), .string(let rhs)): haveSameBytes(lhs, rhs)
    case (.blob(let lhs), .blob(let rhs)): lhs == rhs
    default: false
    }
  }

  private static func haveSameBytes(_ lhs: String, _ rhs: String) -> Bool {
    // Canonically different strings differ in their bytes as well.
    lhs.utf8.count == rhs.utf8.count && lhs == rhs && lhs.utf8.elementsEqual(rhs.utf8)
  }

  /// The value as `Int64`, `Double`, `String` or `Data`; nil for NULL.
  public var value: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .int64(let value): value
    case .double(let value): value
    case .string(let value): value
    case .blob(let value): value
    }
  }
}
