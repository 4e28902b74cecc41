import CofferCore

extension Table {
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
