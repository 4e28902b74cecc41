import CofferCore

extension DatabaseMigrator {
  // MARK: Changed migrations

  /// Returns whether the applied migrations differ from the registered ones.
  ///
  /// They differ if one isn't registered any more or was renamed, or if a new database would have
  /// other tables, indexes, views or triggers after the same migrations. To find out, the
  /// migrations are run in a temporary file with the same configuration, encrypted with a random
  /// key if this database is encrypted.
  ///
  /// ```swift
  /// if try queue.read(migrator.hasSchemaChanges) {
  ///   try queue.erase()
  /// }
  /// try migrator.migrate(queue)
  /// ```
  /// - Throws: The error of a migration, or ``DatabaseError`` if an identifier is registered twice.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    try checkIdentifiers()
    let identifiers = try appliedIdentifiers(db)
    guard identifiers.isSubset(of: migrations) else { return true }
    guard let last = migrations.last(where: identifiers.contains) else { return false }
    return try SchemaEntry.all(db) != freshSchema(after: last, like: db)
  }

  /// Returns the schema of a new database after the migrations up to a given one.
  private func freshSchema(
    after identifier: String, like db: Database
  ) throws -> Set<SchemaEntry> {
    try DatabaseQueue.withTemporaryFile(like: db.configuration, isEncrypted: db.isKeyed) { db in
      try run(db, upTo: identifier)
      return try SchemaEntry.all(db)
    }
  }
}

/// A row of the schema.
private struct SchemaEntry: Hashable {
  var type: String
  var name: String
  var table: String
  var sql: String?

  /// Returns the objects created by migrations, without SQLite's and GRDB's internal tables.
  static func all(_ db: Database) throws -> Set<SchemaEntry> {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT type, name, tbl_name, sql FROM main.sqlite_master
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'
        """)
    var objects: Set<SchemaEntry> = []
    while let row = try rows.next() {
      objects.insert(SchemaEntry(type: row[0], name: row[1], table: row[2], sql: row[3]))
    }
    return objects
  }
}
