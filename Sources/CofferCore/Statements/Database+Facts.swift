import CofferVault

extension Database {
  /// Installs the authorizer, which records facts about the statements that SQLite compiles.
  func installAuthorizer() throws {
    let connection = try openConnection()
    let code = hooks.authorizer.install(in: connection) { [unowned self] name, value, schema in
      notePragma(name: name, value: value, schema: schema)
      return pragmaRefusal(name: name, value: value, schema: schema)
    }
    guard code == SQLite.ok else { throw DatabaseError(code: code, connection: connection) }
  }

  /// Compiles a statement in `body`, and returns the facts that the compiler reports about it.
  ///
  /// - Parameter undo: Called with the result of `body` if the facts can't be had.
  func recordingFacts<T>(
    _ body: () throws -> T, undo: (T) -> Void = { _ in }
  ) throws -> (T, StatementFacts) {
    let authorizer = hooks.authorizer
    let outer = authorizer.recorder
    let recorder = FactsRecorder()
    authorizer.recorder = recorder
    authorizer.refusal = nil
    authorizer.forgetDroppedTable()
    defer { authorizer.recorder = outer }
    let result: T
    do {
      result = try body()
    } catch let error as DatabaseError {
      guard let refusal = authorizer.refusal, error.resultCode == .SQLITE_AUTH else { throw error }
      throw DatabaseError(resultCode: .SQLITE_AUTH, message: refusal, sql: error.sql)
    }
    guard let connection = sqliteConnection else { return (result, StatementFacts()) }
    do {
      let facts = try recorder.finish(reportsAllTables: SQLiteFeatures.linked.reportsAllTables) {
        table, schema in
        if let schema {
          return try SQLite.hasTable(connection, table, schema: schema) ? schema : nil
        }
        for schema in ["temp", "main"] {
          if try SQLite.hasTable(connection, table, schema: schema) { return schema }
        }
        // Listing the schemas takes a statement, whose facts are discarded.
        authorizer.recorder = FactsRecorder()
        let schemas = try SQLite.schemaNames(connection)
        return try schemas.sorted { $0.key < $1.key }.first {
          try SQLite.hasTable(connection, table, schema: $0.value)
        }?.value
      }
      return (result, facts)
    } catch {
      undo(result)
      guard let failure = error as? SQLite.Failure else { throw error }
      throw translated(DatabaseError(code: failure.code, connection: connection))
    }
  }

  /// Compiles a statement in `body`, and finalizes it if its facts can't be had.
  func preparingWithFacts(
    _ body: () throws -> SQLite.Prepared
  ) throws -> (SQLite.Prepared, StatementFacts) {
    try recordingFacts(body) { if let handle = $0.statement { SQLite.finalize(handle) } }
  }

  /// Returns the tables and columns that a statement reads, including the tables that the compiler
  /// of an old SQLite doesn't report.
  ///
  /// - Returns: Nil if they can't be had.
  func reportedRegion(of facts: StatementFacts, sql: String) -> DatabaseRegion? {
    guard facts.mayReadMore, let connection = sqliteConnection else { return facts.region }
    var region = facts.region
    // Discards the facts of these statements, which only inspect the given one.
    let found: Void? = try? recordingFacts {
      let reads = try SQLite.reads(connection, of: sql)
      let pages = reads.pages
      let schemas = try SQLite.schemaNames(connection)
      for page in Set(pages.map(\.page)) {
        for schema in Set(pages.filter { $0.page == page }.map(\.schema)) {
          guard let schema = schemas[schema] else { continue }
          let master = Database.schemaTable(of: schema)
          let table =
            page == 1
            ? master
            : try SQLite.scalar(
              connection,
              "SELECT tbl_name FROM \(schema.quotedDatabaseIdentifier).\(master) "
                + "WHERE rootpage = \(page)")
          guard let table, !region.reads(table: table, schema: schema) else { continue }
          region.insert(SQLName(table), schema: SQLName(schema), columns: nil)
        }
      }
      // The program doesn't name its virtual tables.
      if try reads.virtualTables > virtualTables(reportedBy: facts) { region = .fullDatabase }
    }.0
    return found == nil ? nil : region
  }

  private func virtualTables(reportedBy facts: StatementFacts) throws -> Int {
    let functions = facts.otherSources.filter { Database.readsNoTable(SQLName($0.name)) }
    return try facts.region.parts.filter {
      try isVirtual($0.table.text, schema: $0.schema.text)
    }.count + functions.count + (facts.readsArrays ? 1 : 0)
  }

  /// Returns whether a table is virtual.
  func isVirtual(_ table: String, schema: String) throws -> Bool {
    let master = Database.schemaTable(of: schema)
    let result = try readSchema { connection in
      try SQLite.scalar(
        connection,
        "SELECT 1 FROM \(schema.quotedDatabaseIdentifier).\(master) WHERE rootpage = 0 "
          + "AND type = 'table' AND name = '\(table.replacing("'", with: "''"))' COLLATE NOCASE")
    }
    return result == "1"
  }
}

extension SQLiteFeatures {
  /// Whether the compiler reports tables of which no column is used.
  var reportsAllTables: Bool { version >= 3_020_000 }
}
