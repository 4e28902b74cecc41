// What SQL is made of, as far as values and SQL literals need it: the protocols
// stand here, below the query floor, since values conform to them.

/// A type that has an SQL expression: values, columns, SQL literals.
public protocol SQLExpressible {
  /// The expression.
  var sqlExpression: SQLExpression { get }
}

/// A type that can stand in a selection, as in `SELECT name`.
public protocol SQLSelectable {
  /// What is selected.
  var sqlSelection: SQLSelection { get }
}

/// A type that can stand in an order, as in `ORDER BY name`.
public protocol SQLOrderingTerm {
  /// What rows are ordered by.
  var sqlOrdering: SQLOrdering { get }
}

/// A type that is SQL in the first place, unlike a value, which has an
/// expression as well.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression, selected.
  public var sqlSelection: SQLSelection { SQLSelection(sqlExpression) }
  /// The expression, as an order.
  public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression) }
}

/// An SQL expression: a value, a column, or what operators and functions make of them.
public struct SQLExpression: Sendable {
  package enum Content: Sendable {
    case value(DatabaseValue)
    case sql(SQL)
    /// What the query floor makes.
    case node(any SQLFragment)
  }

  package let content: Content

  package init(_ value: DatabaseValue) { content = .value(value) }
  package init(sql: SQL) { content = .sql(sql) }
  package init(node: any SQLFragment) { content = .node(node) }

  /// The expression inside of other SQL.
  package var sql: SQL {
    switch content {
    case .value(let value):
      SQL(elements: [value.isNull ? .text("NULL") : .argument(StatementArgument(value))])
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.fragment(node)])
    }
  }

  /// The expression's text with its values written out, for definitions.
  package func quotedSQL(_ db: Database) throws -> String {
    var renderer = SQLRenderer(db, writesValues: true)
    try renderer.append(self)
    return renderer.sql
  }
}

extension SQLExpression: SQLSpecificExpressible {
  /// Itself.
  public var sqlExpression: SQLExpression { self }
}

/// What a query selects.
public struct SQLSelection: Sendable, SQLSelectable {
  package enum Content: Sendable {
    /// An expression, and the name that its column gets.
    case expression(SQLExpression, name: String?)
    case sql(SQL)
    /// What the query floor makes.
    case node(any SQLFragment)
  }

  package let content: Content

  package init(_ expression: SQLExpression, name: String? = nil) {
    content = .expression(expression, name: name)
  }

  package init(sql: SQL) { content = .sql(sql) }
  package init(node: any SQLFragment) { content = .node(node) }

  /// The selection inside of other SQL.
  package var sql: SQL {
    switch content {
    case .expression(let expression, let name?):
      SQL(elements: expression.sql.elements + [.text(" AS " + name.quotedDatabaseIdentifier)])
    case .expression(let expression, nil): expression.sql
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.fragment(node)])
    }
  }

  /// Itself.
  public var sqlSelection: SQLSelection { self }
}

/// What a query orders its rows by.
public struct SQLOrdering: Sendable, SQLOrderingTerm {
  package let expression: SQLExpression
  package let direction: Direction?
  package let nulls: Nulls?

  package enum Direction: String, Sendable {
    case ascending = " ASC"
    case descending = " DESC"
  }

  package enum Nulls: String, Sendable {
    case first = " NULLS FIRST"
    case last = " NULLS LAST"
  }

  package init(_ expression: SQLExpression, _ direction: Direction? = nil, nulls: Nulls? = nil) {
    self.expression = expression
    self.direction = direction
    self.nulls = nulls
  }

  /// The ordering inside of other SQL.
  package var sql: SQL {
    guard direction != nil || nulls != nil else { return expression.sql }
    return SQL(elements: expression.sql.elements + [.text(suffix)])
  }

  /// What follows the expression.
  package var suffix: String { (direction?.rawValue ?? "") + (nulls?.rawValue ?? "") }

  /// Itself.
  public var sqlOrdering: SQLOrdering { self }
}

/// A query inside of another one.
public struct SQLSubquery: Sendable {
  package enum Content: Sendable {
    case sql(SQL)
    /// What the query floor makes.
    case node(any SQLFragment)
  }

  package let content: Content

  package init(sql: SQL) { content = .sql(sql) }
  package init(node: any SQLFragment) { content = .node(node) }

