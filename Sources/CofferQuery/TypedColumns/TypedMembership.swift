import CofferCore

extension Sequence where Element: DatabaseValueConvertible {
  /// Returns `expression IN (…)`: whether the sequence contains the value.
  ///
  /// ```swift
  /// Player.filter { [1, 2, 3].contains($0.id) }  // "id" IN (1, 2, 3)
  /// ```
  ///
  /// A long list is bound as a single statement argument, whatever its length.
  /// - Complexity: O(*n*) in the length of the sequence.
  public func contains(_ element: some SQLTypedExpressible<Element>) -> TypedPredicate {
    TypedPredicate(isMember(element))
  }

  /// Returns `expression IN (…)`, which is NULL for a NULL expression.
  /// - Complexity: O(*n*) in the length of the sequence.
  public func contains(_ element: some SQLTypedExpressible<Element?>) -> TypedPredicate {
    TypedPredicate(isMember(element))
  }

  private func isMember(_ element: some SQLTypedExpressible) -> SQLExpression {
    guard element._form != nil || exceedsIntegers(Element.self) else {
      return contains(element.sqlExpression)
    }
    return map { element.operand($0) }.contains(element.sqlExpression)
  }
}

extension ClosedRange where Bound: DatabaseValueConvertible {
  /// Returns `expression BETWEEN lower AND upper`.
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
  /// Returns `(expression >= lower) AND (expression < upper)`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(
      comparison(" >= ", element, element.operand(lowerBound))
        && comparison(" < ", element, element.operand(upperBound)))
  }
}

extension PartialRangeFrom where Bound: DatabaseValueConvertible {
  /// Returns `expression >= lower`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" >= ", element, element.operand(lowerBound)))
  }
}

extension PartialRangeThrough where Bound: DatabaseValueConvertible {
  /// Returns `expression <= upper`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" <= ", element, element.operand(upperBound)))
  }
}

extension PartialRangeUpTo where Bound: DatabaseValueConvertible {
  /// Returns `expression < upper`.
  public func contains<Element: SQLTypedExpressible>(_ element: Element) -> TypedPredicate
  where Element.SQLValue: DatabaseValueConvertible, Element.SQLValue._Base == Bound {
    TypedPredicate(comparison(" < ", element, element.operand(upperBound)))
  }
}
