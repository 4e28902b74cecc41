import CofferCore
import CofferQuery

extension RequestSource {
  // MARK: Annotations

  /// Returns the request with aggregates of associations appended to its selection.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> _Request {
    _with { parts in
      for aggregate in aggregates {
        let expression = aggregate.make(&parts.relation)
        parts.relation.selection.append(
          .value([SQLSelection(expression, name: aggregate.key)]))
      }
    }
  }

  /// Returns the request with aggregates of associations appended to its selection.
  ///
  /// ```swift
  /// Author.all().annotated(with: Author.books.count, Author.books.max(Column("year")))
  /// ```
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> _Request {
    annotated(with: aggregates)
  }

  // MARK: Conditions

  /// Returns the request limited to rows whose aggregate fulfills a condition.
  ///
  /// ```swift
  /// Author.all().having(Author.books.count > 10)
  /// ```
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> _Request {
    _with { parts in
      let condition = predicate.make(&parts.relation)
      parts.relation.addHaving(condition)
    }
  }

  /// Returns the request limited to rows whose aggregate fulfills a condition.
  ///
  /// Equivalent to `having`, except for subqueries, which need no groups.
  ///
  /// ```swift
  /// Author.all().filter(Author.books.countSubquery > 10)
  /// ```
  public func filter(_ predicate: AssociationAggregate<RowDecoder>) -> _Request {
    guard predicate.isSubquery else { return having(predicate) }
    return _with { parts in
      let condition = predicate.make(&parts.relation)
      parts.relation.addFilter(condition)
    }
  }

  /// Returns the request limited to rows whose aggregates fulfill a condition.
  public func having(_ predicate: AssociationPredicate) -> _Request {
    having(predicate._condition.erased())
  }

  /// Returns the request limited to rows whose aggregates fulfill a condition.
  public func filter(_ predicate: AssociationPredicate) -> _Request {
    filter(predicate._condition.erased())
  }

  /// Returns the request with a condition on aggregates appended to its selection, as 0 or 1.
  public func annotated(with predicate: AssociationPredicate) -> _Request {
    annotated(with: [predicate._condition.erased()])
  }

  // MARK: Order

  /// Returns the request ordered by aggregates of associations.
  ///
  /// ```swift
  /// Author.all().order(Author.books.count.desc)
  /// ```
  public func order(_ orderings: AssociationAggregateOrdering<RowDecoder>...) -> _Request {
    _with { parts in
      var terms: [SQLOrdering] = []
      for ordering in orderings {
        terms.append(
          SQLOrdering(ordering.aggregate.make(&parts.relation), ordering.direction))
      }
      parts.relation.ordering = RelationOrdering(terms)
    }
  }
}

// MARK: - Requests for all rows

extension TableRecord {
  /// Returns a request with aggregates of associations appended to its selection.
  public static func annotated(
    with aggregates: [AssociationAggregate<Self>]
  ) -> QueryInterfaceRequest<Self> { all().annotated(with: aggregates) }

  /// Returns a request with aggregates of associations appended to its selection.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.count)
  /// ```
  public static func annotated(
    with aggregates: AssociationAggregate<Self>...
  ) -> QueryInterfaceRequest<Self> { all().annotated(with: aggregates) }

  /// Returns a request for rows whose aggregate fulfills a condition.
  ///
  /// ```swift
  /// Author.having(Author.books.isEmpty)
  /// ```
  public static func having(
    _ predicate: AssociationAggregate<Self>
  ) -> QueryInterfaceRequest<Self> { all().having(predicate) }

  /// Returns a request for rows whose aggregates fulfill a condition.
  public static func having(
    _ predicate: AssociationPredicate
  ) -> QueryInterfaceRequest<Self> { all().having(predicate) }
}
