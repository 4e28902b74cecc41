import CofferCore

// MARK: Lists

extension Sequence where Element: SQLExpressible {
  /// `expression IN (…)`: whether the list holds the value.
  ///
  /// ```swift
  /// Player.filter([1, 2, 3].contains(Column("id")))  // "id" IN (1, 2, 3)
  /// ```
  ///
  /// A long list of values is one argument of the statement, so that lists of
  /// any length, beyond SQLite's limit of arguments too, share one statement.
  /// - Complexity: O(*n*) in the length of the list.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: SQLCollection(self))
  }
}

extension Sequence where Element == any SQLExpressible {
  /// `expression IN (…)`: whether the list holds the value.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: SQLCollection(map(\.sqlExpression)))
  }
}

extension SQLSubqueryable {
  /// `expression IN (SELECT …)`: whether the query gives the value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: .query(sqlSubquery))
  }

  /// `EXISTS (SELECT …)`: whether the query gives a row.
  public func exists() -> SQLExpression {
    SQLExpression(.exists(sqlSubquery, isNegated: false))
  }
}

extension SQLExpression {
  // A collation stays with the left side: after the whole, it would change nothing.
  func isContained(in collection: SQLCollection) -> SQLExpression {
    SQLExpression(.membership(self, collection, isNegated: false))
  }
}

extension SQLCollection {
  /// The elements, as one array argument where they are many values.
  package init<Elements: Sequence>(_ elements: Elements) where Elements.Element: SQLExpressible {
    let expressions = elements.map(\.sqlExpression)
    self.init(expressions)
  }

  package init(_ expressions: [SQLExpression]) {
    guard expressions.count > SQLRenderer.longestWrittenList else {
      self = .expressions(expressions)
      return
    }
    let values = expressions.compactMap(\.value)
    self =
      values.count == expressions.count
      ? .array(ArrayArgument(values)) : .expressions(expressions)
  }
}

// MARK: Ranges

extension ClosedRange where Bound: SQLExpressible {
  /// `expression BETWEEN lower AND upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(
      .between(
        element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression,
        isNegated: false))
  }
}

extension Range where Bound: SQLExpressible {
  /// `(expression >= lower) AND (expression < upper)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", element, lowerBound) && comparison(" < ", element, upperBound)
  }
}

extension PartialRangeFrom where Bound: SQLExpressible {
  /// `expression >= lower`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", element, lowerBound)
  }
}

extension PartialRangeThrough where Bound: SQLExpressible {
  /// `expression <= upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" <= ", element, upperBound)
  }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
  /// `expression < upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" < ", element, upperBound)
  }
}
