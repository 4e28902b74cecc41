import CofferCore

/// A common table expression: a named query, `WITH name AS (…)`.
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

  /// The name of the expression, used as a table name.
  public var tableName: String { expression.name }

  private init(
    recursive: Bool, named name: String, columns: [String]?, query: SQLSubquery
  ) {
    expression = TableExpression(
      name: name, columns: columns ?? [], query: query, isRecursive: recursive)
  }

  /// Returns a request for all rows of the expression.
  ///
  /// The expression must also be added to the request: ``RequestSource/with(_:)``.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(relation: Relation(table: tableName))
  }

  /// `value IN name`: whether the expression's only column contains the value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: .table(tableName))
  }
}

extension CommonTableExpression {
  /// Creates a common table expression from a request.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query refers to the expression itself.
  ///   - columns: The names of the columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns, query: request.sqlSubquery)
  }

  /// Creates a common table expression from an SQL query.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query refers to the expression itself.
  ///   - columns: The names of the columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: SQL(sql: sql, arguments: arguments)))
  }

  /// Creates a common table expression from an SQL query with interpolated values.
  ///
  /// - Parameters:
  ///   - recursive: Whether the query refers to the expression itself.
  ///   - columns: The names of the columns; nil for those of the query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: sqlLiteral))
  }
}

extension CommonTableExpression {
  /// Creates a recursive common table expression from requests.
  ///
  /// ```swift
  /// // WITH RECURSIVE "tree" AS (
  /// //   SELECT * FROM "category" WHERE "id" = 1
  /// //   UNION SELECT "category".* FROM "category" JOIN "tree" ON "category"."parentId" = "tree"."id")
  /// // SELECT * FROM "tree"
  /// let tree = CommonTableExpression<Category>(
  ///   recursiveNamed: "tree", startingWith: Category.filter(key: 1)
  /// ) { tree in
  ///   Category.joining(required: Category.association(to: tree) { category, parent in
  ///     category[Column("parentId")] == parent[Column("id")]
  ///   })
  /// }
  /// let categories = try tree.all().with(tree).fetchAll(db)
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The names of the columns; nil for those of the first request.
  ///   - start: The request for the first rows.
  ///   - distinct: Whether rows that were already found are left out (`UNION`), which ends cycles,
  ///     rather than kept (`UNION ALL`).
  ///   - step: Returns the request for the rows that follow from those found before. Its argument
  ///     stands for them, and has to occur in the request once, as a table.
  public init(
    recursiveNamed tableName: String, columns: [String]? = nil,
    startingWith start: some SQLSubqueryable, distinct: Bool = true,
    step: (CommonTableExpression<RowDecoder>) throws -> some SQLSubqueryable
  ) rethrows {
    let found = Self(named: tableName, columns: columns, literal: "")
    let query = RecursiveQuery(
      start: start.sqlSubquery, step: try step(found).sqlSubquery, isDistinct: distinct)
    self.init(
      recursive: true, named: tableName, columns: columns, query: SQLSubquery(node: query))
  }
}

extension CommonTableExpression<Row> {
  /// Creates a common table expression from a request.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns, query: request.sqlSubquery)
  }

  /// Creates a common table expression from an SQL query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: SQL(sql: sql, arguments: arguments)))
  }

  /// Creates a common table expression from an SQL query with interpolated values.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(
      recursive: recursive, named: tableName, columns: columns,
      query: SQLSubquery(sql: sqlLiteral))
  }
}

/// `SELECT … UNION SELECT …`: SQLite wants the second query as it is, without another one around
/// it.
private struct RecursiveQuery: SQLNode {
  let start: SQLSubquery
  let step: SQLSubquery
  let isDistinct: Bool

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.append(start)
    renderer.append(isDistinct ? " UNION " : " UNION ALL ")
    try renderer.append(step)
  }
}

/// The untyped part of a common table expression.
struct TableExpression: SQLNode {
  let name: String
  let columns: [String]
  let query: SQLSubquery
  let isRecursive: Bool

  /// Appends `name(columns) AS (query)`.
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
  /// Appends `WITH … `.
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
