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
    append(.node(EmbeddedQuery(query: request.sqlSubquery)))
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
