import CofferCore

// The forms are those of comparisons. Where one of two expressions can be NULL, so can the result:
// addition, subtraction and multiplication have a form more. Division by 0 gives NULL.

extension SQLTypedExpressible where SQLValue: SQLAddable {
  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }
}

extension SQLTypedExpressible where SQLValue: SQLNumber {
  /// `-operand`.
  public static prefix func - (operand: Self) -> TypedExpression<SQLValue> {
    TypedExpression(-operand.sqlExpression)
  }

  /// `lhs - rhs`.
  public static func - (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" / ", lhs, rhs))
  }
}
