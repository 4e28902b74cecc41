import CofferCore

/// A request that groups rows.
public protocol AggregatingRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// The request in other groups, made when there is a database.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> _Request {
    _with { $0.relation.grouping = [.made { try expressions($0).map(\.sqlExpression) }] }
  }

  /// The request with a condition more for groups, made when there is a database.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> _Request {
    having(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// The request in other groups.
  public func group(_ expressions: [any SQLExpressible]) -> _Request {
    _with { $0.relation.grouping = [.value(expressions.map(\.sqlExpression))] }
  }

  /// The request in other groups.
  ///
  /// ```swift
  /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
  /// Player.all().select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
  /// ```
  public func group(_ expressions: any SQLExpressible...) -> _Request { group(expressions) }

  /// The request in other groups, as SQL text.
  public func group(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    group(SQL(sql: sql, arguments: arguments))
  }

  /// The request in other groups, as SQL.
  public func group(literal sqlLiteral: SQL) -> _Request { group(sqlLiteral) }

  /// The request with a condition more for groups.
  public func having(_ predicate: any SQLExpressible) -> _Request {
    _with { $0.relation.addHaving(predicate.sqlExpression) }
  }

  /// The request with a condition more for groups, as SQL text.
  public func having(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    having(SQL(sql: sql, arguments: arguments))
  }

  /// The request with a condition more for groups, as SQL.
  public func having(literal sqlLiteral: SQL) -> _Request { having(sqlLiteral) }
}

extension RequestSource where RowDecoder: TableRecord {
  /// The request in other groups.
  public func group(
    _ expressions: (DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> _Request {
    try group(expressions(RowDecoder.databaseComponents))
  }

  /// The request in other groups.
  public func group(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try group([expression(RowDecoder.databaseComponents)])
  }

  /// The request with a condition more for groups.
  public func having(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try having(predicate(RowDecoder.databaseComponents).sqlExpression)
  }
}
