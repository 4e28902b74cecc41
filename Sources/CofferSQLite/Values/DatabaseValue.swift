import FoundationEssentials

/// A value stored in the database: NULL, an integer, a real, text or a blob.
///
/// Values are compared as in SQLite: the integer 1 equals the real 1.0, and texts are equal if
/// their UTF-8 bytes are, so that "é" in two Unicode normal forms gives two values. Unlike in SQL,
/// NULL equals NULL.
public struct DatabaseValue: Sendable {
  /// A value in one of SQLite's storage classes.
  public enum Storage: Sendable {
    /// NULL.
    case null
    /// A signed 64-bit integer.
    case int64(Int64)
    /// A 64-bit floating-point number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case blob(Data)
  }

  /// The value in its storage class.
  public let storage: Storage

  /// NULL.
  public static let null = DatabaseValue(storage: .null)

  /// Creates a value from its storage.
  @inlinable
  package init(storage: Storage) { self.storage = storage }

  /// The integer; nil for another storage class.
  package var integer: Int? { if case .int64(let value) = storage { Int(value) } else { nil } }

  /// The text; nil for another storage class.
  package var text: String? { if case .string(let value) = storage { value } else { nil } }

  /// Copies the value of the 0-based column of the statement's current row.
  ///
  /// Invalid UTF-8 in texts becomes U+FFFD.
  @inlinable
  @safe public init(sqliteStatement: SQLiteStatement, index: CInt) {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.integerType:
      self.init(storage: .int64(SQLite.columnInt64(sqliteStatement, index)))
    case SQLite.floatType:
      self.init(storage: .double(SQLite.columnDouble(sqliteStatement, index)))
    case SQLite.textType:
      let utf8 = SQLite.columnText(sqliteStatement, index)
      unsafe self.init(storage: .string(String(decoding: utf8, as: UTF8.self)))
    case SQLite.blobType:
      unsafe self.init(storage: .blob(Data(SQLite.columnBlob(sqliteStatement, index))))
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

extension DatabaseValue: Hashable {
  /// Returns whether SQLite considers the values equal, or both are NULL.
  public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
      // Exact: a comparison as reals would merge integers above 2^53.
      Int64(exactly: real) == integer
    default:
      lhs.storage == rhs.storage
    }
  }

  /// Hashes the value; the integer 1 and the real 1.0 hash alike.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .null: hasher.combine(0 as UInt8)
    case .int64(let value): hasher.combine(Double(value))
    case .double(let value): hasher.combine(value)
    case .string(var value):
      value.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension DatabaseValue: CustomStringConvertible {
  /// `NULL`, `1`, `1.5`, `"text"` with special characters escaped, or `Data(3 bytes)`.
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
  package var className: String {
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
  /// Returns whether storage class and value are equal.
  ///
  /// The integer 1 differs from the real 1.0, and texts are compared by their UTF-8 bytes.
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
    // Canonically equivalent strings can have different bytes.
    lhs.utf8.count == rhs.utf8.count && lhs == rhs && lhs.utf8.elementsEqual(rhs.utf8)
  }
}
