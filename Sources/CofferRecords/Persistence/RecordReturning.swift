import CofferCore
import CofferQuery

// Executes changes that return the row, with RETURNING from SQLite 3.35 on. Before, the row is
// fetched afterwards, unless triggers could have changed it in between: RETURNING doesn't show
// their changes.

extension MutablePersistableRecord {
  func insertRowAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> (InsertionSuccess, T) {
    let conflict =
      conflictResolution
      ?? type(of: self).persistenceConflictPolicy.conflictResolutionForInsert
    let table = try recordTable(db, isInsertion: true)
    let container = try PersistenceContainer(self)
    let change = RowChange(
      table: table, sql: table.insertSQL(container.columns, conflict),
      arguments: container.arguments)
    let value = try change.execute(db, selection, fetch) {
      try table.insertedRow(db, container)
    }
    let success = InsertionSuccess(
      rowID: db.lastInsertedRowID, stored: StoredValues(container, table))
    return (success, value)
  }

  func updateRowAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    columns: Set<String>?, selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> (PersistenceSuccess, T) {
    let conflict =
      conflictResolution
      ?? type(of: self).persistenceConflictPolicy.conflictResolutionForUpdate
    let table = try recordTable(db)
    let container = try PersistenceContainer(self)
    let update = try RecordUpdate(container, table, columns: columns, onConflict: conflict)
    let change = RowChange(table: table, sql: update.sql, arguments: update.arguments)
    let changes = db.totalChangesCount
    let value = try change.execute(db, selection, fetch) { update.row }
    try update.checkRow(db, since: changes)
    return (PersistenceSuccess(StoredValues(container, table)), value)
  }
}

/// A row, identified by a condition and its arguments.
struct RowCondition {
  var sql: String
  var arguments: StatementArguments

  /// The condition of no row.
  static let none = RowCondition(sql: "0", arguments: [])
}

extension RecordUpdate {
  /// The updated row.
  var row: RowCondition { key.condition(keyValues) }
}

extension PrimaryKeyInfo {
  /// Returns the row with the key.
  func condition(_ values: [String: DatabaseValue]) -> RowCondition {
    let terms = columns.map { $0.quotedDatabaseIdentifier + " = ?" }
    return RowCondition(sql: terms.joined(separator: " AND "), arguments: arguments(values))
  }
}

extension RecordTable {
  /// Returns the row that was just inserted.
  ///
  /// - Throws: ``DatabaseError`` if it has no rowid, and the record lacks its primary key.
  func insertedRow(_ db: Database, _ container: PersistenceContainer) throws -> RowCondition {
    let key = try requirePrimaryKey()
    if let name = key.rowIDName {
      return RowCondition(
        sql: name.quotedDatabaseIdentifier + " = ?", arguments: [db.lastInsertedRowID])
    }
    let values = container.allValues(of: key)
    guard !values.values.contains(where: \.isNull) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR,
        message: "the row that was inserted into \(name) can't be found again",
        hint: "Give the primary key a value, or use SQLite 3.35 or later.")
    }
    return key.condition(values)
  }

  /// Throws if the row can't be fetched again in the state that the change has left.
  func requireRefetching(_ db: Database) throws {
    let features = SQLiteFeatures.linked
    try features.require(!isView, "RETURNING from a view", "3.35.0")
    let triggers = try triggerSQL(db)
    try features.require(triggers.isEmpty, "RETURNING from a table with triggers", "3.35.0")
  }

  /// Returns the definitions of the table's triggers.
  func triggerSQL(_ db: Database) throws -> [String] {
    let schema = schemaName.quotedDatabaseIdentifier
    let name = name.databaseValue.sqlLiteral
    func triggers(in master: String) throws -> [String] {
      try db.schemaRows(
        "SELECT sql FROM \(master) WHERE type = 'trigger' AND lower(tbl_name) = lower(\(name))"
      ).compactMap { String.fromDatabaseValue($0[0]) }
    }
    return try triggers(in: schema + ".sqlite_master") + triggers(in: "sqlite_temp_master")
  }
}

/// An `INSERT` or `UPDATE` of one row, from which values are fetched.
struct RowChange {
  let table: RecordTable
  let sql: String
  let arguments: StatementArguments

  /// Executes the change by calling `fetch`.
  ///
  /// - Parameter row: Returns the changed row. Called after the change.
  func execute<T>(
    _ db: Database, _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> T,
    row: () throws -> RowCondition
  ) throws -> T {
    guard !selection.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "nothing is selected", sql: sql,
        hint: "Select a column, or use the method without AndFetch.")
    }
    var renderer = SQLRenderer(db)
    renderer.tableName = table.name
    if SQLiteFeatures.linked.hasReturning {
      try renderer.append(sql, arguments: arguments)
      renderer.append(" RETURNING ")
      try renderer.append(selection.map(\.sqlSelection))
    } else {
      try table.requireRefetching(db)
      try db.execute(sql: sql, arguments: arguments)
      let row = try db.changesCount == 0 ? RowCondition.none : row()
      renderer.append("SELECT ")
      try renderer.append(selection.map(\.sqlSelection))
      renderer.append(" FROM \(table.name.quotedDatabaseIdentifier) WHERE ")
      try renderer.append(row.sql, arguments: row.arguments)
    }
    let statement = try db.cachedStatement(sql: renderer.sql)
    try statement.setArguments(renderer.arguments)
    defer { statement.clearBindings() }
    return try fetch(statement)
  }
}
