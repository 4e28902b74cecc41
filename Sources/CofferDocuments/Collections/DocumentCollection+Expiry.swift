import CofferCore
import FoundationEssentials

extension DocumentCollection {
  /// Deletes the documents that have expired, as ``MigrationRule/expires(_:)`` declares.
  ///
  /// Documents whose property is nil stay. The store never calls this by itself; call it at launch,
  /// or from time to time.
  /// - Returns: The number of deleted documents.
  /// - Throws: ``DocumentError`` if the type doesn't declare when its documents expire;
  ///   ``DatabaseError``, for example if other documents refer to an expired one.
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
  /// - Returns: The number of deleted documents.
  /// - Throws: The errors of the synchronous form.
  @discardableResult
  public func deleteExpired() async throws -> Int {
    let query = try expired()
    return try await writing { try query.delete($0) }
  }
}

extension QueryBuilder {
  /// Returns a query that includes expired documents.
  public func includingExpired() -> QueryBuilder<Document> { with { $0.includesExpired = true } }
}
