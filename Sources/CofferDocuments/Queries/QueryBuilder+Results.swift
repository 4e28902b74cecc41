import CofferCore
import CofferRecords

extension QueryBuilder {
  /// Fetches each document of the query, or the reason why it can't be decoded, in the query's
  /// order.
  ///
  /// ```swift
  /// for result in try books.all().fetchResults() {
  ///   switch result {
  ///   case .success(let book): …
  ///   case .failure(let error): print("\(error.columnName ?? "") is damaged")  // error.recordKey
  ///   }
  /// }
  /// ```
  ///
  /// If a stored value doesn't fit the type any more, ``fetchMany()`` throws, whereas this method
  /// returns all other documents.
  /// - Throws: The error of an invalid query; ``DatabaseError``.
  public func fetchResults() throws -> [Result<Document, RowDecodingError>] {
    try collection.reading { try fetchResults($0) }
  }

  func fetchResults(_ db: Database) throws -> [Result<Document, RowDecodingError>] {
    var results: [Result<Document, RowDecodingError>] = []
    try rows(selecting: collection.columnList, db).forEach { row in
      do { results.append(.success(try document(of: row))) } catch let error as RowDecodingError {
        results.append(.failure(error))
      }
    }
    return results
  }

  // MARK: Errors

  /// Returns the query's rows, with the identifier as their last column.
  func rows(selecting columns: String, _ db: Database) throws -> RowCursor {
    try rows(selecting: columns, of: valid(db), db)
  }

  /// Returns the rows of a query of the collection, with the identifier as their last column.
  func rows(
    selecting columns: String, of query: DocumentQuery, _ db: Database
  ) throws -> RowCursor {
    let selection = "\(columns), \(collection.table.idColumn) AS coffer_key"
    let sql = try self.selecting(selection, of: query, db)
    return try CofferCore.Row.fetchCursor(db, SQLRequest<CofferCore.Row>(literal: sql))
  }

  /// Decodes the document of a row, in which the identifier is the last column.
  func document(of row: CofferCore.Row) throws -> Document {
    do { return try StoredDocument<Document>(row: row).document } catch let error
      as RowDecodingError
    { throw naming(error, row) }
  }

  private func naming(_ error: RowDecodingError, _ row: CofferCore.Row) -> RowDecodingError {
    let named = error.naming(record: Document.self)
    guard collection.id != nil else { return named }
    return named.naming(recordKey: row.databaseValue(at: row.count - 1))
  }

  /// Returns the error of a fetch, with the identifier of the document.
  @usableFromInline
  func located(_ error: RowDecodingError, _ db: Database) -> RowDecodingError {
    located(error, selecting: collection.columnList, db) { row in
      _ = try StoredDocument<Document>(row: row)
    }
  }

  /// Returns the error of a fetch, with the identifier of the first document that can't be decoded.
  func located(
    _ known: RowDecodingError, selecting columns: String, _ db: Database,
    _ decode: (CofferCore.Row) throws -> Void
  ) -> RowDecodingError {
    guard collection.id != nil, let rows = try? rows(selecting: columns, db) else { return known }
    while let row = try? rows.next() {
      // The known error names the column better than the new one.
      do { try decode(row) } catch { return naming(known, row) }
    }
    return known
  }
}

extension QueryBuilder where Document: Sendable {
  /// Fetches each document of the query, or the reason why it can't be decoded, on another thread.
  public func fetchResults() async throws -> [Result<Document, RowDecodingError>] {
    try await collection.reading { try fetchResults($0) }
  }
}
