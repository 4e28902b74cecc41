import CofferCore

/// An index on columns of a table; see ``Database/indexes(on:in:)``.
public struct IndexInfo: Sendable {
  /// What an index was made by.
  public struct Origin: RawRepresentable, DatabaseValueConvertible, Equatable, Sendable {
    /// The letters that SQLite gives.
    public let rawValue: String

    /// The origin of those letters.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A `CREATE INDEX` statement.
    public static let createIndex = Origin(rawValue: "c")
    /// A `UNIQUE` constraint.
    public static let uniqueConstraint = Origin(rawValue: "u")
    /// A `PRIMARY KEY` constraint.
    public static let primaryKeyConstraint = Origin(rawValue: "pk")
  }

  /// The name.
  public let name: String
  /// The columns, in the order of the index.
  public let columns: [String]
  /// Whether no two rows can have the same values, but for NULLs.
  public let isUnique: Bool
  /// What the index was made by.
  public let origin: Origin

  /// Whether the index has some of the rows only.
  let isPartial: Bool
}
