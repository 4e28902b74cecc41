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
