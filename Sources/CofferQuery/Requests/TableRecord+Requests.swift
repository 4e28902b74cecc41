import CofferCore

// Requests for all rows of the type's table, or for some: each method is the one
// of `QueryInterfaceRequest`, on `all()`.

extension TableRecord {
  /// A request for all rows of the table.
  public static func all() -> QueryInterfaceRequest<Self> {
    QueryInterfaceRequest(
      relation: Relation(table: databaseTableName, selection: databaseSelection))
  }

  /// A request for no row.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  /// A request for rows that fulfil a condition.
  @_disfavoredOverload
  public static func filter(_ predicate: any SQLExpressible & SQLSelectable)
    -> QueryInterfaceRequest<Self>
  {
    all().filter(predicate)
  }

  /// A request for rows that fulfil a condition in SQL text.
  public static func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().filter(sql: sql, arguments: arguments) }

  /// A request for rows that fulfil a condition in SQL.
  public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().filter(literal: sqlLiteral)
  }

  /// A request for the row with a primary key; for no row where it is nil.
  @_disfavoredOverload
  public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// A request for the rows with one of several primary keys.
  @_disfavoredOverload
  public static func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>)
    -> QueryInterfaceRequest<Self>
  { all().filter(keys: keys) }

  /// A request for the row with a unique key, by names of columns.
  public static func filter(
    key: [String: (any DatabaseValueConvertible)?]?
  ) -> QueryInterfaceRequest<Self> { all().filter(key: key) }

  /// A request for the rows with one of several unique keys, by names of columns.
  public static func filter(
    keys: [[String: (any DatabaseValueConvertible)?]]
  ) -> QueryInterfaceRequest<Self> { all().filter(keys: keys) }

  /// A request that selects something else.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// A request that selects something else.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// A request that selects SQL text.
  public static func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().select(sql: sql, arguments: arguments) }

  /// A request that selects SQL.
  public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().select(literal: sqlLiteral)
  }

  /// A request that selects something else, its rows decoded to a type.
  public static func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// A request that selects something else, its rows decoded to a type.
  public static func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// A request that selects SQL text, its rows decoded to a type.
  public static func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(sql: sql, arguments: arguments, as: type) }

  /// A request that selects SQL, its rows decoded to a type.
  public static func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(literal: sqlLiteral, as: type) }

  /// A request for primary keys: for the rowid, where there is no other.
  public static func selectPrimaryKey<Key>(
    as type: Key.Type = Key.self
  ) -> QueryInterfaceRequest<Key> { all().selectPrimaryKey(as: type) }

  /// A request that selects more.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// A request that selects more.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self>
  {
    all().annotated(with: selection)
  }

  /// A request in an order.
  public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// A request in an order.
  public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// A request in an order, as SQL text.
  public static func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().order(sql: sql, arguments: arguments) }

  /// A request in an order, as SQL.
  public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().order(literal: sqlLiteral)
  }

  /// A request in the order of the primary key.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
    all().orderByPrimaryKey()
  }

  /// A request for no more than so many rows, after some that are left out.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  /// A request with the table under an alias.
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// A request with the table under an alias.
  public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// A request with a common table expression that it can use.
  public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
    all().with(cte)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// A request for the row with an identifier, which is its primary key.
  public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// A request for the rows with one of several identifiers.
  @_disfavoredOverload
  public static func filter(ids: any Collection<ID>) -> QueryInterfaceRequest<Self> {
    all().filter(ids: ids)
  }
}

extension TableRecord where Self: Identifiable {
  /// A request for identifiers, which are the primary keys.
  public static func selectID() -> QueryInterfaceRequest<ID> { all().selectID() }
}
