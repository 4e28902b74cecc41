import CofferCore

extension SQLSpecificExpressible {
  /// Returns the SQL expression `-operand`.
  @_disfavoredOverload
  public static prefix func - (operand: Self) -> SQLExpression {
    SQLExpression(.prefix("-", operand.sqlExpression))
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.add, lhs, rhs)
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" - ", lhs, rhs)
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.multiply, lhs, rhs)
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero.
  @_disfavoredOverload
  public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" / ", lhs, rhs)
  }

  /// Returns the remainder `lhs % rhs` of both operands as integers.
  @_disfavoredOverload
  public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  /// Returns the remainder `lhs % rhs` of both operands as integers.
  @_disfavoredOverload
  public static func % (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  /// Returns the remainder `lhs % rhs` of both operands as integers.
  @_disfavoredOverload
  public static func % (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" % ", lhs, rhs)
  }

  // MARK: Bits

  /// Returns the bitwise complement `~operand`.
  @_disfavoredOverload
  public static prefix func ~ (operand: Self) -> SQLExpression {
    SQLExpression(.prefix("~", operand.sqlExpression))
  }

  /// Returns the bitwise AND `lhs & rhs`.
  @_disfavoredOverload
  public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// Returns the bitwise AND `lhs & rhs`.
  @_disfavoredOverload
  public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// Returns the bitwise AND `lhs & rhs`.
  @_disfavoredOverload
  public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.bitwiseAnd, lhs, rhs)
  }

  /// Returns the bitwise OR `lhs | rhs`.
  @_disfavoredOverload
  public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// Returns the bitwise OR `lhs | rhs`.
  @_disfavoredOverload
  public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// Returns the bitwise OR `lhs | rhs`.
  @_disfavoredOverload
  public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    chain(.bitwiseOr, lhs, rhs)
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  @_disfavoredOverload
  public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  @_disfavoredOverload
  public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  @_disfavoredOverload
  public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" << ", lhs, rhs)
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  @_disfavoredOverload
  public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  @_disfavoredOverload
  public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  @_disfavoredOverload
  public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(" >> ", lhs, rhs)
  }
}

// Not declared on `SQLSpecificExpressible`, to which optionals conform: for them, `??` is the
// operator of the standard library.

extension ColumnExpression {
  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression]))
  }
}

extension SQLExpression {
  /// Returns `IFNULL(lhs, rhs)`.
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
