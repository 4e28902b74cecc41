import CofferCore

// What optional chaining in closures makes: `$0.address?.city == "Rome"`.

extension Optional: SQLTypedCondition
where
  Wrapped: SQLTypedExpressible, Wrapped.SQLValue: DatabaseValueConvertible,
  Wrapped.SQLValue._Base == Bool
{}

extension Optional: SQLTypedExpressible where Wrapped: SQLTypedExpressible {
  /// The Swift type of the values.
  public typealias SQLValue = Wrapped.SQLValue

  /// The form of the wrapped expression.
  public var _form: _ColumnForm? { flatMap(\._form) }

  /// `lhs IS NULL`, where Swift's own would ask whether there is an expression.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> TypedPredicate {
    TypedPredicate(SQLExpression(.comparison(.is, lhs.sqlExpression, SQLExpression(.null))))
  }

  /// `rhs IS NULL`, where Swift's own would ask whether there is an expression.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> TypedPredicate {
    rhs == lhs
  }

  /// `rhs IS NOT NULL`, where Swift's own would ask whether there is an expression.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> TypedPredicate {
    rhs != lhs
  }

  /// `lhs IS NOT NULL`, where Swift's own would ask whether there is an expression.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> TypedPredicate {
    TypedPredicate(SQLExpression(.comparison(.isNot, lhs.sqlExpression, SQLExpression(.null))))
  }
}
