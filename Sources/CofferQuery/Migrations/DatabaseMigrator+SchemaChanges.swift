import CofferCore

extension DatabaseMigrator {
  // MARK: Changed migrations

  /// Whether the migrations that the database has gone through aren't those that are registered.
  ///
  /// That is so where one of them isn't registered any more, or under another name, and where a new
  /// database has other tables, indexes, views or triggers after the same migrations than this
  /// one has. To find out, the migrations are run once more, in a temporary file that is opened just
  /// as this database, and encrypted with a key of its own.
  ///
  /// ```swift
  /// if try queue.read(migrator.hasSchemaChanges) {
  ///   try queue.erase()
  /// }
  /// try migrator.migrate(queue)
  /// ```
  /// - Throws: What a migration throws.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    let identifiers = try appliedIdentifiers(db)
    guard identifiers.isSubset(of: migrations) else { return true }
    guard let last = migrations.last(where: identifiers.contains) else { return false }
    return try SchemaEntry.all(db) != freshSchema(after: last, like: db)
  }

  /// What a new database has after the migrations up to the given one.
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

  /// What the migrations have made: SQLite's own tables aren't part of it, nor GRDB's.
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
