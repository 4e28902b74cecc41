import CofferCore

// The forms are those of comparisons; what may be NULL on one side makes a result
// that may be.

extension SQLTypedExpressible where SQLValue: SQLAddable {
  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (
    lhs: Self, rhs: SQLValue
  ) -> TypedExpression<SQLValue> {
    TypedExpression(SQLValue.sqlAddition.joining([lhs.sqlExpression, rhs.sqlExpression]))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (
    lhs: SQLValue, rhs: Self
  ) -> TypedExpression<SQLValue> {
    TypedExpression(SQLValue.sqlAddition.joining([lhs.sqlExpression, rhs.sqlExpression]))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(SQLValue.sqlAddition.joining([lhs.sqlExpression, rhs.sqlExpression]))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedExpression<SQLValue?> {
    TypedExpression(SQLValue.sqlAddition.joining([lhs.sqlExpression, rhs.sqlExpression]))
  }

  /// `lhs + rhs` of numbers, `lhs || rhs` of text.
  public static func + <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue> where SQLValue == Other.SQLValue? {
    TypedExpression(SQLValue.sqlAddition.joining([lhs.sqlExpression, rhs.sqlExpression]))
  }
}

extension SQLTypedExpressible where SQLValue: SQLNumber {
  /// `-operand`.
  public static prefix func - (operand: Self) -> TypedExpression<SQLValue> {
    TypedExpression(-operand.sqlExpression)
  }

  /// `lhs - rhs`.
  public static func - (
    lhs: Self, rhs: SQLValue
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - (
    lhs: SQLValue, rhs: Self
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedExpression<SQLValue?> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs - rhs`.
  public static func - <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue> where SQLValue == Other.SQLValue? {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (
    lhs: Self, rhs: SQLValue
  ) -> TypedExpression<SQLValue> {
    TypedExpression(product(lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (
    lhs: SQLValue, rhs: Self
  ) -> TypedExpression<SQLValue> {
    TypedExpression(product(lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(product(lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedExpression<SQLValue?> {
    TypedExpression(product(lhs, rhs))
  }

  /// `lhs * rhs`.
  public static func * <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue> where SQLValue == Other.SQLValue? {
    TypedExpression(product(lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (
    lhs: Self, rhs: SQLValue
  ) -> TypedExpression<SQLValue.SQLNullable> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (
    lhs: SQLValue, rhs: Self
  ) -> TypedExpression<SQLValue.SQLNullable> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue.SQLNullable> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedExpression<SQLValue.SQLNullable> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// `lhs / rhs`, rounded towards zero where both are integers; NULL where `rhs` is 0.
  public static func / <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue.SQLNullable> where SQLValue == Other.SQLValue? {
    TypedExpression(binary(" / ", lhs, rhs))
  }
}

private func product(_ lhs: some SQLExpressible, _ rhs: some SQLExpressible) -> SQLExpression {
  SQLExpression.AssociativeBinaryOperator.multiply.joining([
    lhs.sqlExpression, rhs.sqlExpression,
  ])
}
