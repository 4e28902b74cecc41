import CofferCore

/// A ``TableAlias``, whatever the type of its rows.
///
/// Only `TableAlias` conforms.
public protocol TableAliasBase: AnyObject, Hashable, Sendable {
  /// The name in the SQL; nil for one that the request finds.
  var _name: String? { get }
}

extension TableAliasBase {
  /// Returns an expression with its columns taken from the table.
  public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(.aliased(expression.sqlExpression, self))
  }

  /// Returns an ordering with its columns taken from the table.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
    let ordering = ordering.sqlOrdering
    return SQLOrdering(
      SQLExpression(.aliased(ordering.expression, self)), ordering.direction,
      nulls: ordering.nulls)
  }

  /// Returns a selection with its columns taken from the table.
  public subscript(_ selection: some SQLSelectable) -> SQLSelection {
    SQLSelection(node: AliasedSelection(selection: selection.sqlSelection, alias: self))
  }

  /// Returns a column of the table, by name.
  public subscript(_ column: String) -> SQLExpression { self[Column(column)] }

  /// Returns whether both are the same alias.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A table in a request, to tell apart columns of the same name in several tables.
///
/// ```swift
/// let older = TableAlias(), younger = TableAlias()
/// // players that another one of the same team has beaten
/// let better = Player.aliased(younger).filter(younger["score"] > older["score"])
/// let request = Player.aliased(older).filter(better.exists())
/// ```
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase {
  /// The name in the SQL; nil for one that the request finds.
  public let _name: String?

  /// Creates an alias for rows of a type.
  ///
  /// - Parameter name: The name in the SQL; nil for one that the request finds.
  public init(name: String? = nil, for type: RowDecoder.Type = RowDecoder.self) {
    _name = name
  }
}

extension TableAlias where RowDecoder == Void {
  /// An alias.
  ///
  /// - Parameter name: The name in the SQL; nil for one that the request finds.
  public convenience init(name: String? = nil) { self.init(name: name, for: Void.self) }
}

extension TableAlias {
  /// Whether the table has a row here: false beside rows that an outer join
  /// found none for.
  public var exists: SQLExpression {
    comparison(.isNot, SQLExpression(node: AliasedRow(alias: self)), nil)
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// What `$0` is in the closures of requests for the type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// An expression of the type, with its columns taken from the table.
  public subscript<T: SQLSpecificExpressible>(
    dynamicMember keyPath: KeyPath<DatabaseComponents, T>
  ) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

/// A selection with its columns taken from a table.
struct AliasedSelection: SQLNode {
  let selection: SQLSelection
  let alias: any TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { try $0.append(selection) }
  }
}

/// What is NULL only where the alias's table has no row.
private struct AliasedRow: SQLNode {
  let alias: any TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { renderer in
      let table = try renderer.table(of: alias)
      renderer.append(column: try renderer.database.presenceColumn(of: table.tableName))
    }
  }
}

extension SQLRenderer {
  /// The alias's table in the query.
  func table(of alias: any TableAliasBase) throws -> NamedTable {
    guard let table = tables[ObjectIdentifier(alias)] else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a TableAlias" + (alias._name.map { " named \($0)" } ?? "")
          + " is used in a request without its table", sql: sql,
        hint: "Give it to the table or the association with `aliased(_:)`.")
    }
    return table
  }

  /// Renders what has its columns in the alias's table.
  mutating func withColumns(
    of alias: any TableAliasBase, _ body: (inout SQLRenderer) throws -> Void
  ) throws {
    try withColumns(of: table(of: alias), body)
  }

  /// Renders what has its columns in a table.
  mutating func withColumns(
    of table: NamedTable, _ body: (inout SQLRenderer) throws -> Void
  ) throws {
    let (outer, outerName) = (qualifier, tableName)
    // The one table of the innermost query goes without its name.
    qualifier = table.depth == depth && !table.isQualified ? nil : table.name
    tableName = table.tableName
    defer { (qualifier, tableName) = (outer, outerName) }
    try body(&self)
  }
}
