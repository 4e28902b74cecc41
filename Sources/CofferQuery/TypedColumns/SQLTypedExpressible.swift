import CofferCore

/// An SQL expression whose Swift type the compiler knows.
///
/// The columns of `RecordColumns` and expressions built from them conform. They don't conform to
/// `SQLSpecificExpressible`, so that their operators accept only values of the same type.
public protocol SQLTypedExpressible<SQLValue>: SQLExpressible, SQLSelectable, SQLOrderingTerm {
  /// The Swift type of the values, optional if they can be NULL.
  associatedtype SQLValue

  /// The storage format of values that are compared with the expression.
  ///
  /// Nil if their type has only one format.
  var _form: _ColumnForm? { get }
}

extension SQLTypedExpressible {
  /// Nil: the only format of the type.
  public var _form: _ColumnForm? { nil }

  /// The expression as a selection.
  public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

  /// The expression as an ascending ordering.
  public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}
