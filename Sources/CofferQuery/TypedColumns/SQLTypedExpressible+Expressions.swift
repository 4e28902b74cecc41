import CofferCore

extension SQLTypedExpressible {
  // MARK: Orders

  /// In ascending order: `ASC`. NULL comes first.
  public var asc: SQLOrdering { sqlExpression.asc }

  /// In descending order: `DESC`. NULL comes last.
  public var desc: SQLOrdering { sqlExpression.desc }

  /// In ascending order, NULL at the end: `ASC NULLS LAST`, from SQLite 3.30 on.
  public var ascNullsLast: SQLOrdering { sqlExpression.ascNullsLast }

  /// In descending order, NULL at the beginning: `DESC NULLS FIRST`, from SQLite
  /// 3.30 on.
  public var descNullsFirst: SQLOrdering { sqlExpression.descNullsFirst }

  // MARK: Names and collations

  /// The expression, selected under a name: `expression AS "key"`.
  public func forKey(_ key: String) -> SQLSelection { sqlExpression.forKey(key) }

  /// The expression, selected under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { sqlExpression.forKey(key) }

  /// The expression, compared by a collation: `expression COLLATE NOCASE`.
  public func collating(_ collation: Database.CollationName) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.collating(collation), form: _form)
  }

  /// The expression, compared by a collation.
  public func collating(_ collation: DatabaseCollation) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.collating(collation), form: _form)
  }
}

extension SQLInterpolation {
  /// `\(expression)` adds an expression.
  public mutating func appendInterpolation(_ expression: some SQLTypedExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }
}

extension TypedColumn {
  /// The column without its type, for what takes any.
  public var untyped: Column { Column(name) }

  /// The name alone, which never gets the name of a table before it: for names
  /// that a query gives to what it selects.
  public var detached: TypedExpression<Value> {
    TypedExpression(untyped.detached, form: _form)
  }
}
