import Foundation

/// A value stored in the database: NULL, an integer, a real, text or a blob.
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

  @inlinable
  package init(storage: Storage) { self.storage = storage }

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
