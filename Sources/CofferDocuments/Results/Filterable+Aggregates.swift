import CofferCore

extension Filterable {
  // MARK: Numbers

  /// Returns the sum of a property.
  ///
  /// 0 if there are no documents.
  ///
  /// ```swift
  /// let total = try orders.filter(\.isPaid, equalTo: true).sum(\.cents)
  /// ```
  ///
  /// - Throws: ``DatabaseError`` if the sum of integers overflows 64 bits; ``DocumentError`` if a
  ///   stored value isn't a number.
  public func sum<Value: Codable & Numeric>(_ property: KeyPath<Row, Value>) throws -> Value {
    try all().summing(property, of: Value.self).fetch() ?? 0
  }

  /// Returns the sum of a property's values that aren't nil.
  ///
  /// 0 if there are none.
  public func sum<Value: Codable & Numeric>(_ property: KeyPath<Row, Value?>) throws -> Value {
    try all().summing(property, of: Value.self).fetch() ?? 0
  }

  /// Returns the mean of a property.
  ///
  /// Nil if there are no documents.
  /// - Throws: ``DocumentError`` if a stored value isn't a number.
  public func average<Value: Codable & Numeric>(_ property: KeyPath<Row, Value>) throws -> Double? {
    try all().averaging(property).fetch()
  }

  /// Returns the mean of a property's values that aren't nil.
  ///
  /// Nil if there are none.
  public func average<Value: Codable & Numeric>(
    _ property: KeyPath<Row, Value?>
  ) throws -> Double? {
    try all().averaging(property).fetch()
  }

  // MARK: Values

  /// Returns the least value of a property, compared as the property declares.
  ///
  /// Nil if there are no documents.
  ///
  /// ```swift
  /// let first = try books.all().min(\.title)
  /// ```
  public func min<Value: Codable>(_ property: KeyPath<Row, Value>) throws -> Value? {
    try all().extreme("min", property, of: Value.self).fetch()
  }

  /// Returns the least value of a property that isn't nil.
  ///
  /// Nil if there is none.
  public func min<Value: Codable>(_ property: KeyPath<Row, Value?>) throws -> Value? {
    try all().extreme("min", property, of: Value.self).fetch()
  }

  /// Returns the greatest value of a property, compared as the property declares.
  ///
  /// Nil if there are no documents.
  public func max<Value: Codable>(_ property: KeyPath<Row, Value>) throws -> Value? {
    try all().extreme("max", property, of: Value.self).fetch()
  }

  /// Returns the greatest value of a property that isn't nil.
  ///
  /// Nil if there is none.
  public func max<Value: Codable>(_ property: KeyPath<Row, Value?>) throws -> Value? {
    try all().extreme("max", property, of: Value.self).fetch()
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
  /// Returns the sum of a property.
  ///
  /// 0 if there are no documents.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value {
    try await all().summing(property, of: Value.self).fetch() ?? 0
  }

  /// Returns the sum of a property's values that aren't nil.
  ///
  /// 0 if there are none.
  public func sum<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value {
    try await all().summing(property, of: Value.self).fetch() ?? 0
  }

  /// Returns the mean of a property.
  ///
  /// Nil if there are no documents.
  public func average<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Double? {
    try await all().averaging(property).fetch()
  }

  /// Returns the mean of a property's values that aren't nil.
  ///
  /// Nil if there are none.
  public func average<Value: Codable & Numeric & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Double? {
    try await all().averaging(property).fetch()
  }

  /// Returns the least value of a property.
  ///
  /// Nil if there are no documents.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value? {
    try await all().extreme("min", property, of: Value.self).fetch()
  }

  /// Returns the least value of a property that isn't nil.
  ///
  /// Nil if there is none.
  public func min<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value? {
    try await all().extreme("min", property, of: Value.self).fetch()
  }

  /// Returns the greatest value of a property.
  ///
  /// Nil if there are no documents.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value>
  ) async throws -> Value? {
    try await all().extreme("max", property, of: Value.self).fetch()
  }

  /// Returns the greatest value of a property that isn't nil.
  ///
  /// Nil if there is none.
  public func max<Value: Codable & Sendable>(
    _ property: KeyPath<Row, Value?>
  ) async throws -> Value? {
    try await all().extreme("max", property, of: Value.self).fetch()
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

extension QueryBuilder {
  fileprivate func distinct<Value>(
    _ selection: DocumentSelection<Value>, _ db: Database
  ) throws -> [Value] {
    let expression = "coffer_0\(selection.column.collating)"
    var values: [Value] = []
    try request(db, "DISTINCT \(expression)", of: [selection.column], " ORDER BY \(expression)")
      .fetchCursor(db).forEach { values.append(try selection.value(of: $0, at: 0)) }
    return values
  }
}
