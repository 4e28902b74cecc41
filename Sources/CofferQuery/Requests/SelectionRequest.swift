import CofferCore

/// A request that can select columns and expressions.
public protocol SelectionRequest: RequestSource where _Request == Self {}

extension RequestSource {
  /// Returns the request with another selection, made from the database.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> _Request {
    _with { $0.relation.selection = [.made { try selection($0).map(\.sqlSelection) }] }
  }

  /// Returns the request with an extended selection, made from the database.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> _Request {
    _with { $0.relation.selection.append(.made { try selection($0).map(\.sqlSelection) }) }
  }

  /// Returns the request with another selection.
  public consuming func select(_ selection: [any SQLSelectable]) -> _Request {
    _with { $0.relation.selection = [.value(selection.map(\.sqlSelection))] }
  }

  /// Returns the request with another selection.
  ///
  /// ```swift
  /// // SELECT "name", "score" FROM "player"
  /// Player.all().select(Column("name"), Column("score"))
  /// ```
  public consuming func select(_ selection: any SQLSelectable...) -> _Request {
    select(selection)
  }

  /// Returns the request with another selection, written in SQL.
  public func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> _Request {
    select(SQL(sql: sql, arguments: arguments))
  }

  /// Returns the request with another selection, in SQL with interpolated values.
  public func select(literal sqlLiteral: SQL) -> _Request { select(sqlLiteral) }

  /// Returns the request with additional selections.
  public func annotated(with selection: [any SQLSelectable]) -> _Request {
    _with { $0.relation.selection.append(.value(selection.map(\.sqlSelection))) }
  }

  /// Returns the request with additional selections.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// Player.all().annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  /// ```
  public func annotated(with selection: any SQLSelectable...) -> _Request {
    annotated(with: selection)
  }
}

extension RequestSource where _Record: TableRecord {
  /// Returns the request with another selection.
  public func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> _Request {
    try select(selection(_Record.databaseComponents))
  }

  /// Returns the request with another selection.
  ///
  /// ```swift
  /// Player.all().select { $0.name }
  /// ```
  @_disfavoredOverload
  public func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> _Request {
    try select([selection(_Record.databaseComponents)])
  }

  /// Returns the request with additional selections.
  public func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> _Request {
    try annotated(with: selection(_Record.databaseComponents))
  }

  /// Returns the request with an additional selection.
  ///
  /// ```swift
  /// Player.all().annotated { ($0.score + $0.bonus).forKey("total") }
  /// ```
  public func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> _Request {
    try annotated(with: [selection(_Record.databaseComponents)])
  }
}

// In an extension of `DerivableRequest<Player>`, only the type of the rows is known.
extension DerivableRequest where RowDecoder: TableRecord {
  /// Returns the request with another selection.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try select(selection(RowDecoder.databaseComponents))
  }

  /// Returns the request with another selection.
  ///
  /// ```swift
  /// extension DerivableRequest<Player> {
  ///   func selectName() -> Self { select { $0.name } }
  /// }
  /// ```
  @_disfavoredOverload
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try select([selection(RowDecoder.databaseComponents)])
  }

  /// Returns the request with additional selections.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try annotated(with: selection(RowDecoder.databaseComponents))
  }

  /// Returns the request with an additional selection.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try annotated(with: [selection(RowDecoder.databaseComponents)])
  }
}
