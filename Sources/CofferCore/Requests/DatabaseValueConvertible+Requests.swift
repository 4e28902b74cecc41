extension DatabaseValueConvertible {
  // MARK: From a request

  /// Returns a cursor over the values of a request, the first column of each row.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> DatabaseValueCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchCursor(request.fetchedStatement, adapter: request.adapter)
  }

  /// Returns all values of a request, the first column of each row.
  @inlinable
  public static func fetchAll(
    _ db: Database, _ request: some FetchRequest
  ) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.fetchedStatement, adapter: request.adapter)
  }

  /// Returns the first value of a request; nil if it is NULL or there is no row.
  @inlinable
  public static func fetchOne(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    if let statement = request.singleRowStatement { return try statement.firstValue(Self.self) }
    return try fetchOne(request.fetchedStatement, adapter: request.adapter)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// Returns the distinct values of a request, the first column of each row.
  @inlinable
  public static func fetchSet(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Set<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
  /// Returns a cursor over the values of the request, the first column of each row.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// Returns all values of the request, the first column of each row.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// Returns the first value of the request; nil if it is NULL or there is no row.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
  /// Returns the distinct values of the request, the first column of each row.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}
