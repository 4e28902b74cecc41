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
    TypedPredicate(isMember(element))
  }

  /// `expression IN (…)`: whether the list holds the value; NULL is in no list.
  /// - Complexity: O(*n*) in the length of the list.
  public func contains(_ element: some SQLTypedExpressible<Element?>) -> TypedPredicate {
    TypedPredicate(isMember(element))
  }

  private func isMember(_ element: some SQLTypedExpressible) -> SQLExpression {
    guard element._form != nil else { return contains(element.sqlExpression) }
    return map { element.operand($0) }.contains(element.sqlExpression)
  }
}

extension ClosedRange where Bound: DatabaseValueConvertible {
  /// `expression BETWEEN lower AND upper`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(
      SQLExpression(
        .between(
          element.sqlExpression, element.operand(lowerBound), element.operand(upperBound),
          isNegated: false)))
  }
}

extension Range where Bound: DatabaseValueConvertible {
  /// `(expression >= lower) AND (expression < upper)`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(
      comparison(" >= ", element, element.operand(lowerBound))
        && comparison(" < ", element, element.operand(upperBound)))
  }
}

extension PartialRangeFrom where Bound: DatabaseValueConvertible {
  /// `expression >= lower`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" >= ", element, element.operand(lowerBound)))
  }
}

extension PartialRangeThrough where Bound: DatabaseValueConvertible {
  /// `expression <= upper`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" <= ", element, element.operand(upperBound)))
  }
}

extension PartialRangeUpTo where Bound: DatabaseValueConvertible {
  /// `expression < upper`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" < ", element, element.operand(upperBound)))
  }
}
