import CofferCore
import CofferQuery

extension RequestSource {
  // MARK: Annotations

  /// The request with aggregates of associations selected, too.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> _Request {
    _with { parts in
      for aggregate in aggregates {
        let expression = aggregate.make(&parts.relation)
        parts.relation.selection.append(
          .value([SQLSelection(expression, name: aggregate.key)]))
      }
    }
  }

  /// The request with aggregates of associations selected, too.
  ///
  /// ```swift
  /// Author.all().annotated(with: Author.books.count, Author.books.max(Column("year")))
  /// ```
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> _Request {
    annotated(with: aggregates)
  }

  // MARK: Conditions

  /// The request for rows whose aggregate fulfils a condition.
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

  /// The request for rows whose aggregate fulfils a condition: the same as `having`, but for
  /// subqueries, which need no groups.
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

  /// The request for rows whose aggregates fulfil a condition.
  public func having(_ predicate: AssociationPredicate) -> _Request {
    having(predicate._condition.erased())
  }

  /// The request for rows whose aggregates fulfil a condition.
  public func filter(_ predicate: AssociationPredicate) -> _Request {
    filter(predicate._condition.erased())
  }

  /// The request with a condition of aggregates selected, too, as 0 or 1.
  public func annotated(with predicate: AssociationPredicate) -> _Request {
    annotated(with: [predicate._condition.erased()])
  }

  // MARK: Order

  /// The request in the order of aggregates of associations.
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
  /// A request that selects aggregates of associations, too.
  public static func annotated(
    with aggregates: [AssociationAggregate<Self>]
  ) -> QueryInterfaceRequest<Self> { all().annotated(with: aggregates) }

  /// A request that selects aggregates of associations, too.
  ///
  /// ```swift
  /// Author.annotated(with: Author.books.count)
  /// ```
  public static func annotated(
    with aggregates: AssociationAggregate<Self>...
  ) -> QueryInterfaceRequest<Self> { all().annotated(with: aggregates) }

  /// A request for rows whose aggregate fulfils a condition.
  ///
  /// ```swift
  /// Author.having(Author.books.isEmpty)
  /// ```
  public static func having(
    _ predicate: AssociationAggregate<Self>
  ) -> QueryInterfaceRequest<Self> { all().having(predicate) }

  /// A request for rows whose aggregates fulfil a condition.
  public static func having(
    _ predicate: AssociationPredicate
  ) -> QueryInterfaceRequest<Self> { all().having(predicate) }
}
