import CofferCore

// The overloads match those of the comparisons. Addition, subtraction and multiplication have one
// more, with an optional result, for two expressions of which one can be NULL. Division by 0
// returns NULL.

extension SQLTypedExpressible where SQLValue: SQLAddable {
  /// Returns `lhs + rhs` for numbers, `lhs || rhs` for text.
  public static func + (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// Returns `lhs + rhs` for numbers, `lhs || rhs` for text.
  public static func + (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// Returns `lhs + rhs` for numbers, `lhs || rhs` for text.
  public static func + (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }

  /// Returns `lhs + rhs` for numbers, `lhs || rhs` for text.
  public static func + <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(chain(SQLValue.sqlAddition, lhs, rhs))
  }
}

extension SQLTypedExpressible where SQLValue: SQLNumber {
  /// Returns the SQL expression `-operand`.
  public static prefix func - (operand: Self) -> TypedExpression<SQLValue> {
    TypedExpression(-operand.sqlExpression)
  }

  /// Returns the SQL expression `lhs - rhs`.
  public static func - (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs - rhs`.
  public static func - (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs - rhs`.
  public static func - (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs - rhs`.
  public static func - <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" - ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs * rhs`.
  public static func * (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// Returns the SQL expression `lhs * rhs`.
  public static func * (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// Returns the SQL expression `lhs * rhs`.
  public static func * (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedExpression<SQLValue> {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// Returns the SQL expression `lhs * rhs`.
  public static func * <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(chain(.multiply, lhs, rhs))
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero. The result is NULL if `rhs` is 0.
  public static func / (lhs: Self, rhs: SQLValue) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero. The result is NULL if `rhs` is 0.
  public static func / (lhs: SQLValue, rhs: Self) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(binary(" / ", lhs, rhs))
  }

  /// Returns `lhs / rhs`.
  ///
  /// The quotient of two integers is rounded towards zero. The result is NULL if `rhs` is 0.
  public static func / <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedExpression<SQLValue._Base?>
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedExpression(binary(" / ", lhs, rhs))
  }
}
