import CofferCore
import CofferQuery

extension CollectionSchema {
  /// The index that the type declares, or would.
  private var index: FullTextIndex {
    fullText ?? FullTextIndex(contentTable: tableName, columns: [])
  }

  /// Whether the full-text table is as the type declares it.
  func isFullTextCurrent(_ db: Database) throws -> Bool {
    guard let fullText else { return try !db.tableExists(index.tableName, in: "main") }
    return try fullText.isCurrent(db) && hasFixedRowIDs(db)
  }

  /// Drops a full-text table that isn't wanted as it is, before columns change.
  func removeFullText(unlessCurrent: Bool, _ db: Database) throws {
    guard try !unlessCurrent || !isFullTextCurrent(db) else { return }
    guard try db.tableExists(index.tableName, in: "main") else { return }
    try index.drop(db)
  }

  /// Makes the full-text table that the type declares.
  func makeFullText(_ db: Database) throws {
    guard let fullText, try !isFullTextCurrent(db) else { return }
    try fixRowIDs(db)
    // There may be triggers without their table.
    try fullText.drop(db)
    try fullText.make(db)
  }

  // MARK: Rowids

  /// Whether `VACUUM` leaves the rowids as they are: it does where a column has them, and where
  /// there is a primary key, whose index it copies with them.
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

  /// Has rowids be those of a table without a column for them, which can be made anew.
  func releaseRowIDs(_ db: Database) throws {
    var text = try TableText(tableName, db)
    let sql = text.sql
    text.removeRowID(FullTextIndex.rowIDColumn)
    if text.sql != sql { try text.store(db) }
  }
}
