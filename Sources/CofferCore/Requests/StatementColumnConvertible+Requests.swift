extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  // MARK: From a request

  /// A cursor over the values of a request, read straight from the statement.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> FastDatabaseValueCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchCursor(request.fetchedStatement, adapter: request.adapter)
  }

  /// All values of a request, read straight from the statement.
  @inlinable
  public static func fetchAll(
    _ db: Database, _ request: some FetchRequest
  ) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.fetchedStatement, adapter: request.adapter)
  }

  /// The first value of a request; nil where it is NULL, or there is no row.
  @inlinable
  public static func fetchOne(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try fetchOne(request.fetchedStatement, adapter: request.adapter)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible, Self: Hashable {
  /// The distinct values of a request, read straight from the statement.
  @inlinable
  public static func fetchSet(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Set<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }
}

extension FetchRequest
where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
  /// A cursor over the values of the request, read straight from the statement.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All values of the request, read straight from the statement.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The first value of the request; nil where it is NULL, or there is no row.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest
where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
  /// The distinct values of the request, read straight from the statement.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}
