import CofferCore

extension Sequence where Element: DatabaseValueConvertible {
  /// `expression IN (…)`: whether the list holds the value.
  ///
  /// ```swift
  /// Player.filter { [1, 2, 3].contains($0.id) }  // "id" IN (1, 2, 3)
  /// ```
  ///
  /// Long lists are one argument of the statement, of any length.
  /// - Complexity: O(*n*) in the length of the list.
  public func contains(_ element: some SQLTypedExpressible<Element>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `expression IN (…)`: whether the list holds the value; NULL is in no list.
  /// - Complexity: O(*n*) in the length of the list.
  public func contains(_ element: some SQLTypedExpressible<Element?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}

extension ClosedRange where Bound: DatabaseValueConvertible {
  /// `expression BETWEEN lower AND upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `expression BETWEEN lower AND upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}

extension Range where Bound: DatabaseValueConvertible {
  /// `(expression >= lower) AND (expression < upper)`.
  public func contains(_ element: some SQLTypedExpressible<Bound>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `(expression >= lower) AND (expression < upper)`.
  public func contains(_ element: some SQLTypedExpressible<Bound?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}

extension PartialRangeFrom where Bound: DatabaseValueConvertible {
  /// `expression >= lower`.
  public func contains(_ element: some SQLTypedExpressible<Bound>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `expression >= lower`.
  public func contains(_ element: some SQLTypedExpressible<Bound?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}

extension PartialRangeThrough where Bound: DatabaseValueConvertible {
  /// `expression <= upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `expression <= upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}

extension PartialRangeUpTo where Bound: DatabaseValueConvertible {
  /// `expression < upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }

  /// `expression < upper`.
  public func contains(_ element: some SQLTypedExpressible<Bound?>) -> TypedPredicate {
    TypedPredicate(contains(element.sqlExpression))
  }
}
