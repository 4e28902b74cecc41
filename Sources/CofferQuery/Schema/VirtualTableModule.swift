import CofferCore

/// A module of SQLite for virtual tables, such as ``FTS4`` and ``FTS5``.
///
/// Conform a type to it to create tables of other modules in the same way:
///
/// ```swift
/// struct RTree: VirtualTableModule {
///   final class TableDefinition { var columns: [String] = [] }
///
///   let moduleName = "rtree"
///   func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition {
///     TableDefinition()
///   }
///   func moduleArguments(for definition: TableDefinition, in db: Database) -> [String] {
///     definition.columns
///   }
///   func database(_ db: Database, didCreate name: String, using definition: TableDefinition) {}
/// }
///
/// try db.create(virtualTable: "area", using: RTree()) { t in
///   t.columns = ["id", "minX", "maxX"]
/// }
/// ```
public protocol VirtualTableModule {
  /// The type of the argument of the body of `create(virtualTable:using:_:)`.
  associatedtype TableDefinition

  /// The name after `USING`.
  var moduleName: String { get }

  /// Returns an empty definition of a table.
  func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

  /// Returns the module's arguments in SQL; if there are none, the parentheses are omitted.
  func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

  /// Called after the table was created, inside the same savepoint.
  func database(
    _ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// Options for the definition of a virtual table.
public struct VirtualTableConfiguration: Sendable {
  /// Whether existing objects with the same names are kept.
  public let ifNotExists: Bool

  package init(ifNotExists: Bool) { self.ifNotExists = ifNotExists }
}

/// Options for creating a virtual table.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Does nothing if the table exists.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1)

  /// Creates the table in the connection's `temp` schema; it is deleted with the connection.
  public static let temporary = VirtualTableOptions(rawValue: 2)
}

/// A module that checks its requirements before SQLite does.
protocol VirtualTableRequirements: VirtualTableModule {
  /// Throws if this version of SQLite lacks features that the table needs.
  func requireFeatures(for definition: TableDefinition) throws
}
