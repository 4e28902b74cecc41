import CofferCore
import CofferRecords
import FoundationEssentials

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
  public func count() throws -> [Key: Int] { try counting().fetch() }

  /// Returns the sum of a property in each group.
  ///
  /// - Throws: ``DatabaseError`` if the sum of integers overflows 64 bits; ``DocumentError`` if a
  ///   stored value isn't a number.
  public func sum<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> [Key: Value] {
    try summing(property).fetch()
  }

  /// Returns the mean of a property in each group.
  ///
  /// - Throws: The errors of ``sum(_:)``.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> [Key: Double] {
    try averaging(property).fetch()
  }

  /// Returns the least value of a property in each group.
  public func min<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> [Key: Value] {
    try extreme("min", property).fetch()
  }

  /// Returns the greatest value of a property in each group.
  public func max<Value: Codable>(_ property: KeyPath<Document, Value>) throws -> [Key: Value] {
    try extreme("max", property).fetch()
  }
}

extension DocumentGroups where Document: _SendableMetatype, Key: Sendable {
  /// Returns the number of documents in each group.
  public func count() async throws -> [Key: Int] { try await counting().fetch() }

  /// Returns the sum of a property in each group.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await summing(property).fetch()
  }

  /// Returns the mean of a property in each group.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Double] {
    try await averaging(property).fetch()
  }

  /// Returns the least value of a property in each group.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await extreme("min", property).fetch()
  }

  /// Returns the greatest value of a property in each group.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Document, Value>
  ) async throws -> [Key: Value] {
    try await extreme("max", property).fetch()
  }
}

extension DocumentGroups {
  private func counting() throws -> GroupAggregate<Document, Key, Int> {
    GroupAggregate(
      query: query, key: try query.selection(key), column: nil,
      result: DocumentSelection(column: DocumentColumn(name: "count"))
    ) { _ in "count(*), 0.0" }
  }

  private func summing<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> GroupAggregate<Document, Key, Value> {
    let selection = try query.selection(property)
    let isDecimal = Value.self == Decimal.self
    return GroupAggregate(
      query: query, key: try query.selection(key), column: selection.column, result: selection
    ) { NumberAggregate.sum.sql("coffer_1", isDecimal: isDecimal, $0) }
  }

  private func averaging<Value: Codable & Numeric>(
    _ property: KeyPath<Document, Value>
  ) throws -> GroupAggregate<Document, Key, Double> {
    let column = try query.selection(property).column
    let isDecimal = Value.self == Decimal.self
    return GroupAggregate(
      query: query, key: try query.selection(key), column: column,
      result: DocumentSelection(column: DocumentColumn(name: column.name))
    ) { NumberAggregate.mean.sql("coffer_1", isDecimal: isDecimal, $0) }
  }

  private func extreme<Value: Codable>(
    _ function: String, _ property: KeyPath<Document, Value>
  ) throws -> GroupAggregate<Document, Key, Value> {
    let selection = try query.selection(property)
    let sql = "\(function)(coffer_1\(selection.column.collating))"
    return GroupAggregate(
      query: query, key: try query.selection(key), column: selection.column, result: selection
    ) { _ in "\(sql), 0.0" }
  }
}

/// An aggregate for each group.
private struct GroupAggregate<Document: Codable, Key: Codable & Hashable, Value: Decodable>:
  Sendable
{
  let query: QueryBuilder<Document>
  let key: DocumentSelection<Key>
  /// The column of the property; nil for a count.
  let column: DocumentColumn?
  let result: DocumentSelection<Value>
  /// The SQL of the aggregate of `coffer_1`, and of the number of values that it can't aggregate.
  let functions: @Sendable (Database) -> String

  func fetch() throws -> [Key: Value] { try query.collection.reading { try fetch($0) } }

  func fetch(_ db: Database) throws -> [Key: Value] {
    var values: [Key: Value] = [:]
    try query.rows(
      db, "coffer_0, \(functions(db))", of: [key.column] + (column.map { [$0] } ?? []),
      " GROUP BY coffer_0\(key.column.collating)"
    ).forEach { row in
      try column?.requireNumbers(row.databaseValue(at: 2))
      // A group in which all values are nil has no result.
      let isNull = row.databaseValue(at: 1).isNull
      guard !isNull || Value.self is any ExpressibleByNilLiteral.Type else { return }
      values[try key.value(of: row, at: 0)] = try result.value(of: row, at: 1)
    }
    return values
  }
}

extension GroupAggregate where Document: _SendableMetatype, Key: Sendable, Value: Sendable {
  func fetch() async throws -> [Key: Value] {
    try await query.collection.reading { try fetch($0) }
  }
}
