// How a higher floor reads the schema: by statements that observers and traces
// aren't told of, and that leave recorded regions alone.

extension Database {
  /// The number of the explicit transaction that is open; nil outside of any.
  ///
  /// It is another one for each transaction, whoever has begun it.
  package var openTransaction: Int? {
    guard let connection = sqliteConnection, !SQLite.isAutocommit(connection) else { return nil }
    return hooks.transactionCount
  }

  /// SQLite's count of the changes to a schema, made by any connection.
  ///
  /// Inside of a transaction, it belongs to the state that the transaction sees.
  package func schemaVersion(of schema: DatabaseSchemaID) throws -> Int32 {
    try readSchema { connection in
      try control.schemaVersion(of: schema.name, in: connection)
    }
  }

  /// Prepares for schemas to come and go.
  package func forgetSchemaVersions() { control.finalizeVersions() }

  /// Forgets the statements that were kept prepared.
  package func forgetCachedStatements() {
    statementCache.removeAll()
    plans.removeAll()
  }

  /// All rows of a statement that reads the schema.
  package func schemaRows(_ sql: String) throws -> [[DatabaseValue]] {
    try readSchema(sql) { connection in try SQLite.rows(connection, sql) }
  }

  /// Whether the rows of a table, which exists, have rowids.
  package func hasRowIDs(_ table: DatabaseObjectID) throws -> Bool {
    SQLite.hasRowIDs(try openConnection(), table.name, schema: table.schemaID.name)
  }

  private func readSchema<T>(
    _ sql: String? = nil, _ body: (SQLiteConnection) throws -> T
  ) throws -> T {
    try checkAccess()
    try checkCancellation()
    let connection = try openConnection()
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    // Nobody wants the facts of these statements.
    let outer = hooks.authorizer.recorder
    hooks.authorizer.recorder = FactsRecorder()
    defer { hooks.authorizer.recorder = outer }
    do {
      return try withoutTracing { try body(connection) }
    } catch let failure as SQLite.Failure {
      throw translated(DatabaseError(code: failure.code, connection: connection, sql: sql))
    }
  }
}
