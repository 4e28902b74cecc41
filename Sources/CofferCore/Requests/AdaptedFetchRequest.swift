/// A request with a row adapter applied to its rows.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// The type that the base request decodes rows to.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  /// Prepares the base request, and chains the adapter after the base's adapter.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
    request.apply(try adapter(db))
    return request
  }

  /// Returns the base request by ranges of rowids.
  public func _tableScan() throws -> _TableScan { try base._tableScan().adapted(adapter) }

  /// Returns the number of rows of the base request.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Returns the region that the base request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// The base request as a subquery; the adapter has no effect on it.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }
}
