import CofferCore

// Selections that change the type of the rows.

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Returns the request with another selection, decoded to another type.
  ///
  /// ```swift
  /// let best = try Player.all().select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  public consuming func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection).asRequest(of: type)
  }

  /// Returns the request with another selection, decoded to another type.
  public consuming func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection, as: type)
  }

  /// Returns the request with another selection, written in SQL and decoded to another type.
  public func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([SQL(sql: sql, arguments: arguments)], as: type)
  }

  /// Returns the request with another selection, decoded to another type.
  ///
  /// The selection is written in SQL with interpolated values.
  public func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([sqlLiteral], as: type)
  }

  /// Returns a request for the primary keys, or for the rowids of a table without a primary key.
  ///
  /// Use `Row` for a key of several columns.
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
where RowDecoder: TableRecord, _Record == RowDecoder, _Request == QueryInterfaceRequest<RowDecoder>
{
  /// Returns the request with another selection, decoded to another type.
  ///
  /// ```swift
  /// let names = try Player.all().select({ $0.name }, as: String.self).fetchSet(db)
  /// ```
  @_disfavoredOverload
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> {
    try select([selection(RowDecoder.databaseComponents)], as: type)
  }

  /// Returns the request with another selection, decoded to another type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> {
    try select(selection(RowDecoder.databaseComponents), as: type)
  }
}

extension RequestSource
where RowDecoder: Identifiable, _Request == QueryInterfaceRequest<RowDecoder> {
  /// Returns a request for the identifiers, which are the primary keys.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey() }
}
