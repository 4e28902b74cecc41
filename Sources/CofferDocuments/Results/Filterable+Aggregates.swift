import CofferCore
import CofferRecords
import FoundationEssentials

extension Filterable {
  // MARK: Numbers

  /// Returns the sum of a property; 0 if there are no documents.
  ///
  /// ```swift
  /// let total = try orders.filter(\.isPaid, equalTo: true).sum(\.cents)
  /// ```
  ///
  /// - Throws: ``DatabaseError`` if the sum of integers overflows 64 bits; ``DocumentError`` if a
  ///   stored value isn't a number.
  public func sum<Value: Codable & Numeric>(_ property: KeyPath<Row, Value>) throws -> Value {
    let query = all()
    return try query.collection.reading { try query.sum(query.selection(property), $0) } ?? 0
  }

  /// Returns the sum of a property's values, without nil; 0 if there are none.
  public func sum<Value: Codable & Numeric>(_ property: KeyPath<Row, Value?>) throws -> Value {
    let query = all()
    return try query.collection.reading { db in
      try query.sum(DocumentSelection<Value>(column: query.selection(property).column), db)
    } ?? 0
  }

  /// Returns the mean of a property; nil if there are no documents.
  ///
  /// - Throws: ``DocumentError`` if a stored value isn't a number.
  public func average<Value: Codable & Numeric>(_ property: KeyPath<Row, Value>) throws -> Double? {
    let query = all()
    return try query.collection.reading { try query.average(query.selection(property), $0) }
  }

  /// Returns the mean of a property's values, without nil; nil if there are none.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Row, Value?>
  ) throws -> Double? {
    let query = all()
    return try query.collection.reading { db in
      try query.average(DocumentSelection<Value>(column: query.selection(property).column), db)
    }
  }

  // MARK: Values

  /// Returns the least value of a property, compared as the property declares; nil if there are no
  /// documents.
  ///
  /// ```swift
  /// let first = try books.all().min(\.title)
  /// ```
  public func min<Value: Codable>(_ property: KeyPath<Row, Value>) throws -> Value? {
    let query = all()
    return try query.collection.reading { try query.extreme("ASC", query.selection(property), $0) }
  }

  /// Returns the least value of a property that isn't nil; nil if there is none.
  public func min<Value: Codable>(_ property: KeyPath<Row, Value?>) throws -> Value? {
    let query = all()
    return try query.collection.reading { db in
      try query.extreme(
        "ASC", DocumentSelection<Value>(column: query.selection(property).column), db)
    }
  }

  /// Returns the greatest value of a property, compared as the property declares; nil if there are
  /// no documents.
  public func max<Value: Codable>(_ property: KeyPath<Row, Value>) throws -> Value? {
    let query = all()
    return try query.collection.reading { try query.extreme("DESC", query.selection(property), $0) }
  }

  /// Returns the greatest value of a property that isn't nil; nil if there is none.
  public func max<Value: Codable>(_ property: KeyPath<Row, Value?>) throws -> Value? {
    let query = all()
    return try query.collection.reading { db in
      try query.extreme(
        "DESC", DocumentSelection<Value>(column: query.selection(property).column), db)
    }
  }

  /// Returns the distinct values of a property, compared as the property declares.
  ///
  /// ```swift
  /// let authors = try books.all().distinct(\.author)
  /// ```
  ///
  /// They are in the order of the property. nil counts as a value, and comes first.
  public func distinct<Value: Codable>(_ property: KeyPath<Row, Value>) throws -> [Value] {
    let query = all()
    return try query.collection.reading { try query.distinct(query.selection(property), $0) }
  }
}

extension Filterable where Row: _SendableMetatype {
  /// Returns the sum of a property; 0 if there are no documents.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value {
    let query = all()
    let selection = try query.selection(property)
    return try await query.collection.reading { try query.sum(selection, $0) } ?? 0
  }

  /// Returns the sum of a property's values, without nil; 0 if there are none.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value {
    let query = all()
    let selection = DocumentSelection<Value>(column: try query.selection(property).column)
    return try await query.collection.reading { try query.sum(selection, $0) } ?? 0
  }

  /// Returns the mean of a property; nil if there are no documents.
  public func average<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Double? {
    let query = all()
    let selection = try query.selection(property)
    return try await query.collection.reading { try query.average(selection, $0) }
  }

  /// Returns the mean of a property's values, without nil; nil if there are none.
  public func average<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Double? {
    let query = all()
    let selection = DocumentSelection<Value>(column: try query.selection(property).column)
    return try await query.collection.reading { try query.average(selection, $0) }
  }

  /// Returns the least value of a property; nil if there are no documents.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value? {
    let query = all()
    let selection = try query.selection(property)
    return try await query.collection.reading { try query.extreme("ASC", selection, $0) }
  }

  /// Returns the least value of a property that isn't nil; nil if there is none.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value? {
    let query = all()
    let selection = DocumentSelection<Value>(column: try query.selection(property).column)
    return try await query.collection.reading { try query.extreme("ASC", selection, $0) }
  }

  /// Returns the greatest value of a property; nil if there are no documents.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value? {
    let query = all()
    let selection = try query.selection(property)
    return try await query.collection.reading { try query.extreme("DESC", selection, $0) }
  }

  /// Returns the greatest value of a property that isn't nil; nil if there is none.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value? {
    let query = all()
    let selection = DocumentSelection<Value>(column: try query.selection(property).column)
    return try await query.collection.reading { try query.extreme("DESC", selection, $0) }
  }

  /// Returns the distinct values of a property, in its order.
  public func distinct<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> [Value] {
    let query = all()
    let selection = try query.selection(property)
    return try await query.collection.reading { try query.distinct(selection, $0) }
  }
}

// MARK: - On a connection

extension QueryBuilder {
  fileprivate func sum<Value: Numeric & Decodable>(
    _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> Value? {
    guard let row = try row(.sum, selection, db) else { return nil }
    return try selection.value(of: row, at: 0)
  }

  fileprivate func average<Value: Numeric & Decodable>(
    _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> Double? {
    try row(.mean, selection, db).flatMap { Double.fromDatabaseValue($0.databaseValue(at: 0)) }
  }

  /// Returns the row of an aggregate; nil if there are no values.
  private func row<Value>(
    _ aggregate: NumberAggregate, _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> CofferCore.Row? {
    let sql = aggregate.sql("coffer_0", isDecimal: Value.self == Decimal.self, db)
    guard let row = try row(db, sql, of: [selection.column]) else { return nil }
    try selection.column.requireNumbers(row.databaseValue(at: 1))
    return row.databaseValue(at: 0).isNull ? nil : row
  }

  fileprivate func extreme<Value>(
    _ direction: String, _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> Value? {
    let order = "coffer_0\(selection.column.collating) \(direction)"
    let clauses = " WHERE coffer_0 IS NOT NULL ORDER BY \(order) LIMIT 1"
    return try row(db, "coffer_0", of: [selection.column], clauses)
      .map { try selection.value(of: $0, at: 0) }
  }

  fileprivate func distinct<Value>(
    _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> [Value] {
    let expression = "coffer_0\(selection.column.collating)"
    var values: [Value] = []
    try rows(
      db, "DISTINCT \(expression)", of: [selection.column], " ORDER BY \(expression)"
    ).forEach { values.append(try selection.value(of: $0, at: 0)) }
    return values
  }
}
