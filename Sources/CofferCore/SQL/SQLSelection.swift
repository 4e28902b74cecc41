/// A selection of a query: an expression, or several columns.
public struct SQLSelection: Sendable, SQLSelectable {
  @usableFromInline
  package enum Content: Sendable {
    /// An expression and the name of its column.
    case expression(SQLExpression, name: String?)
    case sql(SQL)
    /// A selection that is defined in CofferQuery.
    case node(any SQLNodeObject)
  }

  @usableFromInline package let content: Content

  package init(_ expression: SQLExpression, name: String? = nil) {
    content = .expression(expression, name: name)
  }

  package init(sql: SQL) { content = .sql(sql) }
  @inlinable package init(node: some SQLNode) { content = .node(node.object) }

  /// The selection as a part of other SQL.
  package var sql: SQL {
    switch content {
    case .expression(let expression, let name?):
      SQL(elements: expression.sql.elements + [.text(" AS " + name.quotedDatabaseIdentifier)])
    case .expression(let expression, nil): expression.sql
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.node(node)])
    }
  }

  /// This selection.
  public var sqlSelection: SQLSelection { self }
}
