import CofferCore

/// An index on columns of a table; see ``Database/indexes(on:in:)``.
public struct IndexInfo: Sendable {
  /// The origin of an index.
  public struct Origin: RawRepresentable, DatabaseValueConvertible, Equatable, Sendable {
    /// SQLite's abbreviation of the origin.
    public let rawValue: String

    /// Creates an origin from SQLite's abbreviation.
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
  /// Whether no two rows can have the same values, except for NULLs.
  public let isUnique: Bool
  /// The origin of the index.
  public let origin: Origin

  /// Whether the index contains only some rows.
  let isPartial: Bool
}
