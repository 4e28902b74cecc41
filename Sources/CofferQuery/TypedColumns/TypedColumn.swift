import CofferCore

/// A column with values of a Swift type.
///
/// The closures of requests offer them as `$0.score`; elsewhere they are
/// `Player.Columns.score`, or made from a name.
public struct TypedColumn<Value>: SQLTypedExpressible, Sendable {
  /// The Swift type of the values.
  public typealias SQLValue = Value

  /// The column's name.
  public let name: String

  /// The form of the values that it is compared with; nil for the only one.
  public let _form: _ColumnForm?

  /// A column with a name.
  public init(_ name: String) { self.init(name, form: nil) }

  init(_ name: String, form: _ColumnForm?) {
    self.name = name
    _form = form
  }

  /// The column's name, to be found in the tables of the query.
  public var sqlExpression: SQLExpression {
    SQLExpression(.column(name))
  }
}
