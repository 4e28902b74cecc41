import CofferCore

/// The documents of a query in batches, each of which is fetched when it is asked for.
public struct DocumentBatches<Document: Codable & Sendable>: AsyncSequence, Sendable {
  /// A batch: some documents, in the query's order.
  public typealias Element = [Document]

  fileprivate let query: QueryBuilder<Document>
  fileprivate let size: Int

  /// The first batch, and those behind it.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(query: query, size: size) }

  /// A place in the batches.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let query: QueryBuilder<Document>
    fileprivate let size: Int
    private var last: PageToken?
    private var isAtEnd = false

    fileprivate init(query: QueryBuilder<Document>, size: Int) {
      self.query = query
      self.size = size
    }

    /// The next batch; nil at the end.
    ///
    /// - Throws: What ``QueryBuilder/fetchPage(_:after:)`` throws, and `CancellationError`. Nothing
    ///   follows an error.
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
  /// The documents in batches, with no more than one batch in memory, and no access held meanwhile.
  ///
  /// ```swift
  /// for try await batch in books.all().orderBy(\.title).batches(of: 500) { try export(batch) }
  /// ```
  ///
  /// A batch is a read of its own, which begins behind the last document of the one before:
  /// documents that are inserted, changed or deleted meanwhile make none come twice that stays where
  /// it is in the order, and none be left out. Use ``Filterable/fetchCursor(_:)`` for all documents
  /// of one moment.
  /// - Parameter size: How many documents a batch has, at most.
  public func batches(of size: Int) -> DocumentBatches<Row> {
    DocumentBatches(query: all(), size: size)
  }
}
