import CofferCore

/// A ``TableAlias`` of any row type.
///
/// Only `TableAlias` conforms.
public protocol TableAliasBase: AnyObject, Hashable, Sendable {
  /// The name in the SQL; nil if the request generates it.
  var _name: String? { get }
}

extension TableAliasBase {
  /// Returns an expression whose columns belong to the table.
  public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(.aliased(expression.sqlExpression, self))
  }

  /// Returns an ordering whose columns belong to the table.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
    let ordering = ordering.sqlOrdering
    return SQLOrdering(
      SQLExpression(.aliased(ordering.expression, self)), ordering.direction,
      nulls: ordering.nulls)
  }

  /// Returns a selection whose columns belong to the table.
  public subscript(_ selection: some SQLSelectable) -> SQLSelection {
    SQLSelection(node: AliasedSelection(selection: selection.sqlSelection, alias: self))
  }

  /// Returns a column of the table, by name.
  public subscript(_ column: String) -> SQLExpression { self[Column(column)] }

  /// Returns whether both are the same alias.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the identity of the alias.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A reference to a table in a request.
///
/// It distinguishes columns of the same name in several tables.
///
/// ```swift
/// let older = TableAlias(), younger = TableAlias()
/// // the players with a lower score than another player
/// let better = Player.aliased(younger).filter(younger["score"] > older["score"])
/// let request = Player.aliased(older).filter(better.exists())
/// ```
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase {
  /// The name in the SQL; nil if the request generates it.
  public let _name: String?

  /// Creates an alias for rows of a type.
  ///
  /// - Parameter name: The name in the SQL; nil if the request generates it.
  public init(name: String? = nil, for type: RowDecoder.Type = RowDecoder.self) {
    _name = name
  }
}

extension TableAlias where RowDecoder == Void {
  /// Creates an alias.
  ///
  /// - Parameter name: The name in the SQL; nil if the request generates it.
  public convenience init(name: String? = nil) { self.init(name: name, for: Void.self) }
}

extension TableAlias {
  /// A condition that the table has a row in the result.
  ///
  /// False if an outer join has found no row in the table.
  public var exists: SQLExpression {
    comparison(.isNot, SQLExpression(node: AliasedRow(alias: self)), nil)
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// The type of `$0` in the closures of requests for the row type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns an expression of the row type whose columns belong to the table.
  public subscript<T: SQLSpecificExpressible>(
    dynamicMember keyPath: KeyPath<DatabaseComponents, T>
  ) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

/// A selection whose columns belong to the table of an alias.
struct AliasedSelection: SQLNode {
  let selection: SQLSelection
  let alias: any TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { try $0.append(selection) }
  }
}

/// An expression that is NULL only if the table of the alias has no row.
private struct AliasedRow: SQLNode {
  let alias: any TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { renderer in
      let table = try renderer.table(of: alias)
      let columns = try renderer.database.presenceColumns(of: table.tableName)
      if columns.count == 1 { return renderer.append(column: columns[0]) }
      renderer.append("COALESCE(")
      for (index, column) in columns.enumerated() {
        if index > 0 { renderer.append(", ") }
        renderer.append(column: column)
      }
      renderer.append(")")
    }
  }
}

extension SQLRenderer {
  /// Returns the table of an alias in the query.
  func table(of alias: any TableAliasBase) throws -> NamedTable {
    guard let table = tables[ObjectIdentifier(alias)] else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a TableAlias" + (alias._name.map { " named \($0)" } ?? "")
          + " is used in a request without its table", sql: sql,
        hint: "Apply it to the table or the association with `aliased(_:)`.")
    }
    return table
  }

  /// Renders `body` with columns of the table of an alias.
  mutating func withColumns(
    of alias: any TableAliasBase, _ body: (inout SQLRenderer) throws -> Void
  ) throws {
    try withColumns(of: table(of: alias), body)
  }

  /// Renders `body` with columns of a table.
  mutating func withColumns(
    of table: NamedTable, _ body: (inout SQLRenderer) throws -> Void
  ) throws {
    let (outer, outerName) = (qualifier, tableName)
    // The only table of the innermost query isn't named.
    qualifier = table.depth == depth && !table.isQualified ? nil : table.name
    tableName = table.tableName
    defer { (qualifier, tableName) = (outer, outerName) }
    try body(&self)
  }
}
