import CofferCore

/// A request that selects something.
public protocol SelectionRequest {
  /// The request with another selection, made when there is a database.
  func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self

  /// The request with more selected, made when there is a database.
  func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self
}

extension SelectionRequest {
  /// The request with another selection.
  public func select(_ selection: [any SQLSelectable]) -> Self {
    let selection = selection.map(\.sqlSelection)
    return selectWhenConnected { _ in selection }
  }

  /// The request with another selection.
  ///
  /// ```swift
  /// // SELECT "name", "score" FROM "player"
  /// Player.all().select(Column("name"), Column("score"))
  /// ```
  public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

  /// The request with SQL text for its selection.
  public func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    select(SQL(sql: sql, arguments: arguments))
  }

  /// The request with SQL for its selection.
  public func select(literal sqlLiteral: SQL) -> Self { select(sqlLiteral) }

  /// The request with more selected, after what it selects already.
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    let selection = selection.map(\.sqlSelection)
    return annotatedWhenConnected { _ in selection }
  }

  /// The request with more selected, after what it selects already.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// Player.all().annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  /// ```
  public func annotated(with selection: any SQLSelectable...) -> Self {
    annotated(with: selection)
  }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with another selection.
  public func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try select(selection(RowDecoder.databaseComponents))
  }

  /// The request with another selection.
  ///
  /// ```swift
  /// Player.all().select { $0.name }
  /// ```
  @_disfavoredOverload
  public func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try select([selection(RowDecoder.databaseComponents)])
  }

  /// The request with more selected, after what it selects already.
  public func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try annotated(with: selection(RowDecoder.databaseComponents))
  }

  /// The request with more selected, after what it selects already.
  ///
  /// ```swift
  /// Player.all().annotated { ($0.score + $0.bonus).forKey("total") }
  /// ```
  public func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try annotated(with: [selection(RowDecoder.databaseComponents)])
  }
}
