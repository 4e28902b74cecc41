import CofferCore
import CofferQuery

extension CollectionSchema {
  /// The index that the type declares, or one without columns.
  private var index: FullTextIndex {
    fullText ?? FullTextIndex(contentTable: tableName, columns: [])
  }

  /// Whether the full-text table matches the type's declaration.
  func isFullTextCurrent(_ db: Database) throws -> Bool {
    guard let fullText else { return try !db.tableExists(index.tableName, in: "main") }
    return try fullText.isCurrent(db) && hasFixedRowIDs(db)
  }

  /// Drops a full-text table that will change, before columns change.
  func removeFullText(unlessCurrent: Bool, _ db: Database) throws {
    guard try !unlessCurrent || !isFullTextCurrent(db) else { return }
    guard try db.tableExists(index.tableName, in: "main") else { return }
    try index.drop(db)
  }

  /// Creates the full-text table that the type declares.
  func makeFullText(_ db: Database) throws {
    guard let fullText, try !isFullTextCurrent(db) else { return }
    try fixRowIDs(db)
    // Triggers can be left over without their table.
    try fullText.drop(db)
    try fullText.make(db)
  }

  // MARK: Rowids

  /// Whether `VACUUM` preserves the rowids. It does so if a column holds them or there is a primary
  /// key, with whose index it copies them.
  private func hasFixedRowIDs(_ db: Database) throws -> Bool {
    try db.columns(in: tableName, in: "main").contains { $0.primaryKeyIndex > 0 }
  }

  private func fixRowIDs(_ db: Database) throws {
    guard try !hasFixedRowIDs(db) else { return }
    let table = "main.\(tableName.quotedDatabaseIdentifier)"
    let column = FullTextIndex.rowIDColumn
    if try !db.columns(in: tableName, in: "main").contains(where: { $0.name == column }) {
      try db.execute(
        sql: "ALTER TABLE \(table) ADD COLUMN \(column.quotedDatabaseIdentifier) INTEGER")
    }
    var text = try TableText(tableName, db)
    text.makeRowID(column)
    try text.store(db)
  }

  /// Removes the primary key from the rowid column, so the table can be recreated.
  func releaseRowIDs(_ db: Database) throws {
    var text = try TableText(tableName, db)
    let sql = text.sql
    text.removeRowID(FullTextIndex.rowIDColumn)
    if text.sql != sql { try text.store(db) }
  }
}
