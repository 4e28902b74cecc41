import CofferCore

extension Database {
  /// A storage class of SQLite, for conversions by ``cast(_:as:)``.
  public struct StorageClass: RawRepresentable, Hashable, Sendable {
    /// The name of the type in SQL.
    public let rawValue: String

    /// Creates a storage class from its name in SQL.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `INTEGER`
    public static let integer = StorageClass(rawValue: "INTEGER")
    /// `REAL`
    public static let real = StorageClass(rawValue: "REAL")
    /// `TEXT`
    public static let text = StorageClass(rawValue: "TEXT")
    /// `BLOB`
    public static let blob = StorageClass(rawValue: "BLOB")
  }
}
