import CofferCore

/// A request that can group rows.
public protocol AggregatingRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// Returns the request with another grouping, made from the database.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> _Request {
    _with { $0.relation.grouping = [.made { try expressions($0).map(\.sqlExpression) }] }
  }

  /// Returns the request with another condition on groups, made from the database.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> _Request {
    having(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// Returns the request with another grouping.
  public func group(_ expressions: [any SQLExpressible]) -> _Request {
    _with { $0.relation.grouping = [.value(expressions.map(\.sqlExpression))] }
  }

  /// Returns the request with another grouping.
  ///
  /// ```swift
  /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
  /// Player.all().select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
  /// ```
  public func group(_ expressions: any SQLExpressible...) -> _Request { group(expressions) }

  /// Returns the request with another grouping, written in SQL.
  public func group(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    group(SQL(sql: sql, arguments: arguments))
  }

  /// Returns the request with another grouping, written in SQL with interpolated values.
  public func group(literal sqlLiteral: SQL) -> _Request { group(sqlLiteral) }

  /// Returns the request with an additional condition on groups.
  public func having(_ predicate: any SQLExpressible) -> _Request {
    _with { $0.relation.addHaving(predicate.sqlExpression) }
  }

  /// Returns the request with an additional condition on groups, written in SQL.
  public func having(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    having(SQL(sql: sql, arguments: arguments))
  }

  /// Returns the request with an additional condition on groups, in SQL with interpolated values.
  public func having(literal sqlLiteral: SQL) -> _Request { having(sqlLiteral) }
}

extension RequestSource where _Record: TableRecord {
  /// Returns the request with another grouping.
  public func group(
    _ expressions: (DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> _Request {
    try group(expressions(_Record.databaseComponents))
  }

  /// Returns the request with another grouping.
  public func group(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try group([expression(_Record.databaseComponents)])
  }

  /// Returns the request with an additional condition on groups.
  public func having(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try having(predicate(_Record.databaseComponents).sqlExpression)
  }
}
