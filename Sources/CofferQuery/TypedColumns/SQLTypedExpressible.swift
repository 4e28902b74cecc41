import CofferCore

/// An SQL expression whose Swift type the compiler knows.
///
/// Columns of `RecordColumns` and what is built from them conform. They are no
/// `SQLSpecificExpressible`, so that operators on them take values of
/// their own type only.
public protocol SQLTypedExpressible<SQLValue>: SQLExpressible, SQLSelectable, SQLOrderingTerm {
  /// The Swift type of the values; optional where they can be NULL.
  associatedtype SQLValue

  /// The form of the values that it is compared with; nil for the only one that their type has.
  var _form: _ColumnForm? { get }
}

extension SQLTypedExpressible {
  /// The only one that the type has.
  public var _form: _ColumnForm? { nil }

  /// The expression, selected.
  public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}
