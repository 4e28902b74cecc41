import CofferCore
import CofferQuery

/// An operand of `&&` and `||`: an ``AssociationAggregate`` or an ``AssociationPredicate``.
public protocol AssociationCondition: Sendable {
  /// The condition as an aggregate.
  var _condition: AssociationAggregate<Any> { get }
}

/// A condition of several aggregates: see ``AssociationAggregate``.
///
/// ```swift
/// Author.having(Author.books.isEmpty && Author.awards.isEmpty)
/// ```
public struct AssociationPredicate: AssociationCondition {
  // It has no type parameter: with a generic result type, the overloads would slow down the type
  // checking of each `&&` in a program.

  /// The condition as an aggregate.
  public let _condition: AssociationAggregate<Any>

  /// Returns the SQL expression `NOT operand`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> Self {
    Self(_condition: operand._condition.negated)
  }
}

extension AssociationAggregate: AssociationCondition {
  /// The aggregate itself.
  public var _condition: AssociationAggregate<Any> { erased() }

  /// Returns the aggregate for a request with another row type.
  func erased<Other>() -> AssociationAggregate<Other> {
    AssociationAggregate<Other>(
      make: make, makeOpposite: makeOpposite, isSubquery: isSubquery, key: key)
  }
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any AssociationCondition, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.and, lhs._condition, rhs._condition)
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any AssociationCondition, rhs: any SQLExpressible
) -> AssociationPredicate {
  joined(.and, lhs._condition, .constant(rhs))
}

/// Returns the SQL expression `lhs AND rhs`.
@_disfavoredOverload
public func && (
  lhs: any SQLExpressible, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.and, .constant(lhs), rhs._condition)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (
  lhs: any AssociationCondition, rhs: any AssociationCondition
) -> AssociationPredicate {
  joined(.or, lhs._condition, rhs._condition)
}

/// Returns the SQL expression `lhs OR rhs`.
@_disfavoredOverload
public func || (
  lhs: any AssociationCondition, rhs: any SQLExpressible
) -> AssociationPredicate {
  joined(.or, lhs._condition, .constant(rhs))
}

/// Returns the SQL expression `lhs OR rhs`.
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
