import CofferCore

extension Table {
  /// Returns whether there is a row with the primary key.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
  }

  /// Returns whether there is a row with the unique key, given by column names.
  public func exists(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Deletes the row with the primary key.
  ///
  /// - Returns: Whether a row was deleted.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the row with the unique key, given by column names.
  ///
  /// - Returns: Whether a row was deleted.
  @discardableResult
  public func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the rows with these primary keys.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll<Keys>(_ db: Database, keys: Keys) throws -> Int
  where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the rows with these unique keys, given by column names.
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
  /// Returns whether there is a row with the identifier, which is the primary key.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try exists(db, key: id)
  }

  /// Deletes the row with the identifier, which is the primary key.
  ///
  /// - Returns: Whether a row was deleted.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try deleteOne(db, key: id)
  }

  /// Deletes the rows with these identifiers.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }
}
