import CofferCore

/// A request that can filter rows.
public protocol FilteredRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// Returns the request with an additional condition, made from the database.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> _Request {
    filter(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// Returns the request with an additional condition.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" >= 1000
  /// Player.all().filter(Column("score") >= 1000)
  /// ```
  @_disfavoredOverload
  public consuming func filter(_ predicate: any SQLExpressible & SQLSelectable) -> _Request {
    _with { $0.relation.addFilter(predicate.sqlExpression) }
  }

  /// Returns the request with an additional condition, written in SQL.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    filter(SQL(sql: sql, arguments: arguments))
  }

  /// Returns the request with an additional condition, in SQL with interpolated values.
  public func filter(literal sqlLiteral: SQL) -> _Request { filter(sqlLiteral) }

  /// Returns the request for no rows.
  public func none() -> _Request { filter(false.sqlExpression) }
}

extension FilteredRequest {
  /// Returns this request.
  public func all() -> Self { self }
}

extension RequestSource where _Record: TableRecord {
  /// Returns the request with an additional condition.
  ///
  /// ```swift
  /// Player.all().filter { $0.score >= 1000 && $0.name != "Arthur" }
  /// ```
  public consuming func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    let condition = try predicate(_Record.databaseComponents).sqlExpression
    return _with { $0.relation.addFilter(condition) }
  }
}
