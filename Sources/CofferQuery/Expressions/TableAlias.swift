import CofferCore

// SAFETY: the class has no mutable state, and neither has its one subclass.

/// A table in a request, by a name of its own: see ``TableAlias``.
public class TableAliasBase: @unchecked Sendable {
  /// The name that it was given; nil where the request finds one.
  let userName: String?

  init(userName: String?) { self.userName = userName }

  /// An expression with its columns taken from the table.
  public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(.aliased(expression.sqlExpression, self))
  }

  /// An order with its columns taken from the table.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
    let ordering = ordering.sqlOrdering
    return SQLOrdering(
      SQLExpression(.aliased(ordering.expression, self)), ordering.direction,
      nulls: ordering.nulls)
  }

  /// A selection with its columns taken from the table.
  public subscript(_ selection: some SQLSelectable) -> SQLSelection {
    SQLSelection(node: AliasedSelection(selection: selection.sqlSelection, alias: self))
  }

  /// A column of the table, by name.
  public subscript(_ column: String) -> SQLExpression { self[Column(column)] }
}

extension TableAliasBase: Hashable {
  /// Whether both are the same alias.
  public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A table in a request, to tell apart what several tables have in common.
///
/// ```swift
/// let older = TableAlias(), younger = TableAlias()
/// // players that another one of the same team has beaten
/// let better = Player.aliased(younger).filter(younger["score"] > older["score"])
/// let request = Player.aliased(older).filter(better.exists())
/// ```
@dynamicMemberLookup
// SAFETY: see the base class; nothing is added.
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
  /// An alias for rows of a type.
  ///
  /// - Parameter name: The name in the SQL; nil for one that the request finds.
  public init(name: String? = nil, for type: RowDecoder.Type = RowDecoder.self) {
    super.init(userName: name)
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
  let alias: TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { try $0.append(selection) }
  }
}

/// What is NULL only where the alias's table has no row.
private struct AliasedRow: SQLNode {
  let alias: TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.withColumns(of: alias) { renderer in
      let table = try renderer.table(of: alias)
      renderer.append(column: try renderer.database.presenceColumn(of: table.tableName))
    }
  }
}

extension SQLRenderer {
  /// The alias's table in the query.
  func table(of alias: TableAliasBase) throws -> NamedTable {
    guard let table = tables[ObjectIdentifier(alias)] else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a TableAlias" + (alias.userName.map { " named \($0)" } ?? "")
          + " is used in a request without its table", sql: sql,
        hint: "Give it to the table or the association with `aliased(_:)`.")
    }
    return table
  }

  /// Renders what has its columns in the alias's table.
  mutating func withColumns(
    of alias: TableAliasBase, _ body: (inout SQLRenderer) throws -> Void
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
