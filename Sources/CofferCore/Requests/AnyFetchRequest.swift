/// A type-erased request.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
  private let base: any FetchRequest

  /// Wraps a request.
  public init(_ request: some FetchRequest<RowDecoder>) { base = request }

  private init(untyped base: any FetchRequest) { self.base = base }

  /// Returns the same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> {
    AnyFetchRequest<T>(untyped: base)
  }

  /// Returns the request's statement, with its arguments bound.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// Returns the request by ranges of rowids.
  public func _tableScan() throws -> _TableScan { try base._tableScan() }

  /// Returns the request as a list that follows changes of single rows.
  public func _listQuery() -> _ListQuery? { base._listQuery() }

  /// Returns the summed values as such a list.
  public func _summedQuery() -> _ListQuery? { base._summedQuery() }

  /// Returns the number of rows of the request.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Returns the region that the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }
}
