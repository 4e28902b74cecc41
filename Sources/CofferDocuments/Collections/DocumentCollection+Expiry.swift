import CofferCore
import FoundationEssentials

extension DocumentCollection {
  /// Deletes the documents that have expired, as ``MigrationRule/expires(_:)`` declares.
  ///
  /// Nothing else is deleted: a document whose own property says that it has not expired, and one
  /// in which it is nil, stay. To be called at a start, perhaps, or after a while: the store doesn't
  /// do it by itself.
  /// - Returns: The number of documents.
  /// - Throws: ``DocumentError`` where the type doesn't declare when its documents expire;
  ///   ``DatabaseError``, such as that of a document that others refer to.
  @discardableResult
  public func deleteExpired() throws -> Int {
    let query = try expired()
    return try writing { try query.delete($0) }
  }

  fileprivate func expired() throws -> QueryBuilder<Document> {
    guard let expiry = schema.expiry else {
      throw DocumentError(
        "documents of \(Document.self) don't expire",
        hint: "Conform it to MigratingDocument, with .expires(…) among its rules.")
    }
    let condition = try expiry.expired()
    return all().includingExpired().with { $0 = $0.adding(condition) }
  }
}

extension DocumentCollection where Document: _SendableMetatype {
  /// Deletes the documents that have expired, on another thread.
  ///
  /// - Returns: The number of documents.
  /// - Throws: What the synchronous form throws.
  @discardableResult
  public func deleteExpired() async throws -> Int {
    let query = try expired()
    return try await writing { try query.delete($0) }
  }
}

extension QueryBuilder {
  /// The query that finds documents which have expired, too.
  public func includingExpired() -> QueryBuilder<Document> { with { $0.includesExpired = true } }
}
