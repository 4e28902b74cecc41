import CofferCore

// Each operator has five forms: a value on the right or on the left, which may be
// nil whatever the column is, and a typed expression of the same type, of its
// optional, or of the type that this one is the optional of. SQL without
// a type comes through the operators of `SQLSpecificExpressible`.

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Equality

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, lhs.operand(rhs)))
  }

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs == lhs : TypedPredicate(comparison(.equal, rhs.operand(lhs), rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, lhs.operand(rhs)))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    lhs is Bool ? rhs != lhs : TypedPredicate(comparison(.notEqual, rhs.operand(lhs), rhs))
  }
}

extension SQLTypedExpressible {
  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// `lhs = rhs`; `IS NULL` where a side is nil.
  public static func == <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(.equal, lhs, rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }

  /// `lhs <> rhs`; `IS NOT NULL` where a side is nil.
  public static func != <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(.notEqual, lhs, rhs))
  }
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Identity

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  public static func === (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(.is, lhs, lhs.operand(rhs)))
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  public static func === (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.is, rhs.operand(lhs), rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, lhs, lhs.operand(rhs)))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, rhs.operand(lhs), rhs))
  }
}

extension SQLTypedExpressible {
  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  public static func === (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.is, lhs, rhs))
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  public static func === (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.is, lhs, rhs))
  }

  /// `lhs IS rhs`: equality to which NULL is a value as others are.
  public static func === <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(.is, lhs, rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, lhs, rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(.isNot, lhs, rhs))
  }

  /// `lhs IS NOT rhs`.
  public static func !== <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(.isNot, lhs, rhs))
  }
}
