import CofferCore

extension Filterable {
  /// Fetches the first document.
  ///
  /// Nil if there is none.
  ///
  /// ```swift
  /// let cheapest = try books.all().orderBy(\.priceCents).first()
  /// ```
  public func first() throws -> Row? { try all().fetchOne() }

  /// Returns the number of documents, counted by SQLite.
  public func count() throws -> Int { try all().fetchCount() }

  /// Returns whether there are no documents. SQLite stops at the first one.
  public func isEmpty() throws -> Bool {
    let query = all()
    return try query.collection.reading { try query.isEmpty($0) }
  }
}

extension Filterable where Row: Sendable {
  /// Fetches the first document.
  ///
  /// Nil if there is none.
  public func first() async throws -> Row? { try await all().fetchOne() }
}

extension Filterable where Row: _SendableMetatype {
  /// Returns the number of documents, counted by SQLite.
  public func count() async throws -> Int { try await all().fetchCount() }

  /// Returns whether there are no documents. SQLite stops at the first one.
  public func isEmpty() async throws -> Bool {
    let query = all()
    return try await query.collection.reading { try query.isEmpty($0) }
  }
}

extension QueryBuilder {
  fileprivate func isEmpty(_ db: Database) throws -> Bool {
    let query = try valid(db)
    // Old versions of SQLite ignore a LIMIT directly inside EXISTS.
    if query.limit == 0 { return true }
    let rows = query.selecting("1", from: collection.table)
    return try Bool.fetchOne(db, "SELECT NOT EXISTS (\(rows))" as SQLRequest<Bool>) ?? true
  }
}

// MARK: - One document

extension DocumentCollection where Document: Identifiable, Document.ID: Codable {
  /// Fetches the document with an identifier.
  ///
  /// Nil if there is none.
  ///
  /// ```swift
  /// let book = try books.fetch(id: id)
  /// ```
  public func fetch(id: Document.ID) throws -> Document? { try filter(id: id).fetchOne() }

  /// Deletes the document with the same identifier as this document.
  ///
  /// - Returns: Whether the document existed.
  /// - Throws: ``DatabaseError``, for example if other documents refer to it.
  @discardableResult
  public func delete(_ document: Document) throws -> Bool { try delete(id: document.id) }

  /// Deletes the document with an identifier.
  ///
  /// - Returns: Whether the document existed.
  @discardableResult
  public func delete(id: Document.ID) throws -> Bool { try filter(id: id).delete() > 0 }

  /// Deletes the documents with the same identifiers as these.
  ///
  /// Either all of them are deleted or none.
  /// - Returns: The number of deleted documents.
  @discardableResult
  public func delete(_ documents: [Document]) throws -> Int {
    try withIdentifiers(of: documents).delete()
  }

  fileprivate func withIdentifiers(of documents: [Document]) -> QueryBuilder<Document> {
    filter(\.id, in: documents.map(\.id))
  }
}

extension DocumentCollection where Document: Identifiable & Sendable, Document.ID: Codable {
  /// Fetches the document with an identifier on another thread.
  ///
  /// Nil if there is none.
  public func fetch(id: Document.ID) async throws -> Document? {
    try await filter(id: id).fetchOne()
  }

  /// Deletes the document with the same identifier as this document, on another thread.
  ///
  /// - Returns: Whether the document existed.
  @discardableResult
  public func delete(_ document: Document) async throws -> Bool {
    try await delete(id: document.id)
  }

  /// Deletes the document with an identifier, on another thread.
  ///
  /// - Returns: Whether the document existed.
  @discardableResult
  public func delete(id: Document.ID) async throws -> Bool {
    try await filter(id: id).delete() > 0
  }

  /// Deletes the documents with the same identifiers as these, on another thread.
  ///
  /// Either all of them are deleted or none.
  /// - Returns: The number of deleted documents.
  @discardableResult
  public func delete(_ documents: [Document]) async throws -> Int {
    try await withIdentifiers(of: documents).delete()
  }
}
