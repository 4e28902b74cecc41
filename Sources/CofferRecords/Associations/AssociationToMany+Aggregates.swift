import CofferCore
import CofferQuery

extension AssociationToMany {
  // MARK: Rows

  /// The number of rows, under the key `bookCount` for an association `books`.
  public var count: AssociationAggregate<OriginRowDecoder> {
    var result = rowCount { $0 }
    result.key = "\(singularKey)Count"
    return result
  }

  /// Whether there are no rows, under the key `hasNoBook` for an association `books`.
  public var isEmpty: AssociationAggregate<OriginRowDecoder> {
    var result = rowCount { comparison(.equal, $0, 0) }
    result.makeOpposite = rowCount { comparison(" > ", $0, 0) }.make
    result.key = "hasNo\(singularKey.capitalizedInitial)"
    return result
  }

  /// The number of rows, counted by a subquery.
  ///
  /// The key is `bookCount` for an association `books`.
  ///
  /// It needs neither joins nor groups, so several counts don't affect each other, and conditions
  /// are part of `WHERE`.
  ///
  /// ```swift
  /// // SELECT *, (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount" …
  /// Author.annotated(with: Author.books.countSubquery)
  /// ```
  public var countSubquery: AssociationAggregate<OriginRowDecoder> {
    let rows = AggregatedRows(_association, .count)
    return AssociationAggregate(
      make: { _ in rows.expression }, isSubquery: true, key: "\(singularKey)Count")
  }

  // MARK: Values

  /// Returns the average of a value of the rows: `AVG`, or NULL if there are no rows.
  ///
  /// The key is `averageBookYear` for a column `year` of an association `books`.
  public func average(
    _ expression: some SQLExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("AVG", expression) { key, column in "average\(key.capitalizedInitial)\(column)" }
  }

  /// Returns the largest value of the rows, or NULL if there are no rows.
  ///
  /// The key is `maxBookYear` for a column `year` of an association `books`.
  public func max(
    _ expression: some SQLExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("MAX", expression) { key, column in "max\(key.capitalizedInitial)\(column)" }
  }

  /// Returns the smallest value of the rows, or NULL if there are no rows.
  ///
  /// The key is `minBookYear` for a column `year` of an association `books`.
  public func min(
    _ expression: some SQLExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("MIN", expression) { key, column in "min\(key.capitalizedInitial)\(column)" }
  }

  /// Returns the sum of a value of the rows: `SUM`, or NULL if there are no rows.
  ///
  /// The key is `bookYearSum` for a column `year` of an association `books`.
  public func sum(
    _ expression: some SQLExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("SUM", expression) { key, column in "\(key)\(column)Sum" }
  }

  /// Returns the sum of a value of the rows as a real: `TOTAL`, or 0 if there are no rows.
  ///
  /// The key is `bookYearSum` for a column `year` of an association `books`.
  public func total(
    _ expression: some SQLExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("TOTAL", expression) { key, column in "\(key)\(column)Sum" }
  }

  // MARK: Construction

  private var singularKey: String { _association.destination.key.singular }

  /// Returns an aggregate of the associated rows.
  private func aggregate(
    _ function: AggregatedRows.Function
  ) -> AssociationAggregate<OriginRowDecoder> {
    let association = _association
    return AssociationAggregate(make: { relation in
      let rows = AggregatedRows(association, function)
      relation.add(rows)
      return rows.expression
    })
  }

  private func rowCount(
    _ transform: @escaping @Sendable (SQLExpression) -> SQLExpression
  ) -> AssociationAggregate<OriginRowDecoder> { aggregate(.count).map(transform) }

  private func aggregate(
    _ function: String, _ expression: some SQLExpressible,
    key: (String, String) -> String
  ) -> AssociationAggregate<OriginRowDecoder> {
    let expression = expression.sqlExpression
    var result = aggregate(.value(function, expression))
    if case .column(let name)? = expression.expressionNode {
      result.key = key(singularKey, name.capitalizedInitial)
    }
    return result
  }
}

extension AssociationToMany where _Record: TableRecord {
  /// Returns the average of a value of the rows: `AVG`, or NULL if there are no rows.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.average { $0.year })
  /// ```
  public func average(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try average(expression(_Record.databaseComponents).sqlExpression)
  }

  /// Returns the largest value of the rows, or NULL if there are no rows.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.max { $0.year })
  /// ```
  public func max(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try max(expression(_Record.databaseComponents).sqlExpression)
  }

  /// Returns the smallest value of the rows, or NULL if there are no rows.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.min { $0.year })
  /// ```
  public func min(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try min(expression(_Record.databaseComponents).sqlExpression)
  }

  /// Returns the sum of a value of the rows: `SUM`, or NULL if there are no rows.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.sum { $0.year })
  /// ```
  public func sum(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try sum(expression(_Record.databaseComponents).sqlExpression)
  }

  /// Returns the sum of a value of the rows as a real: `TOTAL`, or 0 if there are no rows.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.total { $0.year })
  /// ```
  public func total(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try total(expression(_Record.databaseComponents).sqlExpression)
  }
}

extension String {
  /// The text with a capital first letter.
  fileprivate var capitalizedInitial: String { prefix(1).uppercased() + dropFirst() }
}
