import CofferCore
import CofferQuery

// For SQLite before 3.35: inserts the record, and if a unique key prevents that, finds the row with
// the key and updates it.

extension Upsert {
  /// - Throws: ``DatabaseError`` if the result would differ from a single statement's.
  func executeInTwoSteps(
    _ db: Database, _ selection: [any SQLSelectable]
  ) throws -> (rowID: Int64, row: Row?) {
    let result = try insert(db, selection, updating: true)
    return (result.rowID, result.row)
  }

  /// Inserts the row, or finds the conflicting one.
  ///
  /// - Parameter updates: Whether a conflicting row is updated.
  func insert(
    _ db: Database, _ selection: [any SQLSelectable], updating updates: Bool
  ) throws -> (rowID: Int64, isInserted: Bool, row: Row?) {
    try requireTwoSteps(db)
    if !selection.isEmpty { try table.requireRefetching(db) }
    // Throws if the target isn't a unique key, even without a conflict.
    let keys = try conflictKeys(db)
    var result: (rowID: Int64, isInserted: Bool, row: Row?)?
    try db.inSavepoint {
      let row = try insertOrFind(db, keys)
      if updates, !row.isInserted { try update(db, row.condition) }
      let fetched = selection.isEmpty ? nil : try fetch(db, selection, row.condition)
      result = (row.rowID, row.isInserted, fetched)
      return .commit
    }
    guard let result else { throw DatabaseError.callbackMisuse("upsert") }
    return result
  }

  private func requireTwoSteps(_ db: Database) throws {
    let features = SQLiteFeatures.linked
    try features.require(!table.isView, "upsert into a view", "3.35.0")
    // Their effects are undone when the insertion fails.
    let hasTriggersBefore = try table.triggerSQL(db).contains { sql in
      let words = sql.uppercased().split(whereSeparator: \.isWhitespace)
      let head = words.prefix { $0 != "ON" }
      // The triggers of a synchronized full-text table have no effect on others.
      return head.contains("INSERT") && !head.contains("AFTER")
        && !Database.isSynchronizationTrigger(sql)
    }
    try features.require(
      !hasTriggersBefore, "upsert into a table with triggers before insertions", "3.35.0")
  }

  private func insertOrFind(
    _ db: Database, _ keys: [[KeyPart]]
  ) throws -> (rowID: Int64, isInserted: Bool, condition: RowCondition) {
    // `OR ABORT` overrides the table's conflict clauses.
    let sql = "INSERT OR ABORT" + table.insertSQL(container.columns, .abort).dropFirst(6)
    do {
      try db.execute(sql: sql, arguments: container.arguments)
      return (db.lastInsertedRowID, true, try table.insertedRow(db, container))
    } catch let error as DatabaseError where error.isUniquenessError {
      for key in keys {
        guard let row = try conflictingRow(db, key) else { continue }
        return (row.rowID, false, row.condition)
      }
      throw error
    }
  }

  private func update(_ db: Database, _ row: RowCondition) throws {
    var renderer = SQLRenderer(db)
    renderer.tableName = table.name
    renderer.qualifier = table.name
    renderer.tables[ObjectIdentifier(excluded)] = SQLRenderer.NamedTable(
      name: "excluded", tableName: table.name, depth: renderer.depth, isQualified: true)
    renderer.append("UPDATE OR ABORT \(table.name.quotedDatabaseIdentifier) SET ")
    let columns = container.columns.map { "? AS " + $0.quotedDatabaseIdentifier }
    for (index, assignment) in assignments.enumerated() {
      guard let value = assignment.value else { continue }
      if index > 0 { renderer.append(", ") }
      renderer.append(identifier: assignment.columnName)
      // The excluded row is a subquery that returns one row.
      renderer.append(" = (SELECT ")
      try renderer.append(value)
      try renderer.append(
        " FROM (SELECT \(columns.joined(separator: ", "))) AS \"excluded\")",
        arguments: container.arguments)
    }
    renderer.append(" WHERE ")
    try renderer.append(row.sql, arguments: row.arguments)
    try db.execute(sql: renderer.sql, arguments: renderer.arguments)
  }

