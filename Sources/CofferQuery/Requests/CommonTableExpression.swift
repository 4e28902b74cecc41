import CofferCore

/// A common table expression: a query with a name, `WITH name AS (…)`.
///
/// ```swift
/// let best = CommonTableExpression(
///   named: "best", request: Player.select(max(Column("score")).forKey("score")))
/// // WITH "best" AS (SELECT MAX("score") AS "score" FROM "player")
/// // SELECT * FROM "player" WHERE "score" IN (SELECT "score" FROM "best")
/// let request = Player.with(best)
///   .filter(best.all().select(Column("score")).contains(Column("score")))
/// ```
///
/// - Note: <https://www.sqlite.org/lang_with.html>
public struct CommonTableExpression<RowDecoder>: Sendable {
  let expression: TableExpression

  /// The name of the expression, as that of a table.
  public var tableName: String { expression.name }

  private init(
    recursive: Bool, named name: String, columns: [String]?, query: SQLSubquery
  ) {
    expression = TableExpression(
      name: name, columns: columns ?? [], query: query, isRecursive: recursive)
  }

  /// All rows of the expression.
  ///
  /// The request must have the expression itself, too: ``DerivableRequest/with(_:)``.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(relation: Relation(table: tableName))
  }

  /// `value IN name`: whether the expression, of one column, holds the value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: .table(tableName))
  }
}

extension CommonTableExpression {
  /// An expression with the rows of a request.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query uses the expression's own name.
  ///   - columns: The names of its columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns, query: request.sqlSubquery)
  }

  /// An expression with the rows of an SQL query.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query uses the expression's own name.
  ///   - columns: The names of its columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: SQL(sql: sql, arguments: arguments)))
  }

  /// An expression with the rows of an SQL query with values in it.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query uses the expression's own name.
  ///   - columns: The names of its columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: sqlLiteral))
  }
}

extension CommonTableExpression<Row> {
  /// An expression with the rows of a request.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns, query: request.sqlSubquery)
  }

  /// An expression with the rows of an SQL query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: SQL(sql: sql, arguments: arguments)))
  }

  /// An expression with the rows of an SQL query with values in it.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: sqlLiteral))
  }
}

/// A common table expression in a query.
struct TableExpression: SQLNode {
  let name: String
  let columns: [String]
  let query: SQLSubquery
  let isRecursive: Bool

  /// Adds `name(columns) AS (query)`.
  func render(into renderer: inout SQLRenderer) throws {
    renderer.append(identifier: name)
    if !columns.isEmpty {
      renderer.append("(")
      for (index, column) in columns.enumerated() {
        if index > 0 { renderer.append(", ") }
        renderer.append(identifier: column)
      }
      renderer.append(")")
    }
    renderer.append(" AS (")
    try renderer.append(query)
    renderer.append(")")
  }
}

extension SQLRenderer {
  /// Adds `WITH … `.
  mutating func append(_ expressions: [TableExpression]) throws {
    guard !expressions.isEmpty else { return }
    append(expressions.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH ")
    for (index, expression) in expressions.enumerated() {
      if index > 0 { append(", ") }
      try expression.render(into: &self)
    }
    append(" ")
  }
}
