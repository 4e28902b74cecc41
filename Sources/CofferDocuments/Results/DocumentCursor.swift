import CofferCore
import CofferRecords

/// The documents of a query, one after the other, inside of an access.
public final class DocumentCursor<Document: Codable>: Cursor {
  /// A document.
  public typealias Element = Document

  private let rows: RowCursor
  private let query: QueryBuilder<Document>

  init(_ query: QueryBuilder<Document>, _ db: Database) throws {
    self.query = query
    rows = try query.rows(
      selecting: query.collection.columnList, query.collection.prepare(db))
  }

  /// The next document, or nil at the end.
  ///
  /// - Throws: ``RowDecodingError``, with the document's identifier, where a stored value doesn't
  ///   fit the type any more; the next call gives the next document.
  public func next() throws -> Document? {
    guard let row = try rows.next() else { return nil }
    do { return try StoredDocument<Document>(row: row).document } catch let error
      as RowDecodingError
    { throw query.naming(error, row) }
  }
}

extension Filterable {
  /// The documents, one after the other, with no more than one of them in memory.
  ///
  /// ```swift
  /// try store.read { db in
  ///   let cursor = try books.filter(\.pages, greaterThan: 1000).fetchCursor(db)
  ///   while let book = try cursor.next() { print(book.title) }
  /// }
  /// ```
  ///
  /// - Parameter db: The connection of the access, after whose end the cursor throws.
  public func fetchCursor(_ db: Database) throws -> DocumentCursor<Row> {
    try DocumentCursor(all(), db)
  }
}
