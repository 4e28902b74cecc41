import CofferCore

// Declared for each type rather than for a protocol: the standard library's `??` accepts any type,
// and the type checker would try all combinations of both.

extension TypedColumn {
  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: Self) -> TypedExpression<Value> { ifNull(lhs, rhs) }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }
}

extension TypedExpression {
  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: Self) -> TypedExpression<Value> { ifNull(lhs, rhs) }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// Returns `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where Value == Wrapped? {
    ifNull(lhs, rhs)
  }
}

/// Returns `IFNULL(lhs, rhs)`, with the storage format of the left operand.
package func ifNull<Value>(
  _ lhs: some SQLTypedExpressible, _ rhs: some SQLExpressible
) -> TypedExpression<Value> {
  TypedExpression(
    SQLExpression(.function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression])), form: lhs._form)
}

/// Returns `COALESCE(a, b, …)`: the first value that is not NULL, or NULL.
public func coalesce<Wrapped>(
  _ values: [some SQLTypedExpressible<Wrapped?>]
) -> TypedExpression<Wrapped?> {
  TypedExpression(coalesce(values.map { $0.sqlExpression as any SQLSpecificExpressible }))
}
