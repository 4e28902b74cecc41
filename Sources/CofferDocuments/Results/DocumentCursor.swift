import CofferCore
import CofferRecords

/// A cursor over the documents of a query, inside an access.
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

  /// Returns the next document, or nil at the end.
  ///
  /// - Throws: ``RowDecodingError``, with the document's identifier, if a stored value doesn't fit
  ///   the type any more; the next call returns the next document.
  public func next() throws -> Document? {
    try rows.next().map { try query.document(of: $0) }
  }
}

extension Filterable {
  /// Returns a cursor over the documents, with at most one of them in memory.
  ///
  /// ```swift
  /// try store.read { db in
  ///   let cursor = try books.filter(\.pages, greaterThan: 1000).fetchCursor(db)
  ///   while let book = try cursor.next() { print(book.title) }
  /// }
  /// ```
  ///
  /// - Parameter db: The connection of the access. The cursor throws after the access has ended.
  public func fetchCursor(_ db: Database) throws -> DocumentCursor<Row> {
    try DocumentCursor(all(), db)
  }
}
