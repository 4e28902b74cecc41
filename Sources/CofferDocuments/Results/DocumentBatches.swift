import CofferCore

/// The documents of a query in batches, each fetched on demand.
public struct DocumentBatches<Document: Codable & Sendable>: AsyncSequence, Sendable {
  /// A batch of documents, in the query's order.
  public typealias Element = [Document]

  fileprivate let query: QueryBuilder<Document>
  fileprivate let size: Int

  /// Returns an iterator that starts at the first batch.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(query: query, size: size) }

  /// An iterator over the batches.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let query: QueryBuilder<Document>
    fileprivate let size: Int
    fileprivate var last: PageToken?
    fileprivate var isAtEnd = false

    /// Returns the next batch.
    ///
    /// Nil at the end.
    /// - Throws: The errors of ``QueryBuilder/fetchPage(_:after:)``, and `CancellationError`. The
    ///   sequence ends after an error.
    public mutating func next() async throws -> [Document]? {
      guard !isAtEnd else { return nil }
      isAtEnd = true
      let (query, size, last) = (query, size, last)
      let page = try await query.collection.reading { db in
        try query.fetchPage(
          size, after: last, ties: query.collection.schema.rowKey(db), db)
      }
      guard !page.documents.isEmpty else { return nil }
      self.last = page.next
      isAtEnd = page.next == nil
      return page.documents
    }
  }
}

@available(*, unavailable)
extension DocumentBatches.AsyncIterator: Sendable {}

extension Filterable where Row: Sendable {
  /// Returns the documents in batches, which are fetched on demand.
  ///
  /// At most one batch is in memory, and no access is held between batches.
  ///
  /// ```swift
  /// for try await batch in books.all().orderBy(\.title).batches(of: 500) { try export(batch) }
  /// ```
  ///
  /// Each batch is read in its own access, and begins after the last document of the batch before.
  /// A document that keeps its place in the order appears exactly once, even if other documents are
  /// inserted, changed or deleted in between. Use ``Filterable/fetchCursor(_:)`` to read all
  /// documents in one state.
  /// - Parameter size: The maximum number of documents in a batch.
  public func batches(of size: Int) -> DocumentBatches<Row> {
    DocumentBatches(query: all(), size: size)
  }
}
