extension Row {
  // MARK: From a request

  /// Returns a cursor over the rows of a request.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RowCursor {
    try request.makePreparedRequest(db, forSingleResult: false).rowCursor(db)
  }

  /// Returns all rows of a request.
  public static func fetchAll(
    _ db: Database, _ request: some FetchRequest
  ) throws -> [Row] {
    try request.makePreparedRequest(db, forSingleResult: false).allRows(db)
  }

  /// Returns the distinct rows of a request.
  public static func fetchSet(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Set<Row> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    if request.supplementaryFetch != nil { return try Set(request.allRows(db)) }
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }

  /// Returns the first row of a request, or nil if there is none.
  public static func fetchOne(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Row? {
    try request.makePreparedRequest(db, forSingleResult: true).firstRow(db)
  }
}

extension PreparedRequest {
  /// Returns all rows, after the supplementary fetch.
  func allRows(_ db: Database) throws -> [Row] {
    let rows = try Row.fetchAll(fetchedStatement, adapter: adapter)
    if let supplementaryFetch, !rows.isEmpty { try supplementaryFetch(db, rows) }
    return rows
  }

  /// Returns all rows, with an object for each only if there is a supplementary fetch.
  package func rowList(_ db: Database) throws -> RowList {
    guard supplementaryFetch == nil else { return RowList(try allRows(db)) }
    return RowList(try RowCopies(fetchedStatement, adapter: adapter))
  }

  /// Returns the first row, after the supplementary fetch; nil if there is none.
  func firstRow(_ db: Database) throws -> Row? {
    let row = try Row.fetchOne(fetchedStatement, adapter: adapter)
    if let supplementaryFetch, let row { try supplementaryFetch(db, [row]) }
    return row
  }

  /// Returns a cursor over the rows; over copies of them if there is a supplementary fetch.
  @usableFromInline
  package func rowCursor(_ db: Database) throws -> RowCursor {
    guard supplementaryFetch != nil else {
      return try Row.fetchCursor(fetchedStatement, adapter: adapter)
    }
    return RowCursor(statement, replaying: try allRows(db))
  }

  /// Returns a cursor over the first row if there is a supplementary fetch, else over all rows.
  @usableFromInline
  package func singleRowCursor(_ db: Database) throws -> RowCursor {
    guard supplementaryFetch != nil else { return try rowCursor(db) }
    return RowCursor(statement, replaying: try firstRow(db).map { [$0] } ?? [])
  }
}

extension FetchRequest where RowDecoder == Row {
  /// Returns a cursor over the rows of the request.
  public func fetchCursor(_ db: Database) throws -> RowCursor {
    try Row.fetchCursor(db, self)
  }

  /// Returns all rows of the request.
  public func fetchAll(_ db: Database) throws -> [Row] {
    try Row.fetchAll(db, self)
  }

  /// Returns the distinct rows of the request.
  public func fetchSet(_ db: Database) throws -> Set<Row> {
    try Row.fetchSet(db, self)
  }

  /// Returns the first row of the request, or nil if there is none.
  public func fetchOne(_ db: Database) throws -> Row? {
    try Row.fetchOne(db, self)
  }
}
