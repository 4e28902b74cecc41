import CofferCore

// Each operator has three overloads: SQL on both sides, or on one side with a value on the other.
//
// The overloads are generic, and so are candidates for every such operator in files that import the
// module. Being disfavored, they hardly slow down the type checking of plain expressions: the type
// checker finds the standard library's solution first. `== nil`, `!= nil` and `??` are not
// disfavored, because the standard library's operators would accept the operands too, with a
// different meaning. For operands that are both conditions, there are concrete overloads: see
// ConditionOperators.swift.

extension SQLSpecificExpressible {
  // MARK: Equality

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.equal, lhs, rhs)
  }

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  ///
  /// If `lhs` is a `Bool`, the operands are swapped: `rhs = lhs`.
  @_disfavoredOverload
  public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    lhs is Bool ? comparison(.equal, rhs, lhs) : comparison(.equal, lhs, rhs)
  }

  /// Returns the SQL expression `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.equal, lhs, rhs)
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.notEqual, lhs, rhs)
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  ///
  /// If `lhs` is a `Bool`, the operands are swapped: `rhs <> lhs`.
  @_disfavoredOverload
  public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    lhs is Bool ? comparison(.notEqual, rhs, lhs) : comparison(.notEqual, lhs, rhs)
  }

  /// Returns the SQL expression `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.notEqual, lhs, rhs)
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  // MARK: NULL

  // The standard library's operators would compare the expression itself with nil.

  /// Returns the SQL expression `operand IS NULL`.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
    comparison(.equal, lhs, nil)
  }

  /// Returns the SQL expression `operand IS NULL`.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
    comparison(.equal, nil, rhs)
  }

  /// Returns the SQL expression `operand IS NOT NULL`.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
    comparison(.notEqual, lhs, nil)
  }

  /// Returns the SQL expression `operand IS NOT NULL`.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
    comparison(.notEqual, nil, rhs)
  }

  // MARK: Order

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }
}

/// Returns a comparison, with the collation of an operand moved to the end: `a = b COLLATE c`.
package func comparison(
  _ comparison: Comparison, _ lhs: (any SQLExpressible)?, _ rhs: (any SQLExpressible)?
) -> SQLExpression {
  comparing(
    comparison, lhs?.sqlExpression ?? SQLExpression(.null),
    rhs?.sqlExpression ?? SQLExpression(.null))
}

/// The same, without a copy of the operand on the left.
func comparison(
  _ comparison: Comparison, _ lhs: some SQLExpressible, _ rhs: (any SQLExpressible)?
) -> SQLExpression {
  comparing(comparison, lhs.sqlExpression, rhs?.sqlExpression ?? SQLExpression(.null))
}

/// Returns a comparison, with the collation of an operand moved to the end: `a = b COLLATE c`.
@usableFromInline
package func comparing(
  _ comparison: Comparison, _ lhs: SQLExpression, _ rhs: SQLExpression
) -> SQLExpression {
  liftingCollation(lhs, rhs) { SQLExpression(.comparison(comparison, $0, $1)) }
}

/// Returns a comparison without a negated operator in SQL.
package func comparison(
  _ symbol: String, _ lhs: some SQLExpressible, _ rhs: some SQLExpressible
) -> SQLExpression {
  comparing(symbol, lhs.sqlExpression, rhs.sqlExpression)
}

/// Returns a comparison without a negated operator in SQL.
@usableFromInline
func comparing(
  _ symbol: String, _ lhs: SQLExpression, _ rhs: SQLExpression
) -> SQLExpression {
  liftingCollation(lhs, rhs) { SQLExpression(.binary(symbol, $0, $1)) }
}

/// Combines two expressions, and applies their collation to the combined expression.
func liftingCollation(
  _ lhs: SQLExpression, _ rhs: SQLExpression,
  _ make: (SQLExpression, SQLExpression) -> SQLExpression
) -> SQLExpression {
  if case .collated(let lhs, let collation)? = lhs.expressionNode {
    // The left operand's collation takes precedence.
    if case .collated(let rhs, _)? = rhs.expressionNode {
      return SQLExpression(.collated(make(lhs, rhs), collation))
    }
    return SQLExpression(.collated(make(lhs, rhs), collation))
  }
  if case .collated(let rhs, let collation)? = rhs.expressionNode {
    return SQLExpression(.collated(make(lhs, rhs), collation))
  }
  return make(lhs, rhs)
}
