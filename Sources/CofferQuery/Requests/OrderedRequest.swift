import CofferCore

/// A request that can order rows.
public protocol OrderedRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// Returns the request with another ordering, made from the database.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> _Request {
    _with { $0.relation.ordering = RelationOrdering { try orderings($0).map(\.sqlOrdering) } }
  }

  /// Returns the request with its ordering reversed; without an ordering, the request is unchanged.
  public func reversed() -> _Request { _with { $0.relation.ordering.isReversed.toggle() } }

  /// Returns the request without its ordering.
  public func unordered() -> _Request { _with { $0.relation.ordering = RelationOrdering() } }

  /// Returns the request with the primary key appended to its ordering, so that it is unique.
  public func withStableOrder() -> _Request { _with { $0.relation.ordering.isStable = true } }

  /// Returns the request with another ordering.
  public consuming func order(_ orderings: [any SQLOrderingTerm]) -> _Request {
    _with { $0.relation.ordering = RelationOrdering(orderings.map(\.sqlOrdering)) }
  }

  /// Returns the request with another ordering.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// Player.all().order(Column("score").desc, Column("name"))
  /// ```
  public consuming func order(_ orderings: any SQLOrderingTerm...) -> _Request {
    order(orderings)
  }

  /// Returns the request with another ordering, written in SQL.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    order(SQL(sql: sql, arguments: arguments))
  }

  /// Returns the request with another ordering, in SQL with interpolated values.
  public func order(literal sqlLiteral: SQL) -> _Request { order(sqlLiteral) }
}

extension RequestSource where _Record: TableRecord {
  /// Returns the request with another ordering.
  public func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> _Request {
    try order(orderings(_Record.databaseComponents))
  }

  /// Returns the request with another ordering.
  ///
  /// ```swift
  /// Player.all().order { $0.score.desc }
  /// ```
  public func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> _Request {
    try order([ordering(_Record.databaseComponents)])
  }
}
