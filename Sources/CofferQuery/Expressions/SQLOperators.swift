import CofferCore

// Each operator has three forms: SQL on both sides, or on one with a value on
// the other. Two values are Swift's own business.
//
// The forms are generic, and take part wherever a file that imports the module has
// such an operator. Disfavored, they cost plain expressions next to nothing: the
// compiler finds Swift's solution first, and drops ours as worse. Some stay as they
// are, since Swift's operator would take the operands too, and mean something else:
// `== nil` and `!= nil`, and `??`. And where both sides are conditions already, there
// are forms for just these types: see ConditionOperators.swift.

extension SQLSpecificExpressible {
  // MARK: Equality

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.equal, lhs, rhs)
  }

  /// `lhs = rhs`, `rhs = lhs` where `lhs` is a `Bool`; `IS NULL` where a side is nil.
  @_disfavoredOverload
  public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    lhs is Bool ? comparison(.equal, rhs, lhs) : comparison(.equal, lhs, rhs)
  }

  /// `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.equal, lhs, rhs)
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.notEqual, lhs, rhs)
  }

  /// `lhs <> rhs`, `rhs <> lhs` where `lhs` is a `Bool`; `IS NOT NULL` where a side is nil.
  @_disfavoredOverload
  public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    lhs is Bool ? comparison(.notEqual, rhs, lhs) : comparison(.notEqual, lhs, rhs)
  }

  /// `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.notEqual, lhs, rhs)
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  @_disfavoredOverload
  public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.is, lhs, rhs)
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(.isNot, lhs, rhs)
  }

  // MARK: NULL

  // Swift's own would be true for what isn't optional.

  /// `operand IS NULL`.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
    comparison(.equal, lhs, nil)
  }

  /// `operand IS NULL`.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
    comparison(.equal, nil, rhs)
  }

  /// `operand IS NOT NULL`.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
    comparison(.notEqual, lhs, nil)
  }

  /// `operand IS NOT NULL`.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
    comparison(.notEqual, nil, rhs)
  }

  // MARK: Order

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" < ", lhs, rhs)
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" <= ", lhs, rhs)
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" > ", lhs, rhs)
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", lhs, rhs)
  }
}

/// A comparison. A collation on a side is one of the whole, as in `a = b COLLATE c`.
package func comparison(
  _ comparison: Comparison, _ lhs: (any SQLExpressible)?, _ rhs: (any SQLExpressible)?
) -> SQLExpression {
  let lhs = lhs?.sqlExpression ?? SQLExpression(.null)
  let rhs = rhs?.sqlExpression ?? SQLExpression(.null)
  return liftingCollation(lhs, rhs) { SQLExpression(.comparison(comparison, $0, $1)) }
}

/// A comparison that has no negation in SQL.
package func comparison(
  _ symbol: String, _ lhs: any SQLExpressible, _ rhs: any SQLExpressible
) -> SQLExpression {
  liftingCollation(lhs.sqlExpression, rhs.sqlExpression) {
    SQLExpression(.binary(symbol, $0, $1))
  }
}

/// Makes an expression of two, with the collation that one of them has around it.
func liftingCollation(
  _ lhs: SQLExpression, _ rhs: SQLExpression,
  _ make: (SQLExpression, SQLExpression) -> SQLExpression
) -> SQLExpression {
  if case .collated(let lhs, let collation)? = lhs.expressionNode {
    // The left side's collation counts where both have one.
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
