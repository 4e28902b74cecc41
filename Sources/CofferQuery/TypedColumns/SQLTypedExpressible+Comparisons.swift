import CofferCore

// Each operator has three overloads: a value on the right, a value on the left, and two typed
// expressions. The overloads compare base types, so that nullable and non-nullable operands mix.
// Untyped SQL uses the operators of `SQLSpecificExpressible`.

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Equality and identity

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  public static func == (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, lhs.operand(rhs)))
  }

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  public static func == (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs == lhs : TypedPredicate(comparison(.equal, rhs.operand(lhs), rhs))
  }

  /// Returns `lhs = rhs`, or `IS NULL` if an operand is nil.
  public static func == <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  public static func != (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, lhs.operand(rhs)))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  public static func != (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs != lhs : TypedPredicate(comparison(.notEqual, rhs.operand(lhs), rhs))
  }

  /// Returns `lhs <> rhs`, or `IS NOT NULL` if an operand is nil.
  public static func != <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  public static func === (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.is, lhs, lhs.operand(rhs)))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  public static func === (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.is, rhs.operand(lhs), rhs))
  }

  /// Returns `lhs IS rhs`, for which two NULL operands are equal.
  public static func === <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.is, lhs, rhs))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  public static func !== (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, lhs, lhs.operand(rhs)))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  public static func !== (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, rhs.operand(lhs), rhs))
  }

  /// Returns `lhs IS NOT rhs`, for which two NULL operands are equal.
  public static func !== <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.isNot, lhs, rhs))
  }

  // MARK: Order

  /// Returns the SQL expression `lhs < rhs`.
  public static func < (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" < ", lhs, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs < rhs`.
  public static func < (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" < ", rhs.operand(lhs), rhs))
  }

  /// Returns the SQL expression `lhs < rhs`.
  public static func < <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" < ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  public static func <= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", lhs, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  public static func <= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", rhs.operand(lhs), rhs))
  }

  /// Returns the SQL expression `lhs <= rhs`.
  public static func <= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" <= ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs > rhs`.
  public static func > (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" > ", lhs, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs > rhs`.
  public static func > (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" > ", rhs.operand(lhs), rhs))
  }

  /// Returns the SQL expression `lhs > rhs`.
  public static func > <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" > ", lhs, rhs))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  public static func >= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", lhs, lhs.operand(rhs)))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  public static func >= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", rhs.operand(lhs), rhs))
  }

  /// Returns the SQL expression `lhs >= rhs`.
  public static func >= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" >= ", lhs, rhs))
  }
}

// MARK: - Types without database values

extension SQLTypedExpressible {
  /// Returns `lhs = rhs`, for two columns that store the same type as JSON.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// Returns `lhs <> rhs`, for two columns that store the same type as JSON.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }
}
