import CofferCore

// Declared for each type, not for a protocol: Swift's own `??` takes anything, and the compiler
// would try all combinations of the two.

extension TypedColumn {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: Self) -> TypedExpression<Value> { ifNull(lhs, rhs) }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }
}

extension TypedExpression {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: Self) -> TypedExpression<Value> { ifNull(lhs, rhs) }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }
}

/// `IFNULL(lhs, rhs)`, in the form of the left side's values.
package func ifNull<Value>(
  _ lhs: some SQLTypedExpressible, _ rhs: some SQLExpressible
) -> TypedExpression<Value> {
  TypedExpression(
    SQLExpression(.function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression])), form: lhs._form)
}

/// `COALESCE(a, b, …)`: the first of the values that is not NULL, or NULL.
public func coalesce<Wrapped>(
  _ values: [some SQLTypedExpressible<Wrapped?>]
) -> TypedExpression<Wrapped?> {
  TypedExpression(coalesce(values.map { $0.sqlExpression as any SQLSpecificExpressible }))
}
