import CofferCore

extension Table {
  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  // MARK: By key

  /// Whether there is a row with the primary key.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
  }

  /// Whether there is a row with the unique key, by names of columns.
  public func exists(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Deletes the row with the primary key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the row with the unique key, by names of columns.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the rows with one of several primary keys.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll<Keys>(_ db: Database, keys: Keys) throws -> Int
  where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the rows with one of several unique keys, by names of columns.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes all rows.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  // MARK: All rows

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension Table where RowDecoder: TableRecord {
  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Whether there is a row with the identifier, which is the primary key.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try exists(db, key: id)
  }

  /// Deletes the row with the identifier, which is the primary key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try deleteOne(db, key: id)
  }

  /// Deletes the rows with one of several identifiers.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }
}
