import Coffer
import CofferCore

/// Finds full-text indexes that don't have the words of their content.
///
/// FTS5 and FTS4 can check themselves, but only on a connection that can write. So the content is
/// indexed again, in memory, and the words of both indexes are compared: of FTS5 with their places,
/// of FTS4 with their numbers.
enum FullTextCheck {
  static func findings(_ db: Database) throws -> [String] {
    let tables = try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM main.sqlite_master
        WHERE type = 'table' AND rootpage = 0 AND sql LIKE '%fts%' ORDER BY name
        """)
    return try tables.compactMap { row in
      let table = FullTextTable(row["name"], VirtualTableDefinition(row["sql"]))
      guard let table else { return nil }
      do {
        if try table.agrees(db) { return nil }
        return "full-text: the index \(table.name) doesn't have the words of \(table.content): "
          + "rebuild it"
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        return "full-text: the index \(table.name) is damaged: rebuild it"
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // A tokenizer of another program, or a content that is gone: nothing says what is right.
        return nil
      }
    }
  }
}

private struct FullTextTable {
  let name: String
  let definition: VirtualTableDefinition
  let isFTS5: Bool
  /// The table with the content, which can be this one.
  let content: String

  /// Nil for other modules, and for tables without content.
  init?(_ name: String, _ definition: VirtualTableDefinition) {
    guard ["fts3", "fts4", "fts5"].contains(definition.module) else { return nil }
    let content = definition.options["content"]
    guard content?.isEmpty != true else { return nil }
    self.name = name
    self.definition = definition
    isFTS5 = definition.module == "fts5"
    self.content = content ?? name
  }

  /// Whether the index has the words of the content.
  func agrees(_ db: Database) throws -> Bool {
    var differs = false
    // One state of the file; the end of the transaction takes the tables in memory away.
    try db.inTransaction(.deferred) {
      try indexAgain(db)
      differs = try Bool.fetchOne(db, sql: difference) ?? false
      return .rollback
    }
    return !differs
  }

  private func indexAgain(_ db: Database) throws {
    let module = definition.moduleSQL { $0.option == "content" ? "''" : nil }
    try db.execute(sql: "CREATE VIRTUAL TABLE temp.coffer_content \(module)")
    let columns = try db.columns(in: name, in: "main").map(\.name.quotedDatabaseIdentifier)
    let list = columns.joined(separator: ", ")
    let rowID = definition.options["content_rowid"] ?? "rowid"
    try db.execute(
      sql: """
        INSERT INTO temp.coffer_content(rowid, \(list))
        SELECT \(rowID.quotedDatabaseIdentifier), \(list)
        FROM main.\(content.quotedDatabaseIdentifier)
        """)
    // FTS4 keeps new words in memory, where fts4aux doesn't look, until a savepoint begins.
    try db.inSavepoint { .commit }
    try vocabulary("coffer_index", of: name, in: "main", db)
    try vocabulary("coffer_again", of: "coffer_content", in: "temp", db)
  }

  private func vocabulary(
    _ vocabulary: String, of table: String, in schema: String, _ db: Database
  ) throws {
    let table = table.quotedDatabaseIdentifier
    try db.execute(
      sql: "CREATE VIRTUAL TABLE temp.\(vocabulary) USING "
        + (isFTS5 ? "fts5vocab(\(schema), \(table), instance)" : "fts4aux(\(schema), \(table))"))
  }

  /// Whether the two have different words.
  private var difference: String {
    let columns = isFTS5 ? "term, doc, col, \"offset\"" : "term, col, documents, occurrences"
    let index = "SELECT \(columns) FROM temp.coffer_index"
    let again = "SELECT \(columns) FROM temp.coffer_again"
    return "SELECT EXISTS (\(index) EXCEPT \(again)) OR EXISTS (\(again) EXCEPT \(index))"
  }
}
