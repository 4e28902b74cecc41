import CofferCore
import CofferQuery

/// A condition of several aggregates: see ``AssociationAggregate``.
///
/// ```swift
/// Author.having(Author.books.isEmpty && Author.awards.isEmpty)
/// ```
public struct AssociationPredicate: Sendable {
  // It has no type parameter: with a generic type for its result, each `&&` of a program would
  // cost the compiler a search of its own.
  let aggregate: AssociationAggregate<Any>

  init(_ aggregate: AssociationAggregate<Any>) { self.aggregate = aggregate }

  fileprivate static func joined(
    _ symbol: SQLExpression.AssociativeBinaryOperator, _ lhs: AssociationAggregate<Any>,
    _ rhs: AssociationAggregate<Any>
  ) -> AssociationPredicate {
    AssociationPredicate(.combined(lhs, rhs) { [$0, $1].joined(operator: symbol) })
  }

  /// `NOT operand`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> Self { Self(operand.aggregate.negated) }
}

extension AssociationAggregate {
  fileprivate var anyAggregate: AssociationAggregate<Any> { erased() }

  /// The aggregate of a request whose type isn't known.
  func erased<Other>() -> AssociationAggregate<Other> {
    AssociationAggregate<Other>(
      make: make, makeOpposite: makeOpposite, isSubquery: isSubquery, key: key)
  }

  fileprivate init(constant expression: SQLExpression) {
    self.init(make: { _ in expression }, isSubquery: true)
  }
}

// MARK: - AND

extension AssociationPredicate {
  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: Self) -> Self {
    .joined(.and, lhs.aggregate, rhs.aggregate)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: some SQLExpressible) -> Self {
    .joined(.and, lhs.aggregate, AssociationAggregate(constant: rhs.sqlExpression))
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: some SQLExpressible, rhs: Self) -> Self {
    .joined(.and, AssociationAggregate(constant: lhs.sqlExpression), rhs.aggregate)
  }
}

extension AssociationAggregate {
  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: Self) -> AssociationPredicate {
    .joined(.and, lhs.anyAggregate, rhs.anyAggregate)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: AssociationPredicate) -> AssociationPredicate {
    .joined(.and, lhs.anyAggregate, rhs.aggregate)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: AssociationPredicate, rhs: Self) -> AssociationPredicate {
    .joined(.and, lhs.aggregate, rhs.anyAggregate)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: some SQLExpressible) -> AssociationPredicate {
    .joined(.and, lhs.anyAggregate, AssociationAggregate<Any>(constant: rhs.sqlExpression))
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (lhs: some SQLExpressible, rhs: Self) -> AssociationPredicate {
    .joined(.and, AssociationAggregate<Any>(constant: lhs.sqlExpression), rhs.anyAggregate)
  }
}

// MARK: - OR

extension AssociationPredicate {
  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: Self) -> Self {
    .joined(.or, lhs.aggregate, rhs.aggregate)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: some SQLExpressible) -> Self {
    .joined(.or, lhs.aggregate, AssociationAggregate(constant: rhs.sqlExpression))
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: some SQLExpressible, rhs: Self) -> Self {
    .joined(.or, AssociationAggregate(constant: lhs.sqlExpression), rhs.aggregate)
  }
}

extension AssociationAggregate {
  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: Self) -> AssociationPredicate {
    .joined(.or, lhs.anyAggregate, rhs.anyAggregate)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: AssociationPredicate) -> AssociationPredicate {
    .joined(.or, lhs.anyAggregate, rhs.aggregate)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: AssociationPredicate, rhs: Self) -> AssociationPredicate {
    .joined(.or, lhs.aggregate, rhs.anyAggregate)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: some SQLExpressible) -> AssociationPredicate {
    .joined(.or, lhs.anyAggregate, AssociationAggregate<Any>(constant: rhs.sqlExpression))
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (lhs: some SQLExpressible, rhs: Self) -> AssociationPredicate {
    .joined(.or, AssociationAggregate<Any>(constant: lhs.sqlExpression), rhs.anyAggregate)
  }
}
