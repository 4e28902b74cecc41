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
  public var sqlSelection: SQLSelection { SQLSelection(sql: sqlExpression.sql) }
  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { SQLOrdering(sql: sqlExpression.sql) }
}

/// An SQL expression.
public struct SQLExpression: Sendable {
  package let sql: SQL

  package init(sql: SQL) { self.sql = sql }
}

extension SQLExpression: SQLSpecificExpressible {
  /// Itself.
  public var sqlExpression: SQLExpression { self }
}

/// What a query selects.
public struct SQLSelection: Sendable, SQLSelectable {
  package let sql: SQL

  package init(sql: SQL) { self.sql = sql }

  /// Itself.
  public var sqlSelection: SQLSelection { self }
}

/// What a query orders its rows by.
public struct SQLOrdering: Sendable, SQLOrderingTerm {
  package let sql: SQL

  package init(sql: SQL) { self.sql = sql }

  /// Itself.
  public var sqlOrdering: SQLOrdering { self }
}

/// A query inside of another one.
public struct SQLSubquery: Sendable {
  package let sql: SQL

  package init(sql: SQL) { self.sql = sql }
}

/// A type that can be a query inside of another one.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The query.
  var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
  /// The query in parentheses.
  public var sqlExpression: SQLExpression {
    SQLExpression(sql: SQL(elements: [.text("(")] + sqlSubquery.sql.elements + [.text(")")]))
  }
}

extension SQLSubquery: SQLSubqueryable {
  /// Itself.
  public var sqlSubquery: SQLSubquery { self }
}

// MARK: - Values

extension DatabaseValueConvertible {
  /// A parameter with the value.
  public var sqlExpression: SQLExpression {
    SQLExpression(sql: SQL(elements: [.argument(statementArgument)]))
  }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The wrapped expression, or NULL.
  public var sqlExpression: SQLExpression {
    self?.sqlExpression ?? SQLExpression(sql: "NULL")
  }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
  /// The wrapped selection, or NULL.
  public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(sql: "NULL") }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
  /// The wrapped ordering, or NULL, which orders nothing.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? SQLOrdering(sql: "NULL") }
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
  public var sqlOrdering: SQLOrdering { SQLOrdering(sql: self) }
}

extension SQLInterpolation {
  /// `\(expression)` adds an expression.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ expression: some SQLSpecificExpressible) {
    appendInterpolation(literal: expression.sqlExpression.sql)
  }

  /// `\(selection)` adds what is selected.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selection: SQLSelection) {
    appendInterpolation(literal: selection.sql)
  }

  /// `\(ordering)` adds what rows are ordered by.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ ordering: SQLOrdering) {
    appendInterpolation(literal: ordering.sql)
  }
}

extension SQLRequest: SQLSubqueryable {
  /// The request's query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(sql: literal) }
}

extension DatabaseFunction {
  /// A call of the function.
  ///
  /// ```swift
  /// let request: SQLRequest<String> = "SELECT \(lowercase("ÀÉ"))"
  /// ```
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    let list = arguments.map(\.sqlExpression.sql).joined(separator: ", ")
    return SQLExpression(
      sql: SQL(sql: name.quotedDatabaseIdentifier + "(") + list + SQL(sql: ")"))
  }
}

extension Collection<SQL> {
  /// All SQL one after the other, with text between them.
  public func joined(separator: String = "") -> SQL {
    AnySequence(self).joined(separator: separator)
  }
}
