import CofferVault

extension Database {
  // MARK: Recording regions

  /// Executes `body` and returns the region that its statements read.
  package func recordingRegion<T>(_ body: () throws -> T) throws -> (T, DatabaseRegion) {
    hooks.recordedRegions.append(DatabaseRegion())
    accessState.insert(.recordingRegion)
    var region = DatabaseRegion()
    let result: T
    do {
      defer {
        region = hooks.recordedRegions.removeLast()
        if hooks.recordedRegions.isEmpty {
          accessState.remove(.recordingRegion)
        } else {
          record(region)
        }
      }
      result = try body()
    }
    return (result, region)
  }

  /// Makes the observed value depend on a region, as if the region had been read.
  ///
  /// Has no effect outside of an observation that records the region it reads.
  public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
    guard accessState.contains(.recordingRegion) else { return }
    record(try region().databaseRegion(self))
  }

  func record(_ region: DatabaseRegion) {
    guard let last = hooks.recordedRegions.indices.last else { return }
    hooks.recordedRegions[last].formUnion(region)
  }

  // MARK: Notifying of changes

  /// Executes `body`, and notifies observations of its commits only at its end: they don't see the
  /// states between them.
  package func postponingObservations<T>(_ body: () throws -> T) rethrows -> T {
    try observation.postponingCommits(body)
  }

  /// Notifies observers of a change in a region that SQLite doesn't report.
  ///
  /// An example is a change made through C functions.
  ///
  /// Outside of a transaction, it opens and commits one, so that observers see a commit. Has no
  /// effect in an access that can't write.
  public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
    try checkAccess()
    guard !configuration.readonly, !accessState.contains(.readOnly) else { return }
    let region = try region.databaseRegion(self)
    guard !region.isEmpty, accessState.contains(.observed) else { return }
    let kinds =
      try region.impactfulEventKinds(
        name: writtenName(ofTable:in:), columnNames: columnNames(ofTable:in:)) ?? allEventKinds()
    guard isInsideTransaction else {
      return try inTransaction(.immediate) {
        observation.notifyChanges(kinds: kinds)
        return .commit
      }
    }
    observation.notifyChanges(kinds: kinds)
  }

  /// Returns every kind of change to every existing table.
  private func allEventKinds() throws -> [DatabaseEventKind] {
    try schemaNames().flatMap { schema -> [DatabaseEventKind] in
      let prefix = schema.quotedDatabaseIdentifier
      let master = Database.schemaTable(of: schema)
      let tables = try schemaRows("SELECT name FROM \(prefix).\(master) WHERE type = 'table'")
      return try tables.compactMap { String.fromDatabaseValue($0[0]) }
        .filter { !SQLName($0).isInternal }
        .flatMap { table in
          DatabaseEventKind.all(of: table, columnNames: try columnNames(ofTable: table, in: schema))
        }
    }
  }

  /// Returns the name of a table as in its `CREATE TABLE` statement, as events have it.
  private func writtenName(ofTable table: String, in schema: String) throws -> String {
    guard !table.utf8.contains(0) else { return table }
    let rows = try schemaRows(
      "SELECT name FROM \(schema.quotedDatabaseIdentifier).\(Database.schemaTable(of: schema)) "
        + "WHERE type = 'table' AND name = '\(table.replacing("'", with: "''"))' COLLATE NOCASE")
    return rows.first.flatMap { String.fromDatabaseValue($0[0]) } ?? table
  }

  private func columnNames(ofTable table: String, in schema: String) throws -> Set<String> {
    let pragma = SQLiteFeatures.linked.hasExtendedTableInfo ? "table_xinfo" : "table_info"
    let columns = try schemaRows(
      "PRAGMA \(schema.quotedDatabaseIdentifier)"
        + ".\(pragma)(\(table.quotedDatabaseIdentifier))")
    return Set(columns.compactMap { String.fromDatabaseValue($0[1]) })
  }
}

extension DatabaseEventKind {
  /// Returns every kind of change to a table.
  static func all(of table: String, columnNames: Set<String>) -> [DatabaseEventKind] {
    [
      .insert(tableName: table), .delete(tableName: table),
      .update(tableName: table, columnNames: columnNames),
    ]
  }
}
