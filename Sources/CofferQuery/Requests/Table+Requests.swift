import CofferCore

// Requests for all rows of the table, or for some: each method is the one of
// `QueryInterfaceRequest`, on `all()`.

extension Table {
  /// A request for no row.
  public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

  /// A request for rows that fulfil a condition.
  @_disfavoredOverload
  public func filter(_ predicate: any SQLExpressible & SQLSelectable) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().filter(predicate)
  }

  /// A request for rows that fulfil a condition in SQL text.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> { all().filter(sql: sql, arguments: arguments) }

  /// A request for rows that fulfil a condition in SQL.
  public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(literal: sqlLiteral)
  }

  /// A request for the row with a primary key; for no row where it is nil.
  @_disfavoredOverload
  public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// A request for the rows with one of several primary keys.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>)
    -> QueryInterfaceRequest<RowDecoder>
  { all().filter(keys: keys) }

  /// A request for the row with a unique key, by names of columns.
  public func filter(
    key: [String: (any DatabaseValueConvertible)?]?
  ) -> QueryInterfaceRequest<RowDecoder> { all().filter(key: key) }

  /// A request for the rows with one of several unique keys, by names of columns.
  public func filter(
    keys: [[String: (any DatabaseValueConvertible)?]]
  ) -> QueryInterfaceRequest<RowDecoder> { all().filter(keys: keys) }

  /// A request that selects something else.
  public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// A request that selects something else.
  public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// A request that selects SQL text.
  public func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> { all().select(sql: sql, arguments: arguments) }

  /// A request that selects SQL.
  public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().select(literal: sqlLiteral)
  }

  /// A request that selects something else, its rows decoded to a type.
  public func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// A request that selects something else, its rows decoded to a type.
  public func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// A request that selects SQL text, its rows decoded to a type.
  public func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(sql: sql, arguments: arguments, as: type) }

  /// A request that selects SQL, its rows decoded to a type.
  public func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(literal: sqlLiteral, as: type) }

  /// A request for primary keys: for the rowid, where there is no other.
  public func selectPrimaryKey<Key>(
    as type: Key.Type = Key.self
  ) -> QueryInterfaceRequest<Key> { all().selectPrimaryKey(as: type) }

  /// A request that selects more.
  public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// A request that selects more.
  public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// A request in an order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// A request in an order.
  public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// A request in an order, as SQL text.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> { all().order(sql: sql, arguments: arguments) }

  /// A request in an order, as SQL.
  public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().order(literal: sqlLiteral)
  }

  /// A request in the order of the primary key.
  public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

  /// A request for no more than so many rows, after some that are left out.
  public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
    all().limit(limit, offset: offset)
  }

  /// A request with the table under an alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().aliased(alias)
  }

  /// A request with the table under an alias.
  public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> {
    all().aliased(alias)
  }

  /// A request with a common table expression that it can use.
  public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
    all().with(cte)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// A request for the row with an identifier, which is its primary key.
  public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(id: id)
  }

  /// A request for the rows with one of several identifiers.
  @_disfavoredOverload
  public func filter(ids: any Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(ids: ids)
  }
}

extension Table where RowDecoder: Identifiable {
  /// A request for identifiers, which are the primary keys.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectID() }
}

extension Table where RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// A request for rows that fulfil a condition.
  public func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().filter(predicate) }

  /// A request that selects something else.
  public func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().select(selection) }

  /// A request that selects something else.
  @_disfavoredOverload
  public func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().select(selection) }

  /// A request that selects something else, its rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// A request that selects something else, its rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// A request that selects more.
  public func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().annotated(with: selection) }

  /// A request that selects more.
  public func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().annotated(with: selection) }

  /// A request in an order.
  public func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().order(orderings) }

  /// A request in an order.
  public func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().order(ordering) }
}
