extension Row {
  // MARK: From a request

  /// A cursor over the rows of a request.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RowCursor {
    try request.makePreparedRequest(db, forSingleResult: false).rowCursor(db)
  }

  /// All rows of a request.
  public static func fetchAll(
    _ db: Database, _ request: some FetchRequest
  ) throws -> [Row] {
    try request.makePreparedRequest(db, forSingleResult: false).allRows(db)
  }

  /// The distinct rows of a request.
  public static func fetchSet(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Set<Row> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    if request.supplementaryFetch != nil { return try Set(request.allRows(db)) }
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }

  /// The first row of a request, or nil where it gives none.
  public static func fetchOne(
    _ db: Database, _ request: some FetchRequest
  ) throws -> Row? {
    try request.makePreparedRequest(db, forSingleResult: true).firstRow(db)
  }
}

extension PreparedRequest {
  /// All rows, completed.
  func allRows(_ db: Database) throws -> [Row] {
    let rows = try Row.fetchAll(fetchedStatement, adapter: adapter)
    if let supplementaryFetch, !rows.isEmpty { try supplementaryFetch(db, rows) }
    return rows
  }

  /// The first row, completed; nil for none.
  func firstRow(_ db: Database) throws -> Row? {
    let row = try Row.fetchOne(fetchedStatement, adapter: adapter)
    if let supplementaryFetch, let row { try supplementaryFetch(db, [row]) }
    return row
  }

  /// A cursor over the rows; over copies, where they are to be completed.
  @usableFromInline
  package func rowCursor(_ db: Database) throws -> RowCursor {
    guard supplementaryFetch != nil else {
      return try Row.fetchCursor(fetchedStatement, adapter: adapter)
    }
    return RowCursor(statement, replaying: try allRows(db))
  }

  /// A cursor over the first row alone, where it has to be completed; else as ``rowCursor(_:)``.
  @usableFromInline
  package func singleRowCursor(_ db: Database) throws -> RowCursor {
    guard supplementaryFetch != nil else { return try rowCursor(db) }
    return RowCursor(statement, replaying: try firstRow(db).map { [$0] } ?? [])
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
