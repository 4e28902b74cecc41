import CofferCore

// The same, on other threads: in async functions, the compiler prefers these.

extension QueryBuilder where Document: Sendable {
  /// The first document of the query; nil where there is none.
  public func fetchOne() async throws -> Document? {
    try await collection.reading { try fetchOne($0) }
  }

  /// All documents of the query.
  @inlinable
  public func fetchMany() async throws -> [Document] {
    try await collection.reading { try fetchMany($0) }
  }
}

extension QueryBuilder where Document: _SendableMetatype {
  /// The number of documents of the query, counted by SQLite.
  public func fetchCount() async throws -> Int {
    try await collection.reading { try fetchCount($0) }
  }

  /// A property of the first document of the query; nil where there is none.
  public func fetchOne<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> Value? {
    try await limitedToOne.fetchMany(property).first
  }

  /// A property of each document of the query.
  public func fetchMany<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Value] {
    let selection = try selection(property)
    return try await collection.reading { try fetchMany(selection, $0) }
  }

  /// The first document of the query as another type; nil where there is none.
  public func fetchOne<Value: Codable & Sendable>(
    _ properties: Value.Type
  ) async throws -> Value? {
    try await limitedToOne.fetchMany(properties).first
  }

  /// Each document of the query as another type, which has some of the properties.
  public func fetchMany<Value: Codable & Sendable>(
    _ properties: Value.Type
  ) async throws -> [Value] {
    let columns = try collection.columns(of: properties)
    return try await collection.reading { try fetchMany(Value.self, columns: columns, $0) }
  }

  // MARK: Changes

  /// Gives a property a value in all documents of the query.
  ///
  /// - Returns: The number of documents.
  @discardableResult
  public func update<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ value: Value
  ) async throws -> Int {
    try await updating(property, value).update()
  }

  /// Executes an assignment in SQL for all documents of the query.
  ///
  /// - Returns: The number of documents.
  @discardableResult
  public func update(_ sqlFragment: SQLFragment<Document>) async throws -> Int {
    try await updating(sqlFragment).update()
  }

  /// Executes the assignments that `updating` has added, for all documents of the query.
  ///
  /// - Returns: The number of documents.
  @discardableResult
  public func update() async throws -> Int {
    try await collection.writing { try update($0) }
  }

  /// Deletes all documents of the query.
  ///
  /// - Returns: The number of documents.
  @discardableResult
  public func delete() async throws -> Int {
    try await collection.writing { try delete($0) }
  }
}
