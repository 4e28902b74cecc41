import CofferVault

/// An SQL expression: a value, a column, or an operator or function applied to expressions.
public struct SQLExpression: Sendable {
  @usableFromInline
  package enum Content: Sendable {
    case value(DatabaseValue)
    case sql(SQL)
    /// An expression that is defined in CofferQuery.
    case node(any SQLNodeObject)
  }

  @usableFromInline package let content: Content

  @inlinable package init(_ value: DatabaseValue) { content = .value(value) }
  package init(sql: SQL) { content = .sql(sql) }
  @inlinable package init(node: some SQLNode) { content = .node(node.object) }

  /// The expression as a part of other SQL.
  package var sql: SQL {
    switch content {
    case .value(let value):
      SQL(elements: [value.isNull ? .text("NULL") : .argument(StatementArgument(value))])
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.node(node)])
    }
  }

  /// Returns the expression's text with its values as literals, for schema definitions.
  package func quotedSQL(_ db: Database) throws -> String {
    var renderer = SQLRenderer(db, writesValues: true)
    try renderer.append(self)
    return renderer.sql
  }
}

extension SQLExpression: SQLSpecificExpressible {
  /// This expression.
  public var sqlExpression: SQLExpression { self }
}
