import CofferCore

/// A request that takes conditions.
public protocol FilteredRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// The request with a condition more, made when there is a database.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> _Request {
    filter(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// The request with a condition more.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" >= 1000
  /// Player.all().filter(Column("score") >= 1000)
  /// ```
  @_disfavoredOverload
  public func filter(_ predicate: any SQLExpressible & SQLSelectable) -> _Request {
    _with { $0.relation.addFilter(predicate.sqlExpression) }
  }

  /// The request with a condition more, as SQL text.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    filter(SQL(sql: sql, arguments: arguments))
  }

  /// The request with a condition more, as SQL.
  public func filter(literal sqlLiteral: SQL) -> _Request { filter(sqlLiteral) }

  /// The request without any row.
  public func none() -> _Request { filter(false.sqlExpression) }
}

extension FilteredRequest {
  /// The request itself.
  public func all() -> Self { self }
}

extension RequestSource where RowDecoder: TableRecord {
  /// The request with a condition more.
  ///
  /// ```swift
  /// Player.all().filter { $0.score >= 1000 && $0.name != "Arthur" }
  /// ```
  public func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try filter(predicate(RowDecoder.databaseComponents).sqlExpression)
  }
}
