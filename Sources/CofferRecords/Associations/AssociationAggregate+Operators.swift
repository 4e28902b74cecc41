import CofferCore
import CofferQuery

// Each operator has three overloads: aggregates on both sides, or on one side with an expression on
// the other. The result has no key. The overloads are disfavored, so that they don't slow down the
// type checking of other expressions: see SQLOperators.swift in CofferQuery.

extension AssociationAggregate {
  // MARK: Truth

  /// Returns the SQL expression `NOT operand`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> Self { operand.negated }

  /// Returns a condition that the aggregate equals the Boolean.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: Bool) -> Self { rhs ? lhs.withoutKey : lhs.negated }

  /// Returns a condition that the aggregate equals the Boolean.
  @_disfavoredOverload
  public static func == (lhs: Bool, rhs: Self) -> Self { rhs == lhs }

  /// Returns a condition that the aggregate differs from the Boolean.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: Bool) -> Self { lhs == !rhs }

  /// Returns a condition that the aggregate differs from the Boolean.
  @_disfavoredOverload
  public static func != (lhs: Bool, rhs: Self) -> Self { rhs == !lhs }

  // MARK: Numbers

  /// Returns the SQL expression `-operand`.
  @_disfavoredOverload
  public static prefix func - (operand: Self) -> Self { operand.map { -$0 } }

  // MARK: NULL

  /// Returns `IFNULL(lhs, rhs)`, with the key of the aggregate.
  @_disfavoredOverload
  public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
    var result = combined(lhs, constant(rhs)) { $0 ?? $1 }
    result.key = lhs.key
    return result
  }

  // MARK: Two operands

  /// Returns the SQL expression `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.equal, $0, $1) }
  }

  /// Returns the SQL expression `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.equal, $0, $1) }
  }

  /// Returns the SQL expression `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.equal, $0, $1) }
  }

  /// Returns the SQL expression `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.notEqual, $0, $1) }
  }

  /// Returns the SQL expression `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.notEqual, $0, $1) }
  }

  /// Returns the SQL expression `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.notEqual, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.is, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.is, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.is, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.isNot, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.isNot, $0, $1) }
  }

  /// Returns the SQL expression `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.isNot, $0, $1) }
  }

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" < ", $0, $1) }
  }

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" < ", $0, $1) }
  }

  /// Returns the SQL expression `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" < ", $0, $1) }
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" <= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" <= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" <= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" > ", $0, $1) }
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" > ", $0, $1) }
  }

  /// Returns the SQL expression `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" > ", $0, $1) }
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" >= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" >= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" >= ", $0, $1) }
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 + $1 }
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 + $1 }
  }

  /// Returns the SQL expression `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 + $1 }
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 - $1 }
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 - $1 }
  }

  /// Returns the SQL expression `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 - $1 }
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 * $1 }
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 * $1 }
  }

  /// Returns the SQL expression `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 * $1 }
  }

  /// Returns the SQL expression `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 / $1 }
  }

  /// Returns the SQL expression `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 / $1 }
  }

  /// Returns the SQL expression `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 / $1 }
  }
}
