import CofferCore

extension SQLSpecificExpressible {
  /// `-operand`.
  @_disfavoredOverload
  public static prefix func - (operand: Self) -> SQLExpression {
    SQLExpression(.prefix("-", operand.sqlExpression))
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// `lhs / rhs`, rounded towards zero where both are integers.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// `lhs / rhs`, rounded towards zero where both are integers.
  @_disfavoredOverload
  public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// `lhs / rhs`, rounded towards zero where both are integers.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// `lhs % rhs`, of both as integers.
  @_disfavoredOverload
  public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  /// `lhs % rhs`, of both as integers.
  @_disfavoredOverload
  public static func % (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  /// `lhs % rhs`, of both as integers.
  @_disfavoredOverload
  public static func % (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  // MARK: Bits

  /// `~operand`, bit by bit.
  @_disfavoredOverload
  public static prefix func ~ (operand: Self) -> SQLExpression {
    SQLExpression(.prefix("~", operand.sqlExpression))
  }

  /// `lhs & rhs`, bit by bit.
  @_disfavoredOverload
  public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// `lhs & rhs`, bit by bit.
  @_disfavoredOverload
  public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// `lhs & rhs`, bit by bit.
  @_disfavoredOverload
  public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// `lhs | rhs`, bit by bit.
  @_disfavoredOverload
  public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// `lhs | rhs`, bit by bit.
  @_disfavoredOverload
  public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// `lhs | rhs`, bit by bit.
  @_disfavoredOverload
  public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  @_disfavoredOverload
  public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  @_disfavoredOverload
  public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  @_disfavoredOverload
  public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  @_disfavoredOverload
  public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  @_disfavoredOverload
  public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  @_disfavoredOverload
  public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }
}

// Not on `SQLSpecificExpressible`, which optionals conform to: there, `??` is Swift's.

extension ColumnExpression {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression]))
  }
}

extension SQLExpression {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: SQLExpression, rhs: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function("IFNULL", [lhs, rhs.sqlExpression]))
  }
}

package func chain(
  _ symbol: SQLExpression.AssociativeBinaryOperator, _ lhs: any SQLExpressible,
  _ rhs: any SQLExpressible
) -> SQLExpression {
  symbol.joining([lhs.sqlExpression, rhs.sqlExpression])
}

package func binary(
  _ symbol: String, _ lhs: any SQLExpressible, _ rhs: any SQLExpressible
) -> SQLExpression {
  SQLExpression(.binary(symbol, lhs.sqlExpression, rhs.sqlExpression))
}