  /// The query inside of other SQL, without parentheses.
  package var sql: SQL {
    switch content {
    case .sql(let sql): sql
    case .node(let node): SQL(elements: [.fragment(node)])
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
package struct ParenthesizedQuery: SQLFragment {
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
private struct EmbeddedQuery: SQLFragment {
  let query: SQLSubquery

  func render(into renderer: inout SQLRenderer) throws { try renderer.append(embedding: query) }
}

// MARK: - Values

extension DatabaseValueConvertible {
  /// A parameter with the value.
  public var sqlExpression: SQLExpression { SQLExpression(databaseValue) }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The wrapped expression, or NULL.
  public var sqlExpression: SQLExpression {
    self?.sqlExpression ?? SQLExpression(.null)
  }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
  /// The wrapped selection, or NULL.
  public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(SQLExpression(.null)) }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
  /// The wrapped ordering, or NULL, which orders nothing.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? SQLOrdering(SQLExpression(.null)) }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

// MARK: - SQL literals

extension SQL: SQLSpecificExpressible {
  /// The SQL of an expression.
  public init(_ expression: some SQLSpecificExpressible) {
    self = expression.sqlExpression.sql
  }

  /// The SQL, as an expression.
  public var sqlExpression: SQLExpression { SQLExpression(sql: self) }

  /// The SQL, selected.
  public var sqlSelection: SQLSelection { SQLSelection(sql: self) }

  /// The SQL, as an order.
  public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression) }
}

extension SQLInterpolation {
  /// `\(expression)` adds an expression.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: some SQLSpecificExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// `\(request)` adds the query of a request.
  ///
  /// It gets parentheses where it stands for a value or a table, and none where it is the
  /// statement, a part of a compound query, or in parentheses already.
  ///
  /// ```swift
  /// let best = Player.select(max(Column("score")))
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score = \(best)"
  /// let all: SQLRequest<Row> = "\(Player.all()) UNION ALL \(Coach.all())"
  /// ```
  @_disfavoredOverload
  public mutating func appendInterpolation(_ request: some SQLSubqueryable) {
    append(.fragment(EmbeddedQuery(query: request.sqlSubquery)))
  }

  /// `\(expression)` adds an expression.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: some SQLExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// `\(expression)` adds an expression; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: (any SQLExpressible)?) {
    appendInterpolation(literal: (expression?.sqlExpression ?? SQLExpression(.null)).sql)
  }

  // An optional column is an expression in the first place.

  /// `\(expression)` adds an expression; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: (any SQLSpecificExpressible)?) {
    appendInterpolation(literal: (expression?.sqlExpression ?? SQLExpression(.null)).sql)
  }

  /// `\(selection)` adds what is selected: `SELECT \(.allColumns) FROM player`.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selection: some SQLSelectable) {
    appendInterpolation(literal: selection.sqlSelection.sql)
  }

  /// `\(selection)` adds what is selected; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
    appendInterpolation(
      literal: (selection?.sqlSelection ?? SQLSelection(SQLExpression(.null))).sql)
  }

  /// `\(ordering)` adds what rows are ordered by.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ ordering: some SQLOrderingTerm) {
    appendInterpolation(literal: ordering.sqlOrdering.sql)
  }

  /// `\(expressions)` adds a list in parentheses: `a IN \([Column("b"), Column("c") + 2])`.
  @_disfavoredOverload
  public mutating func appendInterpolation<Elements: Sequence>(_ expressions: Elements)
  where Elements.Element: SQLExpressible {
    appendList(expressions.map(\.sqlExpression))
  }

  /// `\(expressions)` adds a list in parentheses.
  @_disfavoredOverload
  public mutating func appendInterpolation<Elements: Sequence>(_ expressions: Elements)
  where Elements.Element == any SQLExpressible {
    appendList(expressions.map(\.sqlExpression))
  }

  /// `\(expressions)` adds a list in parentheses, of expressions of several types too.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expressions: [any SQLExpressible]) {
    appendList(expressions.map(\.sqlExpression))
  }

  private mutating func appendList(_ expressions: [SQLExpression]) {
    let values = expressions.compactMap { expression -> DatabaseValue? in
      if case .value(let value) = expression.content { value } else { nil }
    }
    if values.count == expressions.count { return append(.list(ArrayArgument(values))) }
    appendLiteral("(")
    appendInterpolation(literal: expressions.map(\.sql).joined(separator: ","))
    appendLiteral(")")
  }

  /// `COLLATE \(.nocase)` adds the name of a collation.
  public mutating func appendInterpolation(_ collation: Database.CollationName) {
    appendLiteral(collation.rawValue)
  }

  /// `COLLATE \(collation)` adds the name of a collation.
  public mutating func appendInterpolation(_ collation: DatabaseCollation) {
    appendLiteral(collation.name)
  }
}

extension SQLRequest: SQLSubqueryable {
  /// The request's query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(sql: literal) }
}

extension Collection<SQL> {
  /// All SQL one after the other, with text between them.
  public func joined(separator: String = "") -> SQL {
    AnySequence(self).joined(separator: separator)
  }
}
