// Schema reading for higher layers, with statements that aren't observed or traced, and don't
// affect recorded regions.
import CofferVault

extension Database {
  /// The number of the open explicit transaction; nil outside of one.
  ///
  /// Each transaction has a different number, regardless of how it began.
  package var openTransaction: Int? {
    guard let connection = sqliteConnection, !SQLite.isAutocommit(connection) else { return nil }
    return hooks.transactionCount
  }

  /// Returns SQLite's count of changes to a schema, by any connection.
  ///
  /// Inside a transaction, the count belongs to the state that the transaction sees.
  package func schemaVersion(of schema: DatabaseSchemaID) throws -> Int32 {
    guard schema == .main, let transaction = openTransaction else {
      return try readSchemaVersion(of: schema)
    }
    if let known = knownSchemaVersion?.version(in: transaction, self) {
      try checkAccess()
      try checkCancellation()
      return known
    }
    let version = try readSchemaVersion(of: schema)
    knownSchemaVersion = KnownSchemaVersion(version, of: transaction, self)
    return version
  }

  private func readSchemaVersion(of schema: DatabaseSchemaID) throws -> Int32 {
    try readSchema { connection in
      try control.schemaVersion(of: schema.name, in: connection)
    }
  }

  /// Finalizes the statements that read schema versions, after schemas were attached or detached.
  package func forgetSchemaVersions() { control.finalizeVersions() }

  /// Ends `PRAGMA writable_schema = ON`, even if memory has run out.
  package func protectSchema() {
    if let sqliteConnection { SQLite.protectSchema(sqliteConnection) }
  }

  /// Finalizes the cached statements, and forgets the SQL of requests.
  package func forgetCachedStatements() {
    statementCache.removeAll()
    queryShapes.removeAll()
    plans.removeAll()
  }

  /// Returns all rows of a statement that reads the schema.
  package func schemaRows(_ sql: String) throws -> [[DatabaseValue]] {
    try readSchema(sql) { connection in try SQLite.rows(connection, sql) }
  }

  /// Whether an existing table has rowids.
  package func hasRowIDs(_ table: DatabaseObjectID) throws -> Bool {
    try readSchema { connection in
      try SQLite.hasRowIDs(connection, table.name, schema: table.schemaID.name)
    }
  }

  /// Returns the collation of a table's column; nil for columns of views.
  package func collation(
    ofColumn column: String, in table: DatabaseObjectID
  ) throws -> String? {
    try readSchema { connection in
      try SQLite.collation(connection, column, table: table.name, schema: table.schemaID.name)
    }
  }

  /// Runs the library's own statements, which are neither traced nor recorded.
  @safe func readSchema<T>(
    _ sql: String? = nil, _ body: (SQLiteConnection) throws -> T
  ) throws -> T {
    try checkAccess()
    try checkCancellation()
    let connection = try openConnection()
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    // The facts of these statements aren't needed.
    let outer = hooks.authorizer.recorder
    hooks.authorizer.recorder = FactsRecorder()
    defer { hooks.authorizer.recorder = outer }
    do {
      return try withoutTracing { try unsafe body(connection) }
    } catch let failure as SQLite.Failure {
      throw translated(DatabaseError(code: failure.code, connection: connection, sql: sql))
    }
  }
}
