import CofferCore
import CofferQuery

// Each operator has three forms: aggregates on both sides, or on one with an expression on the
// other. What comes out has no key. All are disfavored, so that they cost other expressions
// nothing: see SQLOperators.swift of the query floor.

extension AssociationAggregate {
  // MARK: Truth

  /// `NOT operand`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> Self { operand.negated }

  /// Whether the aggregate is true, or false.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: Bool) -> Self { rhs ? lhs.withoutKey : lhs.negated }

  /// Whether the aggregate is true, or false.
  @_disfavoredOverload
  public static func == (lhs: Bool, rhs: Self) -> Self { rhs == lhs }

  /// Whether the aggregate is false, or true.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: Bool) -> Self { lhs == !rhs }

  /// Whether the aggregate is false, or true.
  @_disfavoredOverload
  public static func != (lhs: Bool, rhs: Self) -> Self { rhs == !lhs }

  // MARK: Numbers

  /// `-operand`.
  @_disfavoredOverload
  public static prefix func - (operand: Self) -> Self { operand.map { -$0 } }

  // MARK: NULL

  /// `IFNULL(lhs, rhs)`; the aggregate keeps its key.
  @_disfavoredOverload
  public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
    var result = combined(lhs, constant(rhs)) { $0 ?? $1 }
    result.key = lhs.key
    return result
  }

  // MARK: Two operands

  /// `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.equal, $0, $1) }
  }

  /// `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.equal, $0, $1) }
  }

  /// `lhs = rhs`.
  @_disfavoredOverload
  public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.equal, $0, $1) }
  }

  /// `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.notEqual, $0, $1) }
  }

  /// `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.notEqual, $0, $1) }
  }

  /// `lhs <> rhs`.
  @_disfavoredOverload
  public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.notEqual, $0, $1) }
  }

  /// `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.is, $0, $1) }
  }

  /// `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.is, $0, $1) }
  }

  /// `lhs IS rhs`.
  @_disfavoredOverload
  public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.is, $0, $1) }
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(.isNot, $0, $1) }
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
    combined(lhs, constant(rhs)) { comparison(.isNot, $0, $1) }
  }

  /// `lhs IS NOT rhs`.
  @_disfavoredOverload
  public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(.isNot, $0, $1) }
  }

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" < ", $0, $1) }
  }

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" < ", $0, $1) }
  }

  /// `lhs < rhs`.
  @_disfavoredOverload
  public static func < (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" < ", $0, $1) }
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" <= ", $0, $1) }
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" <= ", $0, $1) }
  }

  /// `lhs <= rhs`.
  @_disfavoredOverload
  public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" <= ", $0, $1) }
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" > ", $0, $1) }
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" > ", $0, $1) }
  }

  /// `lhs > rhs`.
  @_disfavoredOverload
  public static func > (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" > ", $0, $1) }
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { comparison(" >= ", $0, $1) }
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { comparison(" >= ", $0, $1) }
  }

  /// `lhs >= rhs`.
  @_disfavoredOverload
  public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { comparison(" >= ", $0, $1) }
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 + $1 }
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 + $1 }
  }

  /// `lhs + rhs`.
  @_disfavoredOverload
  public static func + (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 + $1 }
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 - $1 }
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 - $1 }
  }

  /// `lhs - rhs`.
  @_disfavoredOverload
  public static func - (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 - $1 }
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 * $1 }
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 * $1 }
  }

  /// `lhs * rhs`.
  @_disfavoredOverload
  public static func * (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 * $1 }
  }

  /// `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: Self) -> Self {
    combined(lhs, rhs) { $0 / $1 }
  }

  /// `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: Self, rhs: some SQLExpressible) -> Self {
    combined(lhs, constant(rhs)) { $0 / $1 }
  }

  /// `lhs / rhs`.
  @_disfavoredOverload
  public static func / (lhs: some SQLExpressible, rhs: Self) -> Self {
    combined(constant(lhs), rhs) { $0 / $1 }
  }
}
