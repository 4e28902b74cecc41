import CofferCore

extension SQLTypedExpressible {
  // MARK: Orders

  /// The ascending ordering `ASC`; NULL comes first.
  public var asc: SQLOrdering { sqlExpression.asc }

  /// The descending ordering `DESC`; NULL comes last.
  public var desc: SQLOrdering { sqlExpression.desc }

  /// The ascending ordering with NULL last, `ASC NULLS LAST`.
  ///
  /// Requires SQLite 3.30 or later.
  public var ascNullsLast: SQLOrdering { sqlExpression.ascNullsLast }

  /// The descending ordering with NULL first, `DESC NULLS FIRST`.
  ///
  /// Requires SQLite 3.30 or later.
  public var descNullsFirst: SQLOrdering { sqlExpression.descNullsFirst }

  // MARK: Names and collations

  /// Returns the expression selected under a name: `expression AS "key"`.
  public func forKey(_ key: String) -> SQLSelection { sqlExpression.forKey(key) }

  /// Returns the expression selected under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { sqlExpression.forKey(key) }

  /// Returns the expression with a collation: `expression COLLATE NOCASE`.
  public func collating(_ collation: Database.CollationName) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.collating(collation), form: _form)
  }

  /// Returns the expression with a custom collation.
  public func collating(_ collation: DatabaseCollation) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.collating(collation), form: _form)
  }
}

extension SQLInterpolation {
  /// Appends an expression: `\(expression)`.
  public mutating func appendInterpolation(_ expression: some SQLTypedExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// Appends the name of a column: `\(column)`.
  ///
  /// SQL compares decimal numbers as texts.
  public mutating func appendInterpolation<Value>(_ column: TypedColumn<Value>) {
    appendInterpolation(literal: column.plain.sql)
  }
}

extension TypedColumn {
  /// The column without its Swift type.
  public var untyped: Column { Column(name) }

  /// The column's name, never qualified with a table.
  ///
  /// Use it to refer to a name that the query defines in its selection.
  public var detached: TypedExpression<Value> {
    TypedExpression(untyped.detached, form: _form)
  }
}
