import CofferCore

/// A module of SQLite that holds virtual tables, such as ``FTS4`` and ``FTS5``.
///
/// Conform a type to it to create tables of another module in the same way:
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
  /// What the body of `create(virtualTable:using:_:)` receives.
  associatedtype TableDefinition

  /// The name after `USING`.
  var moduleName: String { get }

  /// Makes the definition of one table, still empty.
  func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

  /// The SQL between the parentheses after the module's name, piece by piece;
  /// without any there are no parentheses.
  func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

  /// Called when the table is there, inside of the same savepoint.
  func database(
    _ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// How a virtual table is created.
public struct VirtualTableConfiguration: Sendable {
  /// Whether what already exists under the same names stays as it is.
  public let ifNotExists: Bool

  package init(ifNotExists: Bool) { self.ifNotExists = ifNotExists }
}

/// Options of a virtual table.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// The options that these bits stand for.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A table of that name stays as it is.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1)

  /// The table is in the connection's own schema `temp`, and goes with it.
  public static let temporary = VirtualTableOptions(rawValue: 2)
}

/// A module that looks at a definition before SQLite does.
protocol VirtualTableRequirements: VirtualTableModule {
  /// Throws where this SQLite lacks what the table needs.
  func requireFeatures(for definition: TableDefinition) throws
}
