import CofferCore

/// An SQL expression with values of a Swift type.
///
/// ```swift
/// let age = TypedExpression<Int>(SQL("unixepoch() - birth"))
/// ```
public struct TypedExpression<Value>: SQLTypedExpressible, Sendable {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  /// The expression without its type.
  public let sqlExpression: SQLExpression

  /// An expression that is known to have values of the type: nothing checks it
  /// before they are read.
  public init(_ expression: some SQLExpressible) { sqlExpression = expression.sqlExpression }
}

/// A condition. It is neither true nor false where an operand is NULL.
public typealias TypedPredicate = TypedExpression<Bool?>
