import CofferCore
import CofferQuery

extension FetchableRecord {
  // MARK: From a request

  /// Returns a cursor over the records of a request.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RecordCursor<Self> {
    RecordCursor(try request.makePreparedRequest(db, forSingleResult: false).rowCursor(db))
  }

  /// Returns all records of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try fetchCursor(db, request).all()
  }

  /// Returns the first record of a request; nil if there is none.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    if let statement = request.singleRowStatement {
      guard let row = try statement.firstRow() else { return nil }
      return try statement.decodingLookup { try Self(row: row) }
    }
    return try RecordCursor<Self>(request.singleRowCursor(db)).first()
  }
}

extension FetchableRecord where Self: Hashable {
  /// Returns the distinct records of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try fetchCursor(db, request).set()
  }
}

extension FetchRequest where RowDecoder: FetchableRecord {
  /// Returns a cursor over the records of the request.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// Returns all records of the request.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// Returns the first record of the request; nil if there is none.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
  /// Returns the distinct records of the request.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}

extension TableRecord where Self: FetchableRecord {
  /// Returns a cursor over all records of the type's table.
  @inlinable
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
    try all().fetchCursor(db)
  }

  /// Returns all records of the type's table.
  @inlinable
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// Returns the first record of the type's table; nil if there is none.
  @inlinable
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }
}

extension TableRecord where Self: FetchableRecord & Hashable {
  /// Returns the distinct records of the type's table.
  @inlinable
  public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }
}

// MARK: - Records of the schema

extension ColumnInfo: FetchableRecord {}
extension ForeignKeyViolation: FetchableRecord {}
