import CofferCore

extension Database {
  // MARK: Checking foreign keys

  /// Throws where a row of the main database refers to one that doesn't exist.
  ///
  /// - Throws: An error of the code `SQLITE_CONSTRAINT_FOREIGNKEY`, about the first violation.
  public func checkForeignKeys() throws {
    try check(foreignKeyViolations())
  }

  /// Throws where a row of a table refers to one that doesn't exist.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error of the code `SQLITE_CONSTRAINT_FOREIGNKEY`, about the first violation, or
  ///   one where there is no such table or schema.
  public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
    try check(foreignKeyViolations(in: tableName, in: schemaName))
  }

  private func check(_ violations: some Cursor<ForeignKeyViolation>) throws {
    if let violation = try violations.next() { throw violation.databaseError(self) }
  }

  /// The rows of the main database's tables that refer to one that doesn't exist, found one by one.
  public func foreignKeyViolations() throws -> AnyCursor<ForeignKeyViolation> {
    try violations("PRAGMA foreign_key_check", in: "main")
  }

  /// The rows of a table that refer to one that doesn't exist, found one by one.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error where there is no such table or schema.
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
        // An old SQLite makes up rowids for tables without any.
        if try !primaryKey(violation.originTable, in: schema).tableHasRowID {
          violation.originRowID = nil
        }
        return violation
      })
  }

  /// The table that refers. Where it isn't known in which schema it is, it is the first one that
  /// has such a foreign key.
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
