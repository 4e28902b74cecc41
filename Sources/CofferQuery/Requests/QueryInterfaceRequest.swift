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

  fileprivate init(_ parts: _RequestParts) { self.parts = parts }

  /// Returns the same request with its rows decoded to another type.
  public consuming func asRequest<T>(of type: T.Type = T.self) -> QueryInterfaceRequest<T> {
    QueryInterfaceRequest<T>(parts)
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
    if parts.isAlone {
      let (sql, arguments) = try db.sql(
        describedBy: { parts.describe(in: &$0, for: singleResult ? .first : .all) },
        renderedBy: { renderer in
          try relation.limited(db, toSingleResult: singleResult).render(into: &renderer)
        })
      return try db.preparedRequest(sql, arguments, of: parts)
    }
    return try relation.limited(db, toSingleResult: singleResult).requestWithAssociations(db)
  }

  /// Returns the region that the request reads, prefetched associations included.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { request.statement.clearBindings() }
    return try request.statement.requestRegion()
  }

  /// Returns the number of rows, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int {
    let (sql, arguments) = try db.sql(
      describedBy: { parts.describe(in: &$0, for: .count) },
      renderedBy: { try relation.renderCount(into: &$0) })
    let request = try db.preparedRequest(sql, arguments, of: parts)
    return try Int.fetchOne(request.fetchedStatement) ?? 0
  }

  /// Returns whether the request has no rows.
  public func isEmpty(_ db: Database) throws -> Bool {
    let (sql, arguments) = try db.sql(
      describedBy: { parts.describe(in: &$0, for: .existence) },
      renderedBy: { renderer in
        renderer.append("SELECT ")
        try renderer.append(exists())
      })
    let request = try db.preparedRequest(sql, arguments, of: parts)
    return try Bool.fetchOne(request.fetchedStatement) != true
  }
}

extension Relation {
  /// Returns the relation with a limit to one row, if only the first row is needed and neither a
  /// unique key nor an aggregate limits the rows.
  fileprivate func limited(_ db: Database, toSingleResult isSingle: Bool) throws -> Relation {
    guard isSingle, limit.map({ $0.count > 1 || $0.count < 0 }) ?? true,
      try limit != nil || !givesOneRowAtMost(db)
    else { return self }
    var result = self
    result.limit = Limit(count: 1, offset: limit?.offset)
    return result
  }

  /// Returns the statement with what the rows of associations need.
  fileprivate func requestWithAssociations(_ db: Database) throws -> PreparedRequest {
    var renderer = SQLRenderer(db)
    try render(into: &renderer)
    var request = try db.preparedRequest(
      renderer.sql, renderer.arguments, of: _RequestParts(relation: self),
      isPrefetching: true)
    request.adapter = try adapter(
      db, columnCount: request.statement.columnCount)
    let prefetches = prefetches
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
}

extension Database {
  /// Returns the statement of a relation for one fetch, with its arguments bound.
  ///
  /// - Parameter isPrefetching: Whether associations are fetched along with the rows.
  func preparedRequest(
    _ sql: String, _ arguments: StatementArguments, of parts: _RequestParts,
    isPrefetching: Bool = false
  ) throws -> PreparedRequest {
    let statement = try cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    if parts.isFiltered || (isPrefetching && parts.relation.hasPrefetches) {
      statement.setRequestRegion(parts.region(isPrefetching: isPrefetching))
      // Computed here, where errors can be thrown.
      if isRecordingRegion { _ = try statement.requestRegion() }
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
  public consuming func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    change(&parts)
    return self
  }
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Returns the request with a limit and an offset.
  ///
  /// - Parameter limit: The maximum number of rows; a negative number for all.
  public consuming func limit(_ limit: Int, offset: Int? = nil) -> _Request {
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
