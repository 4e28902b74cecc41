import CofferCore

/// A request that groups rows.
public protocol AggregatingRequest {
  /// The request in other groups, made when there is a database.
  func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self

  /// The request with a condition more for groups, made when there is a database.
  func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self
}

extension AggregatingRequest {
  /// The request in other groups.
  public func group(_ expressions: [any SQLExpressible]) -> Self {
    let expressions = expressions.map(\.sqlExpression)
    return groupWhenConnected { _ in expressions }
  }

  /// The request in other groups.
  ///
  /// ```swift
  /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
  /// Player.all().select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
  /// ```
  public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

  /// The request in other groups, as SQL text.
  public func group(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    group(SQL(sql: sql, arguments: arguments))
  }

  /// The request in other groups, as SQL.
  public func group(literal sqlLiteral: SQL) -> Self { group(sqlLiteral) }

  /// The request with a condition more for groups.
  public func having(_ predicate: any SQLExpressible) -> Self {
    let predicate = predicate.sqlExpression
    return havingWhenConnected { _ in predicate }
  }

  /// The request with a condition more for groups, as SQL text.
  public func having(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    having(SQL(sql: sql, arguments: arguments))
  }

  /// The request with a condition more for groups, as SQL.
  public func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request in other groups.
  public func group(
    _ expressions: (DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> Self {
    try group(expressions(RowDecoder.databaseComponents))
  }

  /// The request in other groups.
  public func group(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Self {
    try group([expression(RowDecoder.databaseComponents)])
  }

  /// The request with a condition more for groups.
  public func having(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Self {
    try having(predicate(RowDecoder.databaseComponents).sqlExpression)
  }
}
