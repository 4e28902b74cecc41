import CofferSQLite

/// Verifies the new file, as its users will open it.
struct SalvageCheck {
  let file: PendingFile
  let key: FileKey?
  let source: SalvageSource
  let limits: SalvageLimits
  let prepare: ConnectionPreparation
  let reports: FileProgressReports

  /// Checks the structure and the rows, and completes what only an open database can have.
  ///
  /// - Returns: The virtual tables whose storage is damaged.
  /// - Throws: ``DatabaseError`` if the file isn't what was written.
  func run(
    _ objects: [SalvagedObject], lostTable: String?, lostRows: Int, _ virtualTables: [SchemaEntry]
  ) throws -> [String] {
    let connection = try FileConnection(path: file.path, key: key, prepare: prepare)
    defer { connection.close() }
    // Nothing else is opened beside the file, where another user could have put it.
    try connection.run("PRAGMA journal_mode = MEMORY")
    if let size = limits.valueSize {
      SQLite.limitValueSize(try unsafe connection.connection, to: size)
    }
    var damaged: [String] = []
    try reports.report(.verifying, 0)
    try reports.reporting(on: connection, .verifying) {
      0.25
    } body: {
      try connection.readSchema()
      for object in objects {
        guard let table = object.table, !SQLName(table.name).isInternal else { continue }
        try requireRows(of: table.name, object.savedRows, connection)
      }
      if let lostTable { try requireRows(of: lostTable, lostRows, connection) }
      let incomplete = virtualTables.filter { isIncomplete($0, objects) }
      damaged = incomplete.filter { !rebuild($0, connection) }.map(\.name)
      try checkStructure(virtualTables, &damaged, connection)
    }
    if source.header?.usesWAL == true { _ = try connection.scalar("PRAGMA journal_mode = WAL") }
    connection.close()
    try checkPages()
    return damaged
  }

  private func requireRows(
    of table: String, _ expected: Int, _ connection: FileConnection
  ) throws {
    let count = try connection.integer(
      "SELECT count(*) FROM main.\(table.quotedDatabaseIdentifier)")
    guard count == expected else { throw mismatch("the rows of its table \(table) differ") }
  }

  private func checkStructure(
    _ virtualTables: [SchemaEntry], _ damaged: inout [String], _ connection: FileConnection
  ) throws {
    var findings: [String] = []
    do {
      findings = try connection.findings("PRAGMA integrity_check", at: file.path)
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_ERROR && !virtualTables.isEmpty
    {
      // The application's module or tokenizer is missing here.
      return
    } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
      // A column that is computed as it is read.
      limits.reach(.valueSize)
      return
    }
    for finding in findings {
      guard let table = virtualTables.first(where: { finding.contains("main.\($0.name)") }) else {
        throw mismatch("its integrity check reports: \(finding)")
      }
      if !damaged.contains(table.name) { damaged.append(table.name) }
    }
  }

  private func checkPages() throws {
    guard let key else { return }
    if try DatabaseFile.isExposed(at: file.path, despite: key.settings) {
      throw mismatch("it is not encrypted")
    }
    guard let derived = key.derived else { return }
    let pages: [Int]?
    do {
      pages = try CipherFile(path: file.path, key: derived, settings: key.settings)?
        .verifyAll { try reports.report(.verifying, 0.5 + 0.5 * Double($0) / Double(max(1, $1))) }
    } catch let error as ReadOnlyFileError {
      throw error.databaseError(file.path)
    }
    if let pages, !pages.isEmpty { throw mismatch("pages \(pages) are not authentic") }
  }

  private func mismatch(_ what: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "the new file is not as it was written: \(what)",
      hint: "It was removed; \(source.path) is unchanged.")
  }

  // MARK: Virtual tables

  /// Whether a table that holds a virtual table's content has lost something.
  private func isIncomplete(_ virtual: SchemaEntry, _ objects: [SalvagedObject]) -> Bool {
    objects.contains { object in
      object.hasRows && object.entry.name.utf8.starts(with: "\(virtual.name)_".utf8)
        && (object.table == nil || object.lostRows + object.rejectedRows > 0
          || !object.tree.gaps.isEmpty)
    }
  }

  /// Makes a full-text index again from the rows that are left.
  private func rebuild(_ virtual: SchemaEntry, _ connection: FileConnection) -> Bool {
    guard virtual.sql?.lowercased().contains("fts") == true else { return false }
    let name = virtual.name.quotedDatabaseIdentifier
    return (try? connection.run("INSERT INTO main.\(name)(\(name)) VALUES ('rebuild')")) != nil
  }
}
