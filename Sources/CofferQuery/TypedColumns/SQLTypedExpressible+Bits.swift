import CofferCore

extension SQLTypedExpressible where SQLValue: SQLInteger {
  /// Returns the bitwise complement `~operand`.
  public static prefix func ~ (operand: Self) -> TypedExpression<SQLValue> {
    TypedExpression(~operand.sqlExpression)
  }

  /// Returns the remainder `lhs % rhs`, or NULL if `rhs` is 0.
  public static func % (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// Returns the remainder `lhs % rhs`, or NULL if `rhs` is 0.
  public static func % (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// Returns the remainder `lhs % rhs`, or NULL if `rhs` is 0.
  public static func % <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// Returns the bitwise AND `lhs & rhs`.
  public static func & (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// Returns the bitwise AND `lhs & rhs`.
  public static func & (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// Returns the bitwise AND `lhs & rhs`.
  public static func & (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// Returns the bitwise OR `lhs | rhs`.
  public static func | (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// Returns the bitwise OR `lhs | rhs`.
  public static func | (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// Returns the bitwise OR `lhs | rhs`.
  public static func | (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  public static func << (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  public static func << (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// Returns `lhs << rhs`: the bits of `lhs` shifted to the left.
  public static func << (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  public static func >> (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  public static func >> (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }

  /// Returns `lhs >> rhs`: the bits of `lhs` shifted to the right, preserving the sign.
  public static func >> (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }
}
