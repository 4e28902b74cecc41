import CofferCore

/// A request that has an order.
public protocol OrderedRequest {
  /// The request in another order, made when there is a database.
  func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self

  /// The request in the opposite order; without an order, as it is.
  func reversed() -> Self

  /// The request in no order.
  func unordered() -> Self

  /// The request in its order, and by the primary key where that leaves rows equal.
  func withStableOrder() -> Self
}

extension OrderedRequest {
  /// The request in another order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
    let orderings = orderings.map(\.sqlOrdering)
    return orderWhenConnected { _ in orderings }
  }

  /// The request in another order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// Player.all().order(Column("score").desc, Column("name"))
  /// ```
  public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

  /// The request in another order, as SQL text.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    order(SQL(sql: sql, arguments: arguments))
  }

  /// The request in another order, as SQL.
  public func order(literal sqlLiteral: SQL) -> Self { order(sqlLiteral) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request in another order.
  public func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> Self {
    try order(orderings(RowDecoder.databaseComponents))
  }

  /// The request in another order.
  ///
  /// ```swift
  /// Player.all().order { $0.score.desc }
  /// ```
  public func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> Self {
    try order([ordering(RowDecoder.databaseComponents)])
  }
}
