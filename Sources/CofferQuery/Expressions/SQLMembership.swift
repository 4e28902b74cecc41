import CofferCore

// MARK: Lists

extension Sequence where Element: SQLExpressible {
  /// Returns `expression IN (…)`: whether the sequence contains the value.
  ///
  /// ```swift
  /// Player.filter([1, 2, 3].contains(Column("id")))  // "id" IN (1, 2, 3)
  /// ```
  ///
  /// A long list of values is bound as a single argument. Lists of any length therefore share a
  /// statement, even beyond SQLite's limit on the number of arguments.
  /// - Complexity: O(*n*) in the length of the sequence.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: SQLCollection(self))
  }
}

extension Sequence where Element == any SQLExpressible {
  /// Returns `expression IN (…)`: whether the sequence contains the value.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: SQLCollection(map(\.sqlExpression)))
  }
}

extension SQLSubqueryable {
  /// Returns `expression IN (SELECT …)`: whether the query returns the value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    element.sqlExpression.isContained(in: .query(sqlSubquery))
  }

  /// Returns `EXISTS (SELECT …)`: whether the query returns a row.
  public func exists() -> SQLExpression {
    SQLExpression(.exists(sqlSubquery, isNegated: false))
  }
}

extension SQLExpression {
  // A collation stays on the left operand: SQLite would ignore it after the list.
  func isContained(in collection: SQLCollection) -> SQLExpression {
    SQLExpression(.membership(self, collection, isNegated: false))
  }
}

extension SQLCollection {
  /// Creates a collection of elements, as a single array argument if they are many values.
  package init<Elements: Sequence>(_ elements: Elements) where Elements.Element: SQLExpressible {
    let expressions = elements.map(\.sqlExpression)
    self.init(expressions)
  }

  package init(_ expressions: [SQLExpression]) {
    // Dates outside the years 0 to 9999, as earlier versions stored them.
    let former = expressions.compactMap { $0.value?.formerDate.map { SQLExpression($0) } }
    let expressions = former.isEmpty ? expressions : expressions + former
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
  /// Returns `expression BETWEEN lower AND upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(
      .between(
        element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression,
        isNegated: false))
  }
}

extension Range where Bound: SQLExpressible {
  /// Returns `(expression >= lower) AND (expression < upper)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", element, lowerBound) && comparison(" < ", element, upperBound)
  }
}

extension PartialRangeFrom where Bound: SQLExpressible {
  /// Returns `expression >= lower`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" >= ", element, lowerBound)
  }
}

extension PartialRangeThrough where Bound: SQLExpressible {
  /// Returns `expression <= upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" <= ", element, upperBound)
  }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
  /// Returns `expression < upper`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    comparison(" < ", element, upperBound)
  }
}
