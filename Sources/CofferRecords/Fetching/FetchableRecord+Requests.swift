import CofferCore
import CofferQuery

extension FetchableRecord {
  /// A cursor over the records of a request.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RecordCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchCursor(request.fetchedStatement, adapter: request.adapter)
  }

  /// All records of a request.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.fetchedStatement, adapter: request.adapter)
  }

  /// The first record of a request, or nil where it gives none.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try fetchOne(request.fetchedStatement, adapter: request.adapter)
  }
}

extension FetchableRecord where Self: Hashable {
  /// The distinct records of a request.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchSet(request.fetchedStatement, adapter: request.adapter)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord {
  /// A cursor over the records of the request.
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All records of the request.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The first record of the request, or nil where it gives none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
  /// The distinct records of the request.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}

extension Table where RowDecoder: FetchableRecord {
  /// A cursor over all records of the table.
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try all().fetchCursor(db)
  }

  /// All records of the table.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// The first record of the table, or nil where there is none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
  /// The distinct records of the table.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}

extension TableRecord where Self: FetchableRecord {
  /// A cursor over all records of the type's table.
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
    try all().fetchCursor(db)
  }

  /// All records of the type's table.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// The first record of the type's table, or nil where there is none.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }
}

extension TableRecord where Self: FetchableRecord & Hashable {
  /// The distinct records of the type's table.
  public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }
}

// MARK: - What the schema is told in

extension ColumnInfo: FetchableRecord {}
extension ForeignKeyViolation: FetchableRecord {}
