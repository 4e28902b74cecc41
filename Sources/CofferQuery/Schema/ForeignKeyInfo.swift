/// A foreign key of a table; see ``Database/foreignKeys(on:in:)``.
public struct ForeignKeyInfo: Sendable {
  /// SQLite's number of the foreign key within its table.
  public let id: Int

  /// The referenced table, as written in the foreign key.
  public let destinationTable: String

  /// The referencing columns, each with the column it references.
  public let mapping: [(origin: String, destination: String)]

  /// The referencing columns.
  public var originColumns: [String] { mapping.map(\.origin) }

  /// The referenced columns.
  public var destinationColumns: [String] { mapping.map(\.destination) }
}
