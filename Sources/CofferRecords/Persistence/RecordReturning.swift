import CofferCore
import CofferQuery

// Executes changes that return the row, with RETURNING from SQLite 3.35 on. Before, the row is
// fetched afterwards, unless triggers could have changed it in between: RETURNING doesn't show
// their changes.

/// A change whose row is fetched.
enum FetchingChange {
  case insert, save
  /// - Parameter columns: The updated columns; nil for all.
  case update(columns: Set<String>?)
}

extension MutablePersistableRecord {
  /// Changes the row of the record, with all callbacks, and returns it as a record.
  ///
  /// - Throws: ``RecordError`` if there is no such row, or if a conflict was ignored.
  mutating func fetchChanging<T: FetchableRecord & TableRecord>(
    _ change: FetchingChange, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
    as type: T.Type
  ) throws -> T {
    let fetched = try fetchChanging(
      change, db, conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    if let fetched { return fetched }
    throw recordNotFound(db)
  }

  /// Changes the row of the record, with all callbacks, and fetches a selection from it.
  mutating func fetchChanging<T>(
    _ change: FetchingChange, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var fetched: T?
    func insert(_ record: Self) throws -> InsertionSuccess {
      let (success, value) = try record.insertRowAndFetch(
        db, onConflict: conflictResolution, selection: selection, fetch: fetch)
      fetched = value
      return success
    }
    func update(_ record: Self, _ columns: Set<String>?) throws -> PersistenceSuccess {
      let (success, value) = try record.updateRowAndFetch(
        db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
      fetched = value
      return success
    }
    switch change {
    case .insert: try insertWithCallbacks(db) { try insert($0) }
    case .save:
      try saveWithCallbacks(db, update: { try update($0, nil) }, insert: { try insert($0) })
    case .update(let columns):
      try updateWithCallbacks(db, columns: columns ?? tableColumns(db)) { try update($0, columns) }
    }
    guard let fetched else { throw DatabaseError.callbackMisuse("a callback") }
    return fetched
  }

  private func insertRowAndFetch<T>(
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

  private func updateRowAndFetch<T>(
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

  /// A condition that matches no row.
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

extension SQLRenderer {
  /// Appends a query for a row.
  mutating func append(
    _ selection: [any SQLSelectable], of table: RecordTable, _ row: RowCondition
  ) throws {
    append("SELECT ")
    try append(selection.map(\.sqlSelection))
    append(" FROM \(table.name.quotedDatabaseIdentifier) WHERE ")
    try append(row.sql, arguments: row.arguments)
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
        hint: "Set the primary key, or use SQLite 3.35 or later.")
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
      try renderer.append(selection, of: table, row)
    }
    let statement = try db.cachedStatement(sql: renderer.sql)
    try statement.setArguments(renderer.arguments)
    defer { statement.clearBindings() }
    return try fetch(statement)
  }
}
