/// A request whose rows are seen through an adapter.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// That of the base.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  /// The base's statement, with the adapter after the base's own.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
    let adapter = try adapter(db)
    request.adapter = request.adapter.map { ChainedRowAdapter($0, then: adapter) } ?? adapter
    return request
  }

  /// The number of rows of the base.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// What the base reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// The base, as a query inside of another one; the adapter has no part in it.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }
}
