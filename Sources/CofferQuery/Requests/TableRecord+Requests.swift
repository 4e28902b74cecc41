import CofferCore

// Requests for rows of the type's table. Each method calls the method of `QueryInterfaceRequest` on
// `all()`.

extension TableRecord {
  /// Returns a request for all rows of the table.
  public static func all() -> QueryInterfaceRequest<Self> {
    QueryInterfaceRequest(
      relation: Relation(table: databaseTableName, selection: databaseSelection))
  }

  /// Returns a request for no rows.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  /// Returns a request for rows that satisfy a condition.
  @_disfavoredOverload
  public static func filter(_ predicate: any SQLExpressible & SQLSelectable)
    -> QueryInterfaceRequest<Self>
  {
    all().filter(predicate)
  }

  /// Returns a request for rows that satisfy a condition written in SQL.
  public static func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().filter(sql: sql, arguments: arguments) }

  /// Returns a request for rows that satisfy a condition in SQL with interpolated values.
  public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().filter(literal: sqlLiteral)
  }

  /// Returns a request for the row with a primary key; for no rows if it is nil.
  @_disfavoredOverload
  public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// Returns a request for the rows with these primary keys.
  @_disfavoredOverload
  public static func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>)
    -> QueryInterfaceRequest<Self>
  { all().filter(keys: keys) }

  /// Returns a request for the row with a unique key, given by column names.
  public static func filter(
    key: [String: (any DatabaseValueConvertible)?]?
  ) -> QueryInterfaceRequest<Self> { all().filter(key: key) }

  /// Returns a request for the rows with these unique keys, given by column names.
  public static func filter(
    keys: [[String: (any DatabaseValueConvertible)?]]
  ) -> QueryInterfaceRequest<Self> { all().filter(keys: keys) }

  /// Returns a request with another selection.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request with another selection.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request with another selection, written in SQL.
  public static func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().select(sql: sql, arguments: arguments) }

  /// Returns a request with another selection, in SQL with interpolated values.
  public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().select(literal: sqlLiteral)
  }

  /// Returns a request with another selection, decoded to another type.
  public static func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// Returns a request with another selection, decoded to another type.
  public static func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(selection, as: type) }

  /// Returns a request with another selection, written in SQL and decoded to another type.
  public static func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(sql: sql, arguments: arguments, as: type) }

  /// Returns a request with another selection, decoded to another type.
  ///
  /// The selection is written in SQL with interpolated values.
  public static func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> { all().select(literal: sqlLiteral, as: type) }

  /// Returns a request for the primary keys, or for the rowids of a table without a primary key.
  public static func selectPrimaryKey<Key>(
    as type: Key.Type = Key.self
  ) -> QueryInterfaceRequest<Key> { all().selectPrimaryKey(as: type) }

  /// Returns a request with additional selections.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// Returns a request with additional selections.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self>
  {
    all().annotated(with: selection)
  }

  /// Returns a request with an ordering.
  public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// Returns a request with an ordering.
  public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// Returns a request with an ordering, written in SQL.
  public static func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().order(sql: sql, arguments: arguments) }

  /// Returns a request with an ordering, in SQL with interpolated values.
  public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().order(literal: sqlLiteral)
  }

  /// Returns a request ordered by the primary key.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
    all().orderByPrimaryKey()
  }

  /// Returns a request with a limit and an offset.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  /// Returns a request with an alias for the table.
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// Returns a request with an alias for the table.
  public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// Returns a request with a common table expression that it can refer to.
  public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
    all().with(cte)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Returns a request for the row with an identifier, which is the primary key.
  public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// Returns a request for the rows with these identifiers.
  @_disfavoredOverload
  public static func filter(ids: any Collection<ID>) -> QueryInterfaceRequest<Self> {
    all().filter(ids: ids)
  }
}

extension TableRecord where Self: Identifiable {
  /// Returns a request for the rows with these identifiers, of a type whose identifier is optional.
  @_disfavoredOverload
  public static func filter<Key: DatabaseValueConvertible>(
    ids: [Key]
  ) -> QueryInterfaceRequest<Self> where ID == Key? { all().filter(ids: ids) }

  /// Returns a request for the identifiers, which are the primary keys.
  public static func selectID() -> QueryInterfaceRequest<ID> { all().selectID() }
}
