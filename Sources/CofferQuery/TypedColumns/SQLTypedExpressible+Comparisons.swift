import CofferCore

// Each operator has three forms: with a value on the right, with a value on the left, and with
// two typed expressions. Whether a side can be NULL makes no difference: types that have the same
// base are compared. SQL without a type comes through the operators of `SQLSpecificExpressible`.

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Equality and identity

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, lhs.operand(rhs)))
  }

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs == lhs : TypedPredicate(comparison(.equal, rhs.operand(lhs), rhs))
  }

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, lhs.operand(rhs)))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs != lhs : TypedPredicate(comparison(.notEqual, rhs.operand(lhs), rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }

  /// `lhs IS rhs`: equality that takes NULL for a value.
  public static func === (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.is, lhs, lhs.operand(rhs)))
  }

  /// `lhs IS rhs`: equality that takes NULL for a value.
  public static func === (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.is, rhs.operand(lhs), rhs))
  }

  /// `lhs IS rhs`: equality that takes NULL for a value.
  public static func === <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.is, lhs, rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, lhs, lhs.operand(rhs)))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, rhs.operand(lhs), rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(.isNot, lhs, rhs))
  }

  // MARK: Order

  /// `lhs < rhs`.
  public static func < (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" < ", lhs, lhs.operand(rhs)))
  }

  /// `lhs < rhs`.
  public static func < (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" < ", rhs.operand(lhs), rhs))
  }

  /// `lhs < rhs`.
  public static func < <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" < ", lhs, rhs))
  }

  /// `lhs <= rhs`.
  public static func <= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", lhs, lhs.operand(rhs)))
  }

  /// `lhs <= rhs`.
  public static func <= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", rhs.operand(lhs), rhs))
  }

  /// `lhs <= rhs`.
  public static func <= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" <= ", lhs, rhs))
  }

  /// `lhs > rhs`.
  public static func > (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" > ", lhs, lhs.operand(rhs)))
  }

  /// `lhs > rhs`.
  public static func > (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" > ", rhs.operand(lhs), rhs))
  }

  /// `lhs > rhs`.
  public static func > <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" > ", lhs, rhs))
  }

  /// `lhs >= rhs`.
  public static func >= (lhs: Self, rhs: SQLValue._Base?) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", lhs, lhs.operand(rhs)))
  }

  /// `lhs >= rhs`.
  public static func >= (lhs: SQLValue._Base?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", rhs.operand(lhs), rhs))
  }

  /// `lhs >= rhs`.
  public static func >= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate
  where Other.SQLValue: DatabaseValueConvertible, SQLValue._Base == Other.SQLValue._Base {
    TypedPredicate(comparison(" >= ", lhs, rhs))
  }
}

// MARK: - Types without database values

extension SQLTypedExpressible {
  /// `lhs = rhs`, of two columns that hold the same type as JSON.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// `lhs <> rhs`, of two columns that hold the same type as JSON.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some SQLTypedExpressible<SQLValue>) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }
}
