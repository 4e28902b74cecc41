extension Row {
  // MARK: From a request

  /// A cursor over the rows of a request.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RowCursor {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchCursor(request.fetchedStatement, adapter: request.adapter)
  }

  /// All rows of a request.
  public static func fetchAll(
    _ db: Database, _ request: some FetchRequest
  ) throws -> [Row] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.fetchedStatement, adapter: request.adapter)
  }

  /// The distinct rows of a request.
  public static func fetchSet(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Set<Row> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }

  /// The first row of a request, or nil where it gives none.
  public static func fetchOne(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Row? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try fetchOne(request.fetchedStatement, adapter: request.adapter)
  }
}

extension FetchRequest where RowDecoder == Row {
  /// A cursor over the rows of the request.
  public func fetchCursor(_ db: Database) throws -> RowCursor {
    try Row.fetchCursor(db, self)
  }

  /// All rows of the request.
  public func fetchAll(_ db: Database) throws -> [Row] {
    try Row.fetchAll(db, self)
  }

  /// The distinct rows of the request.
  public func fetchSet(_ db: Database) throws -> Set<Row> {
    try Row.fetchSet(db, self)
  }

  /// The first row of the request, or nil where it gives none.
  public func fetchOne(_ db: Database) throws -> Row? {
    try Row.fetchOne(db, self)
  }
}
