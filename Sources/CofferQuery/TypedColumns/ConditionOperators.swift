import CofferCore

// The overloads of AND, OR and NOT. Most conditions use the concrete ones, which the type checker
// tries before the disfavored ones. The others take existentials where possible: in an invalid
// expression, the type checker tries all combinations of overloads, and generic ones multiply their
// number.

/// A typed expression that is a condition: its values are `Bool` or `Bool?`.
public protocol SQLTypedCondition: SQLExpressible {}

extension TypedColumn: SQLTypedCondition
where Value: DatabaseValueConvertible, Value._Base == Bool {}
extension TypedExpression: SQLTypedCondition
where Value: DatabaseValueConvertible, Value._Base == Bool {}

// MARK: AND

/// Returns the SQL expression `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// Returns the SQL expression `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: Bool) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: Bool, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLTypedCondition) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: Bool?) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: Bool?, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

// MARK: OR

/// Returns the SQL expression `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// Returns the SQL expression `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: Bool) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: Bool, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLTypedCondition) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: Bool?) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: Bool?, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

// MARK: NOT

/// Returns `NOT operand`, or the negated operator of the operand, such as `<>` or `NOT IN`.
public prefix func ! (operand: TypedPredicate) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// Returns `NOT operand`, or the negated operator of the operand, such as `<>` or `NOT IN`.
public prefix func ! (operand: SQLExpression) -> SQLExpression {
  operand.sqlExpression.negated
}

/// Returns `NOT operand`, or the negated operator of the operand, such as `<>` or `NOT IN`.
@_disfavoredOverload
public prefix func ! (operand: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// Returns `NOT operand`, or the negated operator of the operand, such as `<>` or `NOT IN`.
@_disfavoredOverload
public prefix func ! (operand: any SQLSpecificExpressible) -> SQLExpression {
  operand.sqlExpression.negated
}

// MARK: - Many

extension Sequence
where
  Element: SQLTypedExpressible, Element.SQLValue: DatabaseValueConvertible,
  Element.SQLValue._Base == Bool
{
  /// Returns the conditions joined by an operator.
  ///
  /// ```swift
  /// Player.filter { columns in
  ///   words.map { columns.name.contains($0) }.joined(operator: .and)
  /// }
  /// ```
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> TypedPredicate {
    TypedPredicate(`operator`.joining(map(\.sqlExpression)))
  }
}
