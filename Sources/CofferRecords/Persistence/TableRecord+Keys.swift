import CofferCore
import CofferQuery

extension TableRecord {
  /// Returns the number of rows in the table.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  // MARK: Deleting

  /// Deletes all rows.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the rows with the given primary keys, any number of them, in one statement.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the rows with the given unique keys, as dictionaries of column names and values.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int {
    keys.isEmpty ? 0 : try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row with a primary key.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool {
    try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the row with a unique key, a dictionary of column names and values.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  // MARK: Existence

  /// Returns whether a row with the primary key exists.
  public static func exists(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool { try !key.databaseValue.isNull && !filter(key: key).isEmpty(db) }

  /// Returns whether a row with the unique key, a dictionary of column names and values, exists.
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

  /// Returns the error for a primary key without a row.
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

  /// Returns the error for a key without a row, a dictionary of column names and values.
  public static func recordNotFound(
    key: [String: (any DatabaseValueConvertible)?]
  ) -> RecordError {
    .recordNotFound(
      databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Deletes the rows with the given identifiers, any number of them, in one statement.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row with an identifier, which is its primary key.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
    try deleteOne(db, key: id)
  }

  /// Returns whether a row with the identifier, which is its primary key, exists.
  public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

  /// Returns the error for an identifier without a row.
  public static func recordNotFound(_ db: Database, id: ID) -> any Error {
    recordNotFound(db, key: id)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// Returns the error for a record without a row.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      let key = try db.primaryKey(type(of: self).databaseTableName)
      return RecordError.recordNotFound(
        databaseTableName: type(of: self).databaseTableName,
        key: try PersistenceContainer(self).allValues(of: key))
    } catch { return error }
  }
}
