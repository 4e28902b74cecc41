import CofferCore

extension Database {
  // MARK: Checking foreign keys

  /// Throws if a foreign key is violated in the main database.
  ///
  /// - Throws: ``DatabaseError`` with the code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first
  ///   violation.
  public func checkForeignKeys() throws {
    try check(foreignKeyViolations())
  }

  /// Throws if a foreign key of a table is violated.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` with the code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first
  ///   violation, or if there is no such table or schema.
  public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
    try check(foreignKeyViolations(in: tableName, in: schemaName))
  }

  private func check(_ violations: some Cursor<ForeignKeyViolation>) throws {
    if let violation = try violations.next() { throw violation.databaseError(self) }
  }

  /// Returns a cursor over the foreign key violations in the main database.
  public func foreignKeyViolations() throws -> AnyCursor<ForeignKeyViolation> {
    try violations("PRAGMA foreign_key_check", in: "main")
  }

  /// Returns a cursor over the foreign key violations of a table.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` if there is no such table or schema.
  public func foreignKeyViolations(
    in tableName: String, in schemaName: String? = nil
  ) throws -> AnyCursor<ForeignKeyViolation> {
    guard let table = try schemaCache.object(named: tableName, in: schemaName) else {
      throw DatabaseError.noSuchTable(tableName)
    }
    return try violations(table.pragma("foreign_key_check"), in: table.id.schemaID.name)
  }

  private func violations(
    _ sql: String, in schema: String
  ) throws -> AnyCursor<ForeignKeyViolation> {
    AnyCursor(
      try Row.fetchCursor(self, sql: sql).map { [unowned self] row in
        var violation = ForeignKeyViolation(row: row)
        violation.schemaName = schema
        // Old versions of SQLite return rowids for tables without rowids.
        if try !primaryKey(violation.originTable, in: schema).tableHasRowID {
          violation.originRowID = nil
        }
        return violation
      })
  }

  /// Returns the referencing table.
  ///
  /// If its schema is unknown, it is the first table with such a foreign key.
  func violatingTable(_ violation: ForeignKeyViolation) throws -> DatabaseObjectID {
    if let schema = violation.schemaName { return try objectID(violation.originTable, in: schema) }
    let tables = try schemaCache.objects(named: violation.originTable)
    let table = try tables.first { table in
      try schemaCache.foreignKeys(of: table).contains {
        $0.id == violation.foreignKeyId
          && $0.destinationTable.isSameName(as: violation.destinationTable)
      }
    }
    guard let table = table ?? tables.first else {
      throw DatabaseError.noSuchTable(violation.originTable)
    }
    return table.id
  }
}
