import CofferCore

/// A request that is built in Swift.
///
/// ```swift
/// let request = Player
///   .filter(Column("score") >= 1000)
///   .order(Column("name"))
///   .limit(10)
/// let players = try request.fetchAll(db)
/// ```
///
/// A request is a value: each method gives another one. Nothing reaches the
/// database before it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  package var relation: Relation

  package init(relation: Relation) { self.relation = relation }

  /// The same request with something else in it.
  package func with(_ change: (inout Relation) -> Void) -> Self {
    var result = self
    change(&result.relation)
    return result
  }

  /// The same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type = T.self) -> QueryInterfaceRequest<T> {
    QueryInterfaceRequest<T>(relation: relation)
  }
}

extension QueryInterfaceRequest: FetchRequest {
  /// The request, as a query inside of another one.
  public var sqlSubquery: SQLSubquery { SQLSubquery(node: relation) }

  /// The statement, with its arguments bound: for one fetch, which unbinds them.
  ///
  /// Where one row is asked for, the query ends with `LIMIT 1`, unless a unique
  /// key or an aggregate sees to that.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    var renderer = SQLRenderer(db)
    var relation = relation
    if singleResult, relation.limit.map({ $0.count > 1 || $0.count < 0 }) ?? true,
      try relation.limit != nil || !relation.givesOneRowAtMost(db)
    {
      relation.limit = Relation.Limit(count: 1, offset: relation.limit?.offset)
    }
    try relation.render(into: &renderer)
    var request = try renderer.preparedRequest(of: relation, isPrefetching: true)
    guard !relation.children.isEmpty else { return request }
    request.adapter = try relation.adapter(
      db, columnCount: request.statement.columnCount)
    let prefetches = relation.prefetches
    if !prefetches.isEmpty {
      request.supplementaryFetch = { db, rows in
        for prefetch in prefetches { try prefetch.fetch(db, into: rows) }
      }
      request.supplementaryRequests = { db, rows in
        try prefetches.map { ($0.keyPath, try $0.request(db, for: rows)) }
      }
    }
    return request
  }

  /// What the request reads, with what is fetched along.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { request.statement.clearBindings() }
    return try request.statement.requestRegion()
  }

  /// The number of rows, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int {
    try relation.fetchCount(db)
  }

  /// Whether the request gives no row.
  public func isEmpty(_ db: Database) throws -> Bool {
    var renderer = SQLRenderer(db)
    renderer.append("SELECT ")
    try renderer.append(exists())
    let request = try renderer.preparedRequest(of: relation)
    return try Bool.fetchOne(request.fetchedStatement) != true
  }
}

extension SQLRenderer {
  /// The statement of what was rendered of a relation, with its arguments bound, for one fetch.
  ///
  /// - Parameter isPrefetching: Whether rows are fetched along.
  func preparedRequest(
    of relation: Relation, isPrefetching: Bool = false
  ) throws -> PreparedRequest {
    let statement = try database.cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    if relation.filter != nil || (isPrefetching && relation.hasPrefetches) {
      statement.setRequestRegion { statement in
        try relation.region(of: statement, isPrefetching: isPrefetching)
      }
      // Here, errors can be thrown.
      if database.isRecordingRegion { _ = try statement.requestRegion() }
    }
    var request = PreparedRequest(statement: statement)
    request.isForOneFetch = true
    return request
  }
}

// MARK: - Parts

extension QueryInterfaceRequest: SelectionRequest {
  /// The request with another selection, made when there is a database.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.selection = [.made { try selection($0).map(\.sqlSelection) }] }
  }

  /// The request with more selected, made when there is a database.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.selection.append(.made { try selection($0).map(\.sqlSelection) }) }
  }

  // The same without a closure, for speed.

  /// The request with another selection.
  public func select(_ selection: [any SQLSelectable]) -> Self {
    with { $0.selection = [.value(selection.map(\.sqlSelection))] }
  }

  /// The request with more selected.
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    with { $0.selection.append(.value(selection.map(\.sqlSelection))) }
  }
}

extension QueryInterfaceRequest: FilteredRequest {
  /// The request with a condition more, made when there is a database.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    filter(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// The request with a condition more.
  @_disfavoredOverload
  public func filter(_ predicate: any SQLExpressible & SQLSelectable) -> Self {
    Self(relation: relation.filtered(predicate.sqlExpression))
  }
}

extension QueryInterfaceRequest: OrderedRequest {
  /// The request in another order, made when there is a database.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self {
    with { $0.ordering = RelationOrdering { try orderings($0).map(\.sqlOrdering) } }
  }

  /// The request in another order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
    with { $0.ordering = RelationOrdering(orderings.map(\.sqlOrdering)) }
  }

  /// The request in the opposite order; without an order, as it is.
  public func reversed() -> Self {
    with { $0.ordering.isReversed.toggle() }
  }

  /// The request in no order.
  public func unordered() -> Self { with { $0.ordering = RelationOrdering() } }

  /// The request in its order, and by the primary key where that leaves rows equal.
  public func withStableOrder() -> Self { with { $0.ordering.isStable = true } }
}

extension QueryInterfaceRequest: AggregatingRequest {
  /// The request in other groups, made when there is a database.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self {
    with { $0.grouping = [.made { try expressions($0).map(\.sqlExpression) }] }
  }

  /// The request with a condition more for groups, made when there is a database.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    Self(
      relation: relation.having(
        SQLExpression(.deferred { try predicate($0).sqlExpression })))
  }
}

extension QueryInterfaceRequest: TableRequest {
  /// The name of the table.
  public var databaseTableName: String { relation.tableName }

  /// The request with its table under an alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { with { $0.aliases.append(alias) } }

  /// The request with its table under an alias.
  public func aliased(_ alias: TableAlias<Void>) -> Self { with { $0.aliases.append(alias) } }
}

extension QueryInterfaceRequest: TypedRequest, JoinableRequest, DerivableRequest {
  /// The request with its relation changed.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    var parts = _RequestParts(relation: relation)
    change(&parts)
    return Self(relation: parts.relation)
  }

  /// The request without rows that are equal in all that is selected.
  public func distinct() -> Self { with { $0.isDistinct = true } }

  /// The request with a common table expression that it can use.
  public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
    Self(relation: relation.with(cte.expression))
  }

  /// The request with no more than so many rows, after some that are left out.
  ///
  /// - Parameter limit: The most rows; all for a negative number.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    with { $0.limit = Relation.Limit(count: limit, offset: offset) }
  }
}

extension QueryInterfaceRequest {
  /// The number of columns that the request selects.
  package func columnCount(_ db: Database) throws -> Int {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { request.statement.clearBindings() }
    return request.statement.columnCount
  }
}
