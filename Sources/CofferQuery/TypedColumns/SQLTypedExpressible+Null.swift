import CofferCore

/// A typed expression for which `??` is SQL's `IFNULL`.
///
/// Only types of the library conform. Optionals, which are typed expressions as the results of
/// optional chaining, don't: Swift's own `??` takes them, and the compiler would try all
/// combinations of the two.
public protocol SQLTypedOperand: SQLTypedExpressible {}

extension TypedColumn: SQLTypedOperand {}
extension TypedExpression: SQLTypedOperand {}

extension SQLTypedOperand {
  /// `IFNULL(lhs, rhs)`.
  public static func ?? (lhs: Self, rhs: Self) -> TypedExpression<SQLValue> { ifNull(lhs, rhs) }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped: DatabaseValueConvertible>(
    lhs: Self, rhs: Wrapped
  ) -> TypedExpression<Wrapped> where SQLValue == Wrapped? {
    ifNull(lhs, lhs.operand(rhs))
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
  ) -> TypedExpression<Wrapped> where SQLValue == Wrapped? {
    ifNull(lhs, rhs)
  }

  /// `IFNULL(lhs, rhs)`.
  public static func ?? <Wrapped>(
    lhs: Self, rhs: some SQLTypedExpressible<Wrapped?>
  ) -> TypedExpression<Wrapped?> where SQLValue == Wrapped? {
    ifNull(lhs, rhs)
  }
}

private func ifNull<Value>(
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
