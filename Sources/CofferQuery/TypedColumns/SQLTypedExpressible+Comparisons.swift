import CofferCore

// Each operator has three overloads: a value on the right, a value on the left, and two typed
// expressions. The overloads compare base types, so that nullable and non-nullable operands mix.
// Untyped SQL uses the operators of `SQLSpecificExpressible`.

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Equality and identity

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  @inlinable
  public static func == (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(.equal, lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  public static func == (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool
      ? rhs == lhs : TypedPredicate(comparing(.equal, rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  public static func == <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(.equal, lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  @inlinable
  public static func != (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(.notEqual, lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  public static func != (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool
      ? rhs != lhs : TypedPredicate(comparing(.notEqual, rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  public static func != <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(.notEqual, lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  @inlinable
  public static func === (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(.is, lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  public static func === (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(.is, rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  public static func === <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(.is, lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  @inlinable
  public static func !== (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(.isNot, lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  public static func !== (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(.isNot, rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  public static func !== <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(.isNot, lhs.sqlExpression, rhs.sqlExpression))
  }

  // MARK: Order

  /// Returns the SQL expression `lhs < rhs`.
  @inlinable
  public static func < (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(" < ", lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs < rhs`.
  public static func < (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(" < ", rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs < rhs`.
  public static func < <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(" < ", lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @inlinable
  public static func <= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(" <= ", lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  public static func <= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(" <= ", rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  public static func <= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(" <= ", lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs > rhs`.
  @inlinable
  public static func > (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(" > ", lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs > rhs`.
  public static func > (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(" > ", rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs > rhs`.
  public static func > <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(" > ", lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @inlinable
  public static func >= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparing(" >= ", lhs.sqlExpression, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  public static func >= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparing(" >= ", rhs.operand(lhs), rhs.sqlExpression))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  public static func >= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparing(" >= ", lhs.sqlExpression, rhs.sqlExpression))
  }
}

// MARK: - Types without database values

extension SQLTypedExpressible {
  /// Returns `lhs = rhs`, for two columns that store the same type as JSON.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparing(.equal, lhs.sqlExpression, rhs.sqlExpression))
  }

  /// Returns `lhs <> rhs`, for two columns that store the same type as JSON.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparing(.notEqual, lhs.sqlExpression, rhs.sqlExpression))
  }
}
