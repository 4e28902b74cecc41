import CofferCore

// The asynchronous forms, which the compiler prefers in asynchronous functions.

extension QueryBuilder where Document: Sendable {
  /// Fetches the first document of the query; nil if there is none.
  public func fetchOne() async throws -> Document? {
    try await collection.reading { try fetchOne($0) }
  }

  /// Fetches all documents of the query.
  @inlinable
  public func fetchMany() async throws -> [Document] {
    try await collection.reading { try fetchMany($0) }
  }
}

extension QueryBuilder where Document: _SendableMetatype {
  /// Returns the number of documents of the query, counted by SQLite.
  public func fetchCount() async throws -> Int {
    try await collection.reading { try fetchCount($0) }
  }

  /// Fetches a property of the first document of the query; nil if there is none.
  public func fetchOne<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> Value? {
    try await limitedToOne.fetchMany(property).first
  }

  /// Fetches a property of each document of the query.
  public func fetchMany<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Value] {
    let selection = try selection(property)
    return try await collection.reading { try fetchMany(selection, $0) }
  }

  /// Fetches the first document of the query as another type; nil if there is none.
  public func fetchOne<Value: Codable & Sendable>(
    _ properties: Value.Type
  ) async throws -> Value? {
    try await limitedToOne.fetchMany(properties).first
  }

  /// Fetches each document of the query as another type, which has some of the properties.
  public func fetchMany<Value: Codable & Sendable>(
    _ properties: Value.Type
  ) async throws -> [Value] {
    let columns = try collection.columns(of: properties)
    return try await collection.reading { try fetchMany(Value.self, columns: columns, $0) }
  }

  // MARK: Changes

  /// Sets a property in all documents of the query.
  ///
  /// - Returns: The number of changed documents.
  @discardableResult
  public func update<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ value: Value
  ) async throws -> Int {
    try await updating(property, value).update()
  }

  /// Executes an assignment in SQL for all documents of the query.
  ///
  /// - Returns: The number of changed documents.
  @discardableResult
  public func update(_ sqlFragment: SQLFragment<Document>) async throws -> Int {
    try await updating(sqlFragment).update()
  }

  /// Executes the assignments added by `updating`, for all documents of the query.
  ///
  /// - Returns: The number of changed documents.
  @discardableResult
  public func update() async throws -> Int {
    try await collection.writing { try update($0) }
  }

  /// Deletes all documents of the query.
  ///
  /// - Returns: The number of deleted documents.
  @discardableResult
  public func delete() async throws -> Int {
    try await collection.writing { try delete($0) }
  }
}
