/// What a query selects.
public struct SQLSelection: Sendable, SQLSelectable {
  package enum Content: Sendable {
    /// An expression, and the name that its column gets.
    case expression(SQLExpression, name: String?)
    case sql(SQL)
    /// What the query floor makes.
    case node(any SQLNode)
  }

  package let content: Content

  package init(_ expression: SQLExpression, name: String? = nil) {
    content = .expression(expression, name: name)
  }

  package init(sql: SQL) { content = .sql(sql) }
  package init(node: any SQLNode) { content = .node(node) }

  /// The selection inside of other SQL.
  package var sql: SQL {
    switch content {
    case .expression(let expression, let name?):
      SQL(elements: expression.sql.elements + [.text(" AS " + name.quotedDatabaseIdentifier)])
    case .expression(let expression, nil): expression.sql
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.node(node)])
    }
  }

  /// Itself.
  public var sqlSelection: SQLSelection { self }
}