  private func fetch(
    _ db: Database, _ selection: [any SQLSelectable], _ row: RowCondition
  ) throws -> Row? {
    var renderer = SQLRenderer(db)
    renderer.tableName = table.name
    try renderer.append(selection, of: table, row)
    return try Row.fetchOne(db, sql: renderer.sql, arguments: renderer.arguments)
  }

  // MARK: The conflicting row

  /// A column of a unique key.
  private struct KeyPart {
    let column: String
    /// The collation; nil for the column's collation.
    var collation: String?
  }

  /// Returns the unique keys that can conflict, in the order in which SQLite checks them.
  private func conflictKeys(_ db: Database) throws -> [[KeyPart]] {
    let primaryKey = try table.requirePrimaryKey()
    var keys = [primaryKey.columns.map { KeyPart(column: $0) }]
    if let name = primaryKey.rowIDName, !primaryKey.isRowID { keys.append([KeyPart(column: name)]) }
    for index in try db.indexes(on: table.name).reversed() where index.isUnique {
      let schema = table.schemaName.quotedDatabaseIdentifier
      let parts = try db.schemaRows(
        "PRAGMA \(schema).index_xinfo(\(index.name.quotedDatabaseIdentifier))")
      keys.append(
        zip(index.columns, parts).map { name, part in
          KeyPart(column: name, collation: String.fromDatabaseValue(part[4]))
        })
    }
    guard !target.isEmpty else { return keys }
    let names = Set(target.map { SQLName($0) })
    let matching = keys.filter { Set($0.map { SQLName($0.column) }) == names }
    guard matching.isEmpty else { return matching }
    throw DatabaseError(
      resultCode: .SQLITE_ERROR,
      message: "table \(table.name) has no unique key on column(s) "
        + target.joined(separator: ", "), sql: table.insertSQL(container.columns, .abort))
  }

  /// Returns the row with the record's values in the key.
  private func conflictingRow(
    _ db: Database, _ key: [KeyPart]
  ) throws -> (rowID: Int64, condition: RowCondition)? {
    var (terms, values) = ([String](), [DatabaseValue]())
    for part in key {
      let collation = part.collation.map { " COLLATE " + $0.quotedDatabaseIdentifier } ?? ""
      let left = part.column.quotedDatabaseIdentifier + collation
      if let value = container.storedValue(part.column) {
        terms.append(left + " = ?")
        values.append(value)
      } else {
        let column = try db.columns(in: table.name).first { $0.name.isSameName(as: part.column) }
        guard let sql = column?.defaultValueSQL else { return nil }
        terms.append(left + " = (\(sql))")
      }
    }
    let primaryKey = try table.requirePrimaryKey()
    let columns = primaryKey.rowIDName.map { [$0] } ?? primaryKey.columns
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let row = try Row.fetchOne(
      db,
      sql: "SELECT \(names) FROM \(table.name.quotedDatabaseIdentifier) WHERE "
        + terms.joined(separator: " AND "), arguments: StatementArguments(values))
    guard let row else { return nil }
    let conditions = columns.map { $0.quotedDatabaseIdentifier + " = ?" }
    return (
      primaryKey.tableHasRowID
        ? Int64.fromDatabaseValue(row.databaseValue(at: 0)) ?? 0 : db.lastInsertedRowID,
      RowCondition(
        sql: conditions.joined(separator: " AND "),
        arguments: StatementArguments(row.databaseValues))
    )
  }
}

extension DatabaseError {
  /// Whether a unique key has prevented an insertion.
  fileprivate var isUniquenessError: Bool {
    [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID]
      .contains(extendedResultCode)
  }
}
