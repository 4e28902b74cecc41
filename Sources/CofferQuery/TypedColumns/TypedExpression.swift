import CofferCore

/// An SQL expression with values of a Swift type.
///
/// ```swift
/// let age = TypedExpression<Int>(SQL("unixepoch() - birth"))
/// ```
public struct TypedExpression<Value>: SQLTypedExpressible, Sendable {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  @usableFromInline let expression: SQLExpression

  /// The expression without its type; decimal numbers have a collation that compares them as
  /// numbers.
  @inlinable
  public var sqlExpression: SQLExpression { expression.compared(as: Value.self) }

  /// Creates a typed expression from SQL.
  ///
  /// The type is not checked until values are decoded.
  @inlinable
  public init(_ expression: some SQLExpressible) { self.init(expression, form: nil) }

  /// The storage format of values that are compared with the expression.
  ///
  /// Nil if their type has only one format.
  public let _form: _ColumnForm?

  @inlinable
  init(_ expression: some SQLExpressible, form: _ColumnForm?) {
    self.expression = expression.sqlExpression
    _form = form
  }
}

/// A condition: true, false, or NULL.
public typealias TypedPredicate = TypedExpression<Bool?>
