import CofferCore

/// A request that takes conditions.
public protocol FilteredRequest {
  /// The request with a condition more, made when there is a database.
  func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self

  /// The request with a condition more; by default, made as if it needed a database.
  @_disfavoredOverload
  func filter(_ predicate: any SQLExpressible & SQLSelectable) -> Self
}

extension FilteredRequest {
  /// The request with a condition more.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" >= 1000
  /// Player.all().filter(Column("score") >= 1000)
  /// ```
  @_disfavoredOverload
  public func filter(_ predicate: any SQLExpressible & SQLSelectable) -> Self {
    let predicate = predicate.sqlExpression
    return filterWhenConnected { _ in predicate }
  }

  /// The request with a condition more, as SQL text.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    filter(SQL(sql: sql, arguments: arguments))
  }

  /// The request with a condition more, as SQL.
  public func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

  /// The request without any row.
  public func none() -> Self { filter(false.sqlExpression) }

  /// The request itself.
  public func all() -> Self { self }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with a condition more.
  ///
  /// ```swift
  /// Player.all().filter { $0.score >= 1000 && $0.name != "Arthur" }
  /// ```
  public func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Self {
    try filter(predicate(RowDecoder.databaseComponents).sqlExpression)
  }
}
