/// A request of any kind, by what its rows are decoded to.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
  private let base: any FetchRequest

  /// Hides what kind of request it is.
  public init(_ request: some FetchRequest<RowDecoder>) { base = request }

  private init(untyped base: any FetchRequest) { self.base = base }

  /// The same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> {
    AnyFetchRequest<T>(untyped: base)
  }

  /// The statement of the request, with its arguments bound.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// The number of rows that the request gives.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// What the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// The request, as a query inside of another one.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }
}
