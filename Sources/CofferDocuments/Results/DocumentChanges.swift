import CofferCore
import CofferObservation

/// What a commit has changed in the result of a query.
public struct DocumentChanges<Document> {
  /// Those that are there now, and weren't: new ones, and those that fulfil the conditions by now.
  public let inserted: [Document]
  /// Those that were there, and are others now, as they are.
  public let updated: [Document]
  /// Those that were there, as they were.
  public let deleted: [Document]
  /// All that are there now, in the query's order.
  public let documents: [Document]

  /// Whether nothing has changed but, perhaps, the order.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension DocumentChanges: Sendable where Document: Sendable {}

extension DocumentChanges where Document: Identifiable & Equatable {
  /// The difference of two results.
  ///
  /// - Complexity: O(*n*) in the number of documents.
  public init(from old: [Document], to new: [Document]) {
    var before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var (inserted, updated): ([Document], [Document]) = ([], [])
    for document in new {
      guard let former = before.removeValue(forKey: document.id) else {
        inserted.append(document)
        continue
      }
      if former != document { updated.append(document) }
    }
    self.inserted = inserted
    self.updated = updated
    deleted = old.filter { before[$0.id] != nil }
    documents = new
  }
}

/// The changes of a query's result: see ``Filterable/changes()``.
public struct AsyncDocumentChanges<Document: Codable & Identifiable & Equatable & Sendable>:
  AsyncSequence, Sendable
{
  /// What a commit has changed.
  public typealias Element = DocumentChanges<Document>

  fileprivate let values: AsyncValueObservation<[Document]>

  /// Starts with all documents that are there.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

  /// The changes, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: AsyncValueObservation<[Document]>.Iterator
    private var last: [Document]?

    fileprivate init(values: AsyncValueObservation<[Document]>.Iterator) { self.values = values }

    /// The next changes; nil where the task is cancelled.
    public mutating func next() async throws -> DocumentChanges<Document>? {
      while let documents = try await values.next() {
        let changes = DocumentChanges(from: last ?? [], to: documents)
        let isFirst = last == nil
        last = documents
        if isFirst || !changes.isEmpty { return changes }
      }
      return nil
    }
  }
}

extension Filterable where Row: Identifiable & Equatable & Sendable {
  /// What each commit inserts into the result of the query, updates in it and deletes from it.
  ///
  /// ```swift
  /// for try await changes in books.filter(\.isRead, equalTo: false).changes() {
  ///   index.add(changes.inserted + changes.updated)
  ///   index.remove(changes.deleted)
  /// }
  /// ```
  ///
  /// The first element has all documents that are there as inserted ones. A document that comes to
  /// fulfil the conditions counts as inserted, and one that ceases to, as deleted. Documents are told
  /// apart by their identifiers, and compared by `==`. Changes that follow each other fast may come as
  /// one; those that undo each other don't come.
  public func changes() -> AsyncDocumentChanges<Row> { AsyncDocumentChanges(values: values()) }
}
