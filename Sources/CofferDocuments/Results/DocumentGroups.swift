import CofferCore

/// The documents of a query, grouped by a property: see ``Filterable/grouped(by:)``.
public struct DocumentGroups<Document: Codable, Key: Codable & Hashable> {
  fileprivate let query: QueryBuilder<Document>
  fileprivate let key: KeyPath<Document, Key>
}

extension Filterable {
  /// Groups the documents by the value of a property, for aggregates computed by SQLite.
  ///
  /// ```swift
  /// let counts = try books.all().grouped(by: \.author).count()  // [String: Int]
  /// let spent = try orders.all().grouped(by: \.customerID).sum(\.cents)
  /// ```
  ///
  /// Values that the property compares as equal form one group. nil is a group too.
  public func grouped<Key: Codable & Hashable>(
    by property: KeyPath<Row, Key>
  ) -> DocumentGroups<Row, Key> {
    DocumentGroups(query: all(), key: property)
  }
}

extension DocumentGroups {
  /// Returns the number of documents in each group.
  public func count() throws -> [Key: Int] { try fetch(query.counting()) }

  /// Returns the sum of a property in each group.
  ///
  /// - Throws: ``DatabaseError`` if the sum of integers overflows 64 bits; ``DocumentError`` if a
  ///   stored value isn't a number.
  public func sum<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> [Key: Value] {
    try fetch(query.summing(property, of: Value.self))
  }

  /// Returns the mean of a property in each group.
  ///
  /// - Throws: The errors of ``sum(_:)``.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> [Key: Double] {
    try fetch(query.averaging(property))
  }

  /// Returns the least value of a property in each group.
  public func min<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> [Key: Value] {
    try fetch(query.extreme("min", property, of: Value.self))
  }

  /// Returns the greatest value of a property in each group.
  public func max<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> [Key: Value] {
    try fetch(query.extreme("max", property, of: Value.self))
  }
}

extension DocumentGroups where Document: _SendableMetatype, Key: Sendable {
  /// Returns the number of documents in each group.
  public func count() async throws -> [Key: Int] { try await fetch(query.counting()) }

  /// Returns the sum of a property in each group.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await fetch(query.summing(property, of: Value.self))
  }

  /// Returns the mean of a property in each group.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Double] {
    try await fetch(query.averaging(property))
  }

  /// Returns the least value of a property in each group.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await fetch(query.extreme("min", property, of: Value.self))
  }

  /// Returns the greatest value of a property in each group.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await fetch(query.extreme("max", property, of: Value.self))
  }
}

extension DocumentGroups {
  private func fetch<Value>(
    _ aggregate: DocumentAggregate<Document, Value>
  ) throws -> [Key: Value] {
    let key = try query.selection(key)
    return try query.collection.reading { try aggregate.fetch(by: key, $0) }
  }
}

extension DocumentGroups where Document: _SendableMetatype, Key: Sendable {
  private func fetch<Value: Sendable>(
    _ aggregate: DocumentAggregate<Document, Value>
  ) async throws -> [Key: Value] {
    let key = try query.selection(key)
    return try await query.collection.reading { try aggregate.fetch(by: key, $0) }
  }
}

extension DocumentAggregate {
  /// Returns the aggregate of each group.
  fileprivate func fetch<Key: Decodable & Hashable>(
    by key: DocumentSelection<Key>, _ db: Database
  ) throws -> [Key: Value] {
    var values: [Key: Value] = [:]
    let request = try query.request(
      db, "coffer_0, \(sql("coffer_1", db))", of: [key.column] + (column.map { [$0] } ?? []),
      " GROUP BY coffer_0\(key.column.collating)")
    let takesNil = Value.self is any ExpressibleByNilLiteral.Type
    try request.fetchCursor(db).forEach { row in
      try column?.requireNumbers(row.databaseValue(at: 2))
      // A group in which all values are nil has no result.
      guard takesNil || !row.databaseValue(at: 1).isNull else { return }
      values[try key.value(of: row, at: 0)] = try result.value(of: row, at: 1)
    }
    return values
  }
}
