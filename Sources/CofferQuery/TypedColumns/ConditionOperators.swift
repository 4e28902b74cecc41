import CofferCore

// All forms of AND, OR and NOT. Most conditions are made of the first ones, of known types, which
// the compiler gets to before the others. Those take existentials where they can: where
// an expression is wrong, the compiler tries all forms with all others, and generic ones multiply
// what it tries.

/// A typed expression that SQL takes as a condition: one of `Bool`, optional or not.
public protocol SQLTypedCondition: SQLExpressible {}

extension TypedColumn: SQLTypedCondition
where Value: DatabaseValueConvertible, Value._Base == Bool {}
extension TypedExpression: SQLTypedCondition
where Value: DatabaseValueConvertible, Value._Base == Bool {}

// MARK: AND

/// `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: Bool) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: Bool, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.and, lhs, rhs))
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLTypedCondition) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLTypedCondition, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: Bool?) -> SQLExpression {
  chain(.and, lhs, rhs)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (lhs: Bool?, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.and, lhs, rhs)
}

// MARK: OR

/// `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: Bool) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: Bool, rhs: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(chain(.or, lhs, rhs))
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLTypedCondition) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLTypedCondition, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: Bool?) -> SQLExpression {
  chain(.or, lhs, rhs)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (lhs: Bool?, rhs: any SQLSpecificExpressible) -> SQLExpression {
  chain(.or, lhs, rhs)
}

// MARK: NOT

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
public prefix func ! (operand: TypedPredicate) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
public prefix func ! (operand: SQLExpression) -> SQLExpression {
  operand.sqlExpression.negated
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
@_disfavoredOverload
public prefix func ! (operand: any SQLTypedCondition) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
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
  /// The conditions with an operator between them.
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
