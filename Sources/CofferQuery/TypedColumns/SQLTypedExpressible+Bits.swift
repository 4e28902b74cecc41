import CofferCore

extension SQLTypedExpressible where SQLValue: SQLInteger {
  /// `~operand`, bit by bit.
  public static prefix func ~ (operand: Self) -> TypedExpression<SQLValue> {
    TypedExpression(~operand.sqlExpression)
  }

  /// `lhs % rhs`; NULL where `rhs` is 0.
  public static func % (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// `lhs % rhs`; NULL where `rhs` is 0.
  public static func % (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// `lhs % rhs`; NULL where `rhs` is 0.
  public static func % <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" % ", lhs, rhs))
  }

  /// `lhs & rhs`, bit by bit.
  public static func & (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// `lhs & rhs`, bit by bit.
  public static func & (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// `lhs & rhs`, bit by bit.
  public static func & (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseAnd, lhs, rhs))
  }

  /// `lhs | rhs`, bit by bit.
  public static func | (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// `lhs | rhs`, bit by bit.
  public static func | (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// `lhs | rhs`, bit by bit.
  public static func | (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.bitwiseOr, lhs, rhs))
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  public static func << (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  public static func << (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// `lhs << rhs`: the bits of `lhs`, moved to the left.
  public static func << (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" << ", lhs, rhs))
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  public static func >> (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  public static func >> (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }

  /// `lhs >> rhs`: the bits of `lhs`, moved to the right, the sign kept.
  public static func >> (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" >> ", lhs, rhs))
  }
}
