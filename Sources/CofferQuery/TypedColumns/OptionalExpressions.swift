import CofferCore

// Support for optional chaining in closures: `$0.address?.city == "Rome"`.

extension Optional: SQLTypedCondition
where
  Wrapped: SQLTypedExpressible, Wrapped.SQLValue: DatabaseValueConvertible,
  Wrapped.SQLValue._Base == Bool
{}

extension Optional: SQLTypedExpressible where Wrapped: SQLTypedExpressible {
  /// The Swift type of the values.
  public typealias SQLValue = Wrapped.SQLValue

  /// The storage format of the wrapped expression.
  public var _form: _ColumnForm? { flatMap(\._form) }

  /// Returns `lhs IS NULL`; Swift's operator would test whether the expression itself is nil.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> TypedPredicate {
    TypedPredicate(SQLExpression(.comparison(.is, lhs.sqlExpression, SQLExpression(.null))))
  }

  /// Returns `rhs IS NULL`; Swift's operator would test whether the expression itself is nil.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> TypedPredicate {
    rhs == lhs
  }

  /// Returns `rhs IS NOT NULL`; Swift's operator would test whether the expression itself is nil.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> TypedPredicate {
    rhs != lhs
  }

  /// Returns `lhs IS NOT NULL`; Swift's operator would test whether the expression itself is nil.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> TypedPredicate {
    TypedPredicate(SQLExpression(.comparison(.isNot, lhs.sqlExpression, SQLExpression(.null))))
  }
}
