/// A query that can be a part of another query.
public struct SQLSubquery: Sendable {
  @usableFromInline
  package enum Content: Sendable {
    case sql(SQL)
    /// A query that is defined in CofferQuery.
    case node(any SQLNodeObject)
  }

  @usableFromInline package let content: Content

  package init(sql: SQL) { content = .sql(sql) }
  @inlinable package init(node: some SQLNode) { content = .node(node.object) }

  /// The query as a part of other SQL, without parentheses.
  package var sql: SQL {
    switch content {
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.node(node)])
    }
  }
}

/// A type that can be used as a subquery.
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

/// A query as an expression, in parentheses.
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
  /// This query.
  public var sqlSubquery: SQLSubquery { self }
}

/// A query in an SQL literal, with parentheses if the surrounding text needs them.
struct EmbeddedQuery: SQLNode {
  let query: SQLSubquery

  func render(into renderer: inout SQLRenderer) throws { try renderer.append(embedding: query) }
}

extension SQLRequest: SQLSubqueryable {
  /// The request's query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(sql: literal) }
}
