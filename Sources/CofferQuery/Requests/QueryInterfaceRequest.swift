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
/// A request is a value: each method returns another request. The database isn't accessed before a
/// fetch.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  private var parts: _RequestParts

  package var relation: Relation { parts.relation }

  package init(relation: Relation) { parts = _RequestParts(relation: relation) }

  /// Returns the same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type = T.self) -> QueryInterfaceRequest<T> {
    QueryInterfaceRequest<T>(relation: relation)
  }
}

extension QueryInterfaceRequest: FetchRequest {
  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { SQLSubquery(node: relation) }

  /// Returns the statement with its arguments bound; they are cleared after one fetch.
  ///
  /// For a single result, `LIMIT 1` is added, unless a unique key or an aggregate already limits
  /// the rows.
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

  /// Returns the region that the request reads, prefetched associations included.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { request.statement.clearBindings() }
    return try request.statement.requestRegion()
  }

  /// Returns the number of rows, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int {
    try relation.fetchCount(db)
  }

  /// Returns whether the request has no rows.
  public func isEmpty(_ db: Database) throws -> Bool {
    var renderer = SQLRenderer(db)
    renderer.append("SELECT ")
    try renderer.append(exists())
    let request = try renderer.preparedRequest(of: relation)
    return try Bool.fetchOne(request.fetchedStatement) != true
  }
}

extension SQLRenderer {
  /// Returns the rendered statement of a relation for one fetch, with its arguments bound.
  ///
  /// - Parameter isPrefetching: Whether associations are fetched along with the rows.
  func preparedRequest(
    of relation: Relation, isPrefetching: Bool = false
  ) throws -> PreparedRequest {
    let statement = try database.cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    if relation.filter != nil || (isPrefetching && relation.hasPrefetches) {
      statement.setRequestRegion { statement in
        try relation.region(of: statement, isPrefetching: isPrefetching)
      }
      // Computed here, where errors can be thrown.
      if database.isRecordingRegion { _ = try statement.requestRegion() }
    }
    var request = PreparedRequest(statement: statement)
    request.isForOneFetch = true
    return request
  }
}

// MARK: - Parts

extension QueryInterfaceRequest: DerivableRequest {
  /// The name of the table.
  public var databaseTableName: String { relation.tableName }

  /// Returns the request after a change of its relation.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    var result = self
    change(&result.parts)
    return result
  }
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Returns the request with a limit and an offset.
  ///
  /// - Parameter limit: The maximum number of rows; a negative number for all.
  public func limit(_ limit: Int, offset: Int? = nil) -> _Request {
    _with { $0.relation.limit = Relation.Limit(count: limit, offset: offset) }
  }
}

extension QueryInterfaceRequest {
  /// Returns the number of selected columns.
  package func columnCount(_ db: Database) throws -> Int {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { request.statement.clearBindings() }
    return request.statement.columnCount
  }
}
