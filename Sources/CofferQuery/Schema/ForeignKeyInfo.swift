/// A reference of a table to another one; see ``Database/foreignKeys(on:in:)``.
public struct ForeignKeyInfo: Sendable {
  /// SQLite's number of the foreign key, among those of its table.
  public let id: Int

  /// The table that is referred to, as its name is written in the reference.
  public let destinationTable: String

  /// The columns that refer, each with the one that it refers to.
  public let mapping: [(origin: String, destination: String)]

  /// The columns that refer.
  public var originColumns: [String] { mapping.map(\.origin) }

  /// The columns that are referred to.
  public var destinationColumns: [String] { mapping.map(\.destination) }
}
