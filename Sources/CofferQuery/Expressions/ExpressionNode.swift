import CofferCore

/// The syntax tree node of an expression that is neither a value nor an SQL literal.
///
/// Nodes are independent of a query: columns are qualified with a table when they are rendered.
package enum ExpressionNode: Sendable {
  /// A column of the enclosing query.
  case column(String)
  /// A column or another name that is never qualified with a table.
  case detached(String)
  /// An expression whose columns belong to the table of an alias.
  case aliased(SQLExpression, any TableAliasBase)
  /// `id IN …`, for a single-column primary key.
  case key(SQLCollection, table: String)
  /// `-a`, `~a`.
  case prefix(String, SQLExpression)
  /// `NOT a`, for operands without a negated operator.
  case not(SQLExpression)
  /// `a / b`.
  case binary(String, SQLExpression, SQLExpression)
  /// `a AND b AND c`.
  case chain(SQLExpression.AssociativeBinaryOperator, [SQLExpression])
  /// `a = b`, and other comparisons with a negated operator.
  case comparison(Comparison, SQLExpression, SQLExpression)
  /// `a BETWEEN b AND c`.
  case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
  /// `a IN …`.
  case membership(SQLExpression, SQLCollection, isNegated: Bool)
  /// `a LIKE b ESCAPE c`, `a GLOB b`, `a MATCH b`.
  case match(MatchOperator, SQLExpression, SQLExpression, escape: SQLExpression?, isNegated: Bool)
  /// `EXISTS (…)`.
  case exists(SQLSubquery, isNegated: Bool)
  /// `a COLLATE c`.
  case collated(SQLExpression, String)
  /// `F(a, b)`.
  case function(String, [SQLExpression])
  /// Returns `COUNT(DISTINCT a) FILTER (WHERE b)`, and window functions.
  indirect case aggregate(Aggregate)
  /// `CAST(a AS t)`.
  case cast(SQLExpression, type: String)
  /// `CASE a WHEN b THEN c ELSE d END`.
  case conditional(of: SQLExpression?, [CaseBranch], otherwise: SQLExpression?)
  /// `(a, b)`.
  case tuple([SQLExpression])
  /// An expression that depends on the database.
  case deferred(@Sendable (Database) throws -> SQLExpression)
  /// An expression that requires an SQLite feature.
  case requiring(SQLExpression, @Sendable (SQLiteFeatures) throws -> Void)
}

/// A comparison with a negated operator in SQL.
@usableFromInline
package enum Comparison: UInt8, Sendable {
  case equal, notEqual, `is`, isNot

  var negated: Comparison {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .is: .isNot
    case .isNot: .is
    }
  }

  /// Returns the SQL operator, in its variant for NULL if an operand is NULL.
  func sql(comparingToNull: Bool) -> String {
    switch self {
    case .equal: comparingToNull ? " IS " : " = "
    case .notEqual: comparingToNull ? " IS NOT " : " <> "
    case .is: " IS "
    case .isNot: " IS NOT "
    }
  }
}

/// A pattern matching operator: `LIKE`, `GLOB` or `MATCH`.
package enum MatchOperator: String, Sendable {
  case like = "LIKE"
  case glob = "GLOB"
  case match = "MATCH"
}

/// A `WHEN` branch of `CASE`.
package struct CaseBranch: Sendable {
  package let condition: SQLExpression
  package let result: SQLExpression
}

/// The right operand of `IN`.
package enum SQLCollection: Sendable {
  case expressions([SQLExpression])
  /// An array argument of any length.
  case array(ArrayArgument)
  case query(SQLSubquery)
  /// A table, by name.
  case table(String)
}

/// An aggregate or window function.
package struct Aggregate: Sendable {
  package var name: String
  var isDistinct = false
  /// The arguments; empty for `*`.
  package var arguments: [SQLExpression]
  package var ordering: [SQLOrdering] = []
  package var filter: SQLExpression?
  package var window: WindowDefinition?
  /// Whether it is a window function that can't be used as an aggregate.
  var isWindowOnly = false

  package init(_ name: String, _ arguments: [SQLExpression]) {
    self.name = name
    self.arguments = arguments
  }
}

extension SQLExpression {
  package init(_ node: ExpressionNode) { self.init(node: node) }

  /// The syntax tree node; nil for values and SQL literals.
  package var expressionNode: ExpressionNode? {
    if case .node(let node) = content { node.cast(to: ExpressionNode.self) } else { nil }
  }

  /// Whether the expression is the value NULL.
  package var isNull: Bool {
    if case .value(let value) = content { value.isNull } else { false }
  }

  /// The value; nil if the expression is not a value.
  package var value: DatabaseValue? {
    if case .value(let value) = content { value } else { nil }
  }

  /// The logical negation of the expression.
  package var negated: SQLExpression {
    switch expressionNode {
    case .comparison(let comparison, let lhs, let rhs):
      return SQLExpression(.comparison(comparison.negated, lhs, rhs))
    case .between(let value, let lower, let upper, let isNegated):
      return SQLExpression(.between(value, lower, upper, isNegated: !isNegated))
    case .membership(let value, let collection, let isNegated):
      return SQLExpression(.membership(value, collection, isNegated: !isNegated))
    case .match(let name, let value, let pattern, let escape, let isNegated):
      return SQLExpression(.match(name, value, pattern, escape: escape, isNegated: !isNegated))
    case .exists(let query, let isNegated):
      return SQLExpression(.exists(query, isNegated: !isNegated))
    case .collated(let expression, let collation):
      return SQLExpression(.collated(expression.negated, collation))
    default: break
    }
    if case .value(let value) = content, let truth = value.booleanLiteral {
      return SQLExpression((!truth).databaseValue)
    }
    return SQLExpression(.not(self))
  }
}

extension DatabaseValue {
  /// Whether the value is 0 or 1, as Swift's `true` and `false` are stored.
  fileprivate var booleanLiteral: Bool? {
    switch storage {
    case .int64(0): false
    case .int64(1): true
    default: nil
    }
  }
}
