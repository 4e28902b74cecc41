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
  public init(_ expression: some SQLExpressible) { self.init(expression, form: nil) }

  /// The form of the values that it is compared with; nil for the only one.
  public let _form: _ColumnForm?

  init(_ expression: some SQLExpressible, form: _ColumnForm?) {
    sqlExpression = expression.sqlExpression
    _form = form
  }
}

/// A condition. It is neither true nor false where an operand is NULL.
public typealias TypedPredicate = TypedExpression<Bool?>
