import CofferCore

// Five forms each, as of equality.

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  // MARK: Order

  /// `lhs < rhs`.
  public static func < (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(" < ", lhs, lhs.operand(rhs)))
  }

  /// `lhs < rhs`.
  public static func < (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" < ", rhs.operand(lhs), rhs))
  }

  /// `lhs <= rhs`.
  public static func <= (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", lhs, lhs.operand(rhs)))
  }

  /// `lhs <= rhs`.
  public static func <= (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", rhs.operand(lhs), rhs))
  }

  /// `lhs > rhs`.
  public static func > (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(" > ", lhs, lhs.operand(rhs)))
  }

  /// `lhs > rhs`.
  public static func > (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" > ", rhs.operand(lhs), rhs))
  }

  /// `lhs >= rhs`.
  public static func >= (lhs: Self, rhs: SQLValue?) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", lhs, lhs.operand(rhs)))
  }

  /// `lhs >= rhs`.
  public static func >= (lhs: SQLValue?, rhs: Self) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", rhs.operand(lhs), rhs))
  }
}

extension SQLTypedExpressible {
  /// `lhs < rhs`.
  public static func < (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" < ", lhs, rhs))
  }

  /// `lhs < rhs`.
  public static func < (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" < ", lhs, rhs))
  }

  /// `lhs < rhs`.
  public static func < <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(" < ", lhs, rhs))
  }

  /// `lhs <= rhs`.
  public static func <= (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", lhs, rhs))
  }

  /// `lhs <= rhs`.
  public static func <= (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" <= ", lhs, rhs))
  }

  /// `lhs <= rhs`.
  public static func <= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(" <= ", lhs, rhs))
  }

  /// `lhs > rhs`.
  public static func > (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" > ", lhs, rhs))
  }

  /// `lhs > rhs`.
  public static func > (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" > ", lhs, rhs))
  }

  /// `lhs > rhs`.
  public static func > <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(" > ", lhs, rhs))
  }

  /// `lhs >= rhs`.
  public static func >= (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", lhs, rhs))
  }

  /// `lhs >= rhs`.
  public static func >= (
    lhs: Self, rhs: some SQLTypedExpressible<SQLValue?>
  ) -> TypedPredicate {
    TypedPredicate(comparison(" >= ", lhs, rhs))
  }

  /// `lhs >= rhs`.
  public static func >= <Other: SQLTypedExpressible>(
    lhs: Self, rhs: Other
  ) -> TypedPredicate where SQLValue == Other.SQLValue? {
    TypedPredicate(comparison(" >= ", lhs, rhs))
  }
}
