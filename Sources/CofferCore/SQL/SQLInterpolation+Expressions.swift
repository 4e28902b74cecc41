import CofferVault

extension SQLInterpolation {
  /// `\(expression)` appends an expression.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: some SQLSpecificExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// `\(request)` appends the query of a request.
  ///
  /// It is put in parentheses where SQL takes a value or a table, but not where it is the
  /// statement, a part of a compound query, or in parentheses already.
  ///
  /// ```swift
  /// let best = Player.select(max(Column("score")))
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score = \(best)"
  /// let all: SQLRequest<Row> = "\(Player.all()) UNION ALL \(Coach.all())"
  /// ```
  @_disfavoredOverload
  public mutating func appendInterpolation(_ request: some SQLSubqueryable) {
    append(.node(EmbeddedQuery(query: request.sqlSubquery).object))
  }

  /// `\(expression)` appends an expression.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: some SQLExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// `\(expression)` appends an expression; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: (any SQLExpressible)?) {
    appendInterpolation(literal: (expression?.sqlExpression ?? SQLExpression(.null)).sql)
  }

  // Makes an optional column unambiguous: it is an expression.

  /// `\(expression)` appends an expression; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: (any SQLSpecificExpressible)?) {
    appendInterpolation(literal: (expression?.sqlExpression ?? SQLExpression(.null)).sql)
  }

  /// `\(selection)` appends a selection: `SELECT \(.allColumns) FROM player`.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selection: some SQLSelectable) {
    appendInterpolation(literal: selection.sqlSelection.sql)
  }

  /// `\(selection)` appends a selection; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
    appendInterpolation(
      literal: (selection?.sqlSelection ?? SQLSelection(SQLExpression(.null))).sql)
  }

  /// `\(ordering)` appends an ordering.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ ordering: some SQLOrderingTerm) {
    appendInterpolation(literal: ordering.sqlOrdering.sql)
  }

  /// `\(expressions)` appends a list in parentheses: `a IN \([Column("b"), Column("c") + 2])`.
  @_disfavoredOverload
  public mutating func appendInterpolation<Elements: Sequence>(_ expressions: Elements)
  where Elements.Element: SQLExpressible {
    appendList(expressions.map(\.sqlExpression))
  }

  /// `\(expressions)` appends a list in parentheses.
  @_disfavoredOverload
  public mutating func appendInterpolation<Elements: Sequence>(_ expressions: Elements)
  where Elements.Element == any SQLExpressible {
    appendList(expressions.map(\.sqlExpression))
  }

  /// `\(expressions)` appends a list in parentheses, of expressions of any types.
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

  /// `COLLATE \(.nocase)` appends the name of a collation.
  public mutating func appendInterpolation(_ collation: Database.CollationName) {
    appendLiteral(collation.rawValue)
  }

  /// `COLLATE \(collation)` appends the name of a collation.
  public mutating func appendInterpolation(_ collation: DatabaseCollation) {
    appendLiteral(collation.name)
  }
}
