/// An ordering term of a query.
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

  /// The ordering as a part of other SQL.
  package var sql: SQL {
    guard direction != nil || nulls != nil else { return expression.sql }
    return SQL(elements: expression.sql.elements + [.text(suffix)])
  }

  /// The text after the expression.
  package var suffix: String { (direction?.rawValue ?? "") + (nulls?.rawValue ?? "") }

  /// This ordering.
  public var sqlOrdering: SQLOrdering { self }
}
