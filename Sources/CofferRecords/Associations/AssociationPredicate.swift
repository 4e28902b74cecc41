import CofferCore
import CofferQuery

/// What `&&` and `||` of aggregates take: an ``AssociationAggregate``, or an
/// ``AssociationPredicate``, which is what they return.
public protocol AssociationCondition: Sendable {
  /// The aggregate that is true or false.
  var _condition: AssociationAggregate<Any> { get }
}

/// A condition of several aggregates: see ``AssociationAggregate``.
///
/// ```swift
/// Author.having(Author.books.isEmpty && Author.awards.isEmpty)
/// ```
public struct AssociationPredicate: AssociationCondition {
  // It has no type parameter: with a generic type for its result, each `&&` of a program would
  // cost the compiler another search.

  /// The aggregate that is true or false.
  public let _condition: AssociationAggregate<Any>

  /// `NOT operand`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> Self {
    Self(_condition: operand._condition.negated)
  }
}

extension AssociationAggregate: AssociationCondition {
  /// The aggregate itself.
  public var _condition: AssociationAggregate<Any> { erased() }

  /// The aggregate, for a request with another type of rows.
  func erased<Other>() -> AssociationAggregate<Other> {
    AssociationAggregate<Other>(
      make: make, makeOpposite: makeOpposite, isSubquery: isSubquery, key: key)
  }
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any AssociationCondition, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.and, lhs._condition, rhs._condition)
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any AssociationCondition, rhs: any SQLExpressible
) -> AssociationPredicate {
  joined(.and, lhs._condition, .constant(rhs))
}

/// `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any SQLExpressible, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.and, .constant(lhs), rhs._condition)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (
  lhs: any AssociationCondition, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.or, lhs._condition, rhs._condition)
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (
  lhs: any AssociationCondition, rhs: any SQLExpressible
) -> AssociationPredicate {
  joined(.or, lhs._condition, .constant(rhs))
}

/// `lhs OR rhs`.
@_disfavoredOverload
public func || (
  lhs: any SQLExpressible, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.or, .constant(lhs), rhs._condition)
}

private func joined(
  _ symbol: SQLExpression.AssociativeBinaryOperator, _ lhs: AssociationAggregate<Any>,
  _ rhs: AssociationAggregate<Any>
) -> AssociationPredicate {
  AssociationPredicate(_condition: .combined(lhs, rhs) { [$0, $1].joined(operator: symbol) })
}
