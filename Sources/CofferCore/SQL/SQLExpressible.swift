// The protocols of expressions that values and SQL literals conform to, hence in CofferCore.
import CofferVault

/// A type that can be used as an SQL expression: a value, a column, an SQL literal.
public protocol SQLExpressible {
  /// The expression.
  var sqlExpression: SQLExpression { get }
}

/// A type that can be selected, as in `SELECT name`.
public protocol SQLSelectable {
  /// The selection.
  var sqlSelection: SQLSelection { get }
}

/// A type that can order rows, as in `ORDER BY name`.
public protocol SQLOrderingTerm {
  /// The ordering.
  var sqlOrdering: SQLOrdering { get }
}

/// A type that represents SQL, such as a column, unlike a value that merely has an expression.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// A selection of the expression.
  public var sqlSelection: SQLSelection { SQLSelection(sqlExpression) }
  /// An ordering by the expression.
  public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression) }
}

// MARK: - Values

extension DatabaseValueConvertible {
  /// A parameter bound to the value.
  @inlinable
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
  /// The wrapped ordering, or NULL, which has no effect.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? SQLOrdering(SQLExpression(.null)) }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

// MARK: - SQL literals

extension SQL: SQLSpecificExpressible {
  /// Creates SQL from an expression.
  public init(_ expression: some SQLSpecificExpressible) {
    self = expression.sqlExpression.sql
  }

  /// The SQL as an expression.
  public var sqlExpression: SQLExpression { SQLExpression(sql: self) }

  /// A selection of the SQL.
  public var sqlSelection: SQLSelection { SQLSelection(sql: self) }

  /// An ordering by the SQL.
  public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression) }
}
