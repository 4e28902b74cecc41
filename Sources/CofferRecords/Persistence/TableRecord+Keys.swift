import CofferCore
import CofferQuery

extension TableRecord {
  /// The number of rows in the table.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  // MARK: Deleting

  /// Deletes all rows.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the rows with one of several primary keys, any number of them, in one statement.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the rows with one of several unique keys, by names of columns.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row with the primary key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool {
    try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the row with the unique key, by names of columns.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  // MARK: Existence

  /// Whether there is a row with the primary key.
  public static func exists(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool { try !key.databaseValue.isNull && !filter(key: key).isEmpty(db) }

  /// Whether there is a row with the unique key, by names of columns.
  public static func exists(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool { try !filter(key: key).isEmpty(db) }

  // MARK: Updating

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates all rows.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }

  // MARK: Errors

  /// The error of a primary key that no row has.
  public static func recordNotFound(
    _ db: Database, key: some DatabaseValueConvertible
  ) -> any Error {
    do {
      let primaryKey = try db.primaryKey(databaseTableName)
      guard let column = primaryKey.singleColumn else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "the primary key of table \(databaseTableName) has "
            + "\(primaryKey.columns.count) columns")
      }
      return recordNotFound(key: [column: key])
    } catch { return error }
  }

  /// The error of a key that no row has, by names of columns.
  public static func recordNotFound(
    key: [String: (any DatabaseValueConvertible)?]
  ) -> RecordError {
    .recordNotFound(
      databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Deletes the rows with one of several identifiers, any number of them, in one statement.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row with the identifier, which is the primary key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
    try deleteOne(db, key: id)
  }

  /// Whether there is a row with the identifier, which is the primary key.
  public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

  /// The error of an identifier that no row has.
  public static func recordNotFound(_ db: Database, id: ID) -> any Error {
    recordNotFound(db, key: id)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// The error of a record that has no row.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      let key = try db.primaryKey(type(of: self).databaseTableName)
      return RecordError.recordNotFound(
        databaseTableName: type(of: self).databaseTableName,
        key: try PersistenceContainer(self).allValues(of: key))
    } catch { return error }
  }
}
