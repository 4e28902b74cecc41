import CofferCore
import CofferRecords

extension QueryBuilder {
  // MARK: Documents

  /// Fetches the first document of the query; nil if there is none.
  ///
  /// - Throws: The error of an invalid query; ``RowDecodingError`` if a stored value doesn't fit
  ///   the type any more; ``DatabaseError``.
  public func fetchOne() throws -> Document? {
    try collection.reading { try fetchOne($0) }
  }

  /// Fetches all documents of the query.
  ///
  /// - Throws: The error of an invalid query; ``RowDecodingError`` if a stored value doesn't fit
  ///   the type any more; ``DatabaseError``.
  @inlinable
  public func fetchMany() throws -> [Document] {
    try collection.reading { try fetchMany($0) }
  }

  /// Returns the number of documents of the query, counted by SQLite.
  public func fetchCount() throws -> Int {
    try collection.reading { try fetchCount($0) }
  }

  // MARK: One property

  /// Fetches a property of the first document of the query; nil if there is none.
  public func fetchOne<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> Value? {
    try limitedToOne.fetchMany(property).first
  }

  /// Fetches a property of each document of the query.
  ///
  /// ```swift
  /// let names = try employees.all().fetchMany(\.name)  // [String]
  /// ```
  public func fetchMany<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> [Value] {
    let selection = try selection(property)
    return try collection.reading { try fetchMany(selection, $0) }
  }

  // MARK: Smaller types

  /// Fetches the first document of the query as another type, which has some of the properties; nil
  /// if there is none.
  public func fetchOne<Value: Codable>(_ properties: Value.Type) throws -> Value? {
    try limitedToOne.fetchMany(properties).first
  }

  /// Fetches each document of the query as another type, which has some of the properties.
  ///
  /// ```swift
  /// struct NameAndID: Codable { var id: UUID, name: String }
  /// let pairs = try employees.all().fetchMany(NameAndID.self)
  /// // SELECT "id", "name" FROM "Employee"
  /// ```
  ///
  /// - Throws: ``DocumentError`` if the type has properties that the documents don't have.
  public func fetchMany<Value: Codable>(_ properties: Value.Type) throws -> [Value] {
    let columns = try collection.columns(of: properties)
    return try collection.reading { try fetchMany(properties, columns: columns, $0) }
  }

  // MARK: On a connection

  var limitedToOne: Self { limit(Swift.min(query.limit ?? 1, 1)) }

  /// Returns the query, and registers its collations with a connection.
  ///
  /// - Parameter expired: Whether expired documents are selected too.
  /// - Throws: The error of an invalid query.
  func valid(_ db: Database, expired: Bool = false) throws -> DocumentQuery {
    if let failure = query.failure { throw failure }
    for collation in query.collations { collation.ensure(in: db) }
    guard let expiry = collection.schema.expiry, !expired, !query.includesExpired else {
      return query
    }
    return try query.adding(expiry.condition())
  }

  func fetchOne(_ db: Database) throws -> Document? {
    if query.isLookup, collection.schema.expiry == nil, let id = query.id,
      let plan = try DocumentLookup<Document>.current(db, collection)
    {
      do {
        switch try plan.lookup.lookUp(db, id, for: DocumentLookup<Document>.self) {
        case .found:
          return try plan.lookup.decoding { try StoredDocument<Document>(row: $0).document }
        case .none: return nil
        case .needsRequest: break
        }
      } catch let error as RowDecodingError { throw error.naming(recordKey: id) }
    }
    let limited = limitedToOne
    let statement = try limited.selection(db)
    do {
      guard let row = try statement.firstRow() else { return nil }
      return try statement.decodingLookup { try StoredDocument<Document>(row: row).document }
    } catch let error as RowDecodingError { throw limited.located(error, db) }
  }

  @inlinable
  func fetchMany(_ db: Database) throws -> [Document] {
    let statement = try selection(db)
    var documents: [Document] = []
    // The number that the same query fetched before.
    let expected = statement.lastRecordCount
    let quarter = expected < 64 ? -1 : expected / 4
    do {
      try StoredDocument<Document>.fetchCursor(statement).forEach { stored in
        if documents.count == quarter { documents.reserveCapacity(expected + expected / 8) }
        documents.append(stored.document)
      }
    } catch let error as RowDecodingError { throw located(error, db) }
    statement.lastRecordCount = documents.count
    return documents
  }

  /// Returns the statement that selects the documents, with its arguments, which are cleared when
  /// it ends.
  @usableFromInline
  func selection(_ db: Database) throws -> Statement {
    let (sql, arguments) = try sql(valid(db), collection.columnList, db)
    let statement = try db.fetchStatement(sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// Returns the SQL of a query of the collection.
  ///
  /// - Parameter columns: The selection; nil to count the documents.
  private func sql(
    _ query: DocumentQuery, _ columns: String?, _ db: Database
  ) throws -> (sql: String, arguments: StatementArguments) {
    let table = collection.table
    return try db.sql(
      describedBy: { query.describe(in: &$0, selecting: columns, from: table) },
      renderedBy: {
        try $0.append(
          columns.map { query.selecting($0, from: table) } ?? query.counting(from: table))
      })
  }

  /// Returns the query of some columns as SQL.
  func selecting(_ columns: String?, of query: DocumentQuery, _ db: Database) throws -> SQL {
    let (sql, arguments) = try sql(query, columns, db)
    return SQL(sql: sql, arguments: arguments)
  }

  func fetchCount(_ db: Database) throws -> Int {
    let sql = try selecting(nil, of: valid(db), db)
    return try Int.fetchOne(db, SQLRequest<Int>(literal: sql)) ?? 0
  }

  func fetchMany<Value: Decodable>(
    _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> [Value] {
    let column = selection.column
    let name = SelectedValue<Value>.columnName.quotedDatabaseIdentifier
    let columns = "\(column.sqlText()) AS \(name)"
    let sql = try selecting(columns, of: valid(db), db)
    do { return try selection.fetchAll(db, sql) } catch let error as RowDecodingError {
      let named = error.naming(column: column.description, ofRecord: Document.self)
      throw located(named, selecting: columns, db) { _ = try selection.value(of: $0, at: 0) }
    }
  }

  func fetchMany<Value: Decodable>(
    _ type: Value.Type, columns: String, _ db: Database
  ) throws -> [Value] {
    let sql = try selecting(columns, of: valid(db), db)
    do {
      return try DecodedRow<Value>.fetchAll(db, SQLRequest<Never>(literal: sql)).map(\.value)
    } catch let error as RowDecodingError {
      throw located(error, selecting: columns, db) { _ = try DecodedRow<Value>(row: $0) }
    }
  }
}
