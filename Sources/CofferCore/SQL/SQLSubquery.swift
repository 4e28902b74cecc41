/// A query inside of another one.
public struct SQLSubquery: Sendable {
  package enum Content: Sendable {
    case sql(SQL)
    /// What the query floor makes.
    case node(any SQLNode)
  }

  package let content: Content

  package init(sql: SQL) { content = .sql(sql) }
  package init(node: any SQLNode) { content = .node(node) }

  /// The query inside of other SQL, without parentheses.
  package var sql: SQL {
    switch content {
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.node(node)])
    }
  }
}

/// A type that can be a query inside of another one.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The query.
  var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
  /// The query in parentheses.
  public var sqlExpression: SQLExpression {
    SQLExpression(node: ParenthesizedQuery(query: sqlSubquery))
  }
}

/// A query as an expression.
package struct ParenthesizedQuery: SQLNode {
  package let query: SQLSubquery

  package init(query: SQLSubquery) { self.query = query }

  package func render(into renderer: inout SQLRenderer) throws {
    renderer.append("(")
    try renderer.append(query)
    renderer.append(")")
  }
}

extension SQLSubquery: SQLSubqueryable {
  /// Itself.
  public var sqlSubquery: SQLSubquery { self }
}

/// A query in an SQL literal, whose text tells whether it needs parentheses.
struct EmbeddedQuery: SQLNode {
  let query: SQLSubquery

  func render(into renderer: inout SQLRenderer) throws { try renderer.append(embedding: query) }
}

extension SQLRequest: SQLSubqueryable {
  /// The request's query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(sql: literal) }
}
