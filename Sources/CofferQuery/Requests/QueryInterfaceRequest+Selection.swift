import CofferCore

// Selections that change the type of the rows.

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request with another selection, its rows decoded to a type.
  ///
  /// ```swift
  /// let best = try Player.all().select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  public func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection).asRequest(of: type)
  }

  /// The request with another selection, its rows decoded to a type.
  public func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection, as: type)
  }

  /// The request with SQL text for its selection, its rows decoded to a type.
  public func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([SQL(sql: sql, arguments: arguments)], as: type)
  }

  /// The request with SQL for its selection, its rows decoded to a type.
  public func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([sqlLiteral], as: type)
  }

  /// The request for primary keys: for the rowid, where there is no other.
  ///
  /// Take `Row` for a key of several columns.
  public func selectPrimaryKey<Key>(as type: Key.Type = Key.self) -> QueryInterfaceRequest<Key> {
    _with { parts in
      let table = parts.relation.tableName
      parts.relation.selection = [
        .made { try $0.primaryKey(table).columns.map { Column($0).sqlSelection } }
      ]
    }.asRequest(of: type)
  }
}

extension RequestSource
where RowDecoder: TableRecord, _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request with another selection, its rows decoded to a type.
  ///
  /// ```swift
  /// let names = try Player.all().select({ $0.name }, as: String.self).fetchSet(db)
  /// ```
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> {
    try select([selection(RowDecoder.databaseComponents)], as: type)
  }

  /// The request with another selection, its rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> {
    try select(selection(RowDecoder.databaseComponents), as: type)
  }
}

extension RequestSource
where RowDecoder: Identifiable, _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request for identifiers, which are the primary keys.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey() }
}
