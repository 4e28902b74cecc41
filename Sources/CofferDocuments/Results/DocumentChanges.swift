import CofferCore
import CofferObservation

/// The changes that a commit makes to the result of a query.
public struct DocumentChanges<Document> {
  /// The documents that have entered the result: new ones, and ones that now fulfil the conditions.
  public let inserted: [Document]
  /// The documents that have changed, in their new form.
  public let updated: [Document]
  /// The documents that have left the result, in their last form.
  public let deleted: [Document]
  /// All documents of the result, in the query's order.
  public let documents: [Document]

  /// Whether nothing has changed, except possibly the order.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension DocumentChanges: Sendable where Document: Sendable {}

extension DocumentChanges where Document: Identifiable & Equatable {
  /// Creates the difference of two results.
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

/// The changes to a query's result: see ``Filterable/changes()``.
public struct AsyncDocumentChanges<Document: Codable & Identifiable & Equatable & Sendable>:
  AsyncSequence, Sendable
{
  /// The changes that a commit makes.
  public typealias Element = DocumentChanges<Document>

  fileprivate let values: AsyncValueObservation<[Document]>

  /// Returns an iterator whose first element has all documents as inserted.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: AsyncValueObservation<[Document]>.Iterator
    fileprivate var last: [Document]?

    /// Returns the next changes.
    ///
    /// Nil if the task is cancelled.
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
  /// Returns the changes that each commit makes to the result of the query.
  ///
  /// They list the documents that are inserted into the result, updated in it, or deleted from it.
  ///
  /// ```swift
  /// for try await changes in books.filter(\.isRead, equalTo: false).changes() {
  ///   index.add(changes.inserted + changes.updated)
  ///   index.remove(changes.deleted)
  /// }
  /// ```
  ///
  /// The first element has all documents as inserted. A document that begins to fulfil the
  /// conditions counts as inserted, and one that ceases to, as deleted. Documents are identified by
  /// their identifiers and compared by `==`. Changes in quick succession can be combined into one
  /// element; changes that cancel each other out are left out.
  public func changes() -> AsyncDocumentChanges<Row> { AsyncDocumentChanges(values: values()) }
}
