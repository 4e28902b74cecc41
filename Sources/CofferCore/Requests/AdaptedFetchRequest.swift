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
    request.adapter = request.adapter.map { ChainedAdapter(first: $0, second: adapter) } ?? adapter
    return request
  }

  /// The number of rows of the base.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// What the base reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }
}

/// Two adapters, the second of which sees what the first makes of the row.
struct ChainedAdapter: RowAdapter {
  let first: any RowAdapter
  let second: any RowAdapter

  func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    let inner = try first._adaptation(of: columns)
    let outer = try second._adaptation(
      of: RowColumns(layout: inner.layout, baseIndices: inner.baseIndices, base: columns.base))
    let hidden = Set(outer.scopes.map(\.name))
    return RowAdaptation(
      layout: outer.layout, baseIndices: outer.baseIndices,
      scopes: outer.scopes + inner.scopes.filter { !hidden.contains($0.name) })
  }
}
