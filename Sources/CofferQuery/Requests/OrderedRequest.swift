import CofferCore

/// A request that has an order.
public protocol OrderedRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// The request in another order, made when there is a database.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> _Request {
    _with { $0.relation.ordering = RelationOrdering { try orderings($0).map(\.sqlOrdering) } }
  }

  /// The request in the opposite order; without an order, as it is.
  public func reversed() -> _Request { _with { $0.relation.ordering.isReversed.toggle() } }

  /// The request in no order.
  public func unordered() -> _Request { _with { $0.relation.ordering = RelationOrdering() } }

  /// The request in its order, and by the primary key where that leaves rows equal.
  public func withStableOrder() -> _Request { _with { $0.relation.ordering.isStable = true } }

  /// The request in another order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> _Request {
    _with { $0.relation.ordering = RelationOrdering(orderings.map(\.sqlOrdering)) }
  }

  /// The request in another order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// Player.all().order(Column("score").desc, Column("name"))
  /// ```
  public func order(_ orderings: any SQLOrderingTerm...) -> _Request { order(orderings) }

  /// The request in another order, as SQL text.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    order(SQL(sql: sql, arguments: arguments))
  }

  /// The request in another order, as SQL.
  public func order(literal sqlLiteral: SQL) -> _Request { order(sqlLiteral) }
}

extension RequestSource where RowDecoder: TableRecord {
  /// The request in another order.
  public func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> _Request {
    try order(orderings(RowDecoder.databaseComponents))
  }

  /// The request in another order.
  ///
  /// ```swift
  /// Player.all().order { $0.score.desc }
  /// ```
  public func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> _Request {
    try order([ordering(RowDecoder.databaseComponents)])
  }
}
