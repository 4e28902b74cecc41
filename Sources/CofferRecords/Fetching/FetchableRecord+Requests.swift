import CofferCore
import CofferQuery

extension FetchableRecord {
  // MARK: From a request

  /// A cursor over the records of a request.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RecordCursor<Self> {
    RecordCursor(try request.makePreparedRequest(db, forSingleResult: false).rowCursor(db))
  }

  /// All records of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try fetchCursor(db, request).all()
  }

  /// The first record of a request, or nil where it gives none.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try RecordCursor<Self>(request.singleRowCursor(db)).first()
  }
}

extension FetchableRecord where Self: Hashable {
  /// The distinct records of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try fetchCursor(db, request).set()
  }
}

extension FetchRequest where RowDecoder: FetchableRecord {
  /// A cursor over the records of the request.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All records of the request.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The first record of the request, or nil where it gives none.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
  /// The distinct records of the request.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}

extension TableRecord where Self: FetchableRecord {
  /// A cursor over all records of the type's table.
  @inlinable
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
    try all().fetchCursor(db)
  }

  /// All records of the type's table.
  @inlinable
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// The first record of the type's table, or nil where there is none.
  @inlinable
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }
}

extension TableRecord where Self: FetchableRecord & Hashable {
  /// The distinct records of the type's table.
  @inlinable
  public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }
}

// MARK: - What the schema is told in

extension ColumnInfo: FetchableRecord {}
extension ForeignKeyViolation: FetchableRecord {}
