import CofferCore

/// A column with values of a Swift type.
///
/// In the closures of requests, typed columns are available as `$0.score`. Elsewhere, use
/// `Player.Columns.score`, or create them from a name.
public struct TypedColumn<Value>: SQLTypedExpressible, Sendable {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  /// The column's name.
  public let name: String

  /// The storage format of values that are compared with the column.
  ///
  /// Nil if their type has only one format.
  public let _form: _ColumnForm?

  /// The reason why there is no such column.
  @usableFromInline let failure: DatabaseError?

  /// Creates a column with a name.
  public init(_ name: String) { self.init(name, form: nil) }

  @inlinable
  init(_ name: String, form: _ColumnForm? = nil, failure: DatabaseError? = nil) {
    self.name = name
    _form = form
    self.failure = failure
  }

  /// The column as an untyped expression, resolved in the tables of the query.
  ///
  /// A column of decimal numbers, which are texts, has a collation that compares them as numbers.
  public var sqlExpression: SQLExpression { plain.compared(as: Value.self) }

  /// The column as a selection, under its name.
  public var sqlSelection: SQLSelection {
    DecimalOrder.isDecimal(Value.self) ? sqlExpression.forKey(name) : plain.sqlSelection
  }

  /// The column without a collation.
  var plain: SQLExpression {
    if let failure { return SQLExpression(.deferred { _ in throw failure }) }
    return SQLExpression(.column(name))
  }
}
