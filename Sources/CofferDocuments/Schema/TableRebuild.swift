import CofferCore
import CofferQuery

/// Recreates a table with some of its columns, for SQLite before 3.35, which can't drop columns.
///
/// Rowids, indexes and triggers are kept.
struct TableRebuild {
  let tableName: String
  /// The columns to keep.
  let columns: [ColumnInfo]
  let rowIDName: String

  private var table: String { "main.\(tableName.quotedDatabaseIdentifier)" }

  /// - Throws: ``DocumentError`` if the table has more than columns, indexes and triggers.
  func run(_ db: Database) throws {
    try requirePlainTable(db)
    let dependents = try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM main.sqlite_master
        WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
        """, arguments: [tableName])
    let copy = "coffer-rebuild-\(tableName)".quotedDatabaseIdentifier
    let names = columns.map { $0.name.quotedDatabaseIdentifier }.joined(separator: ", ")
    let definitions = columns.map(\.definition).joined(separator: ", ")
    try db.execute(sql: "CREATE TABLE main.\(copy) (\(definitions))")
    try db.execute(
      sql: """
        INSERT INTO main.\(copy) (\(rowIDName), \(names)) SELECT \(rowIDName), \(names) FROM \(table)
        """)
    try db.execute(sql: "DROP TABLE \(table)")
    try db.execute(
      sql: "ALTER TABLE main.\(copy) RENAME TO \(tableName.quotedDatabaseIdentifier)")
    // An index or trigger that names a dropped column fails here, and everything is rolled back.
    for sql in dependents { try db.execute(sql: sql) }
  }

  private func requirePlainTable(_ db: Database) throws {
    let sql = try TableText(tableName, db).sql
    let special: Set = [
      "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "FOREIGN", "CONSTRAINT", "COLLATE", "VIRTUAL",
      "WITHOUT",
    ]
    let isReferenced = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true && hasChildren(db)
    guard !isReferenced, special.isDisjoint(with: words(of: sql)) else {
      throw DocumentError(
        "columns of the table \(tableName) can't be dropped: it has constraints, "
          + "or other tables refer to it, and this SQLite is older than 3.35",
        hint: "Install libsqlcipher 4, or drop the columns in SQL.")
    }
  }

  private func words(of sql: String) -> Set<String> {
    var sql = sql
    return sql.withUTF8 { utf8 in
      var words: Set<String> = []
      for token in SQLTokenizer(utf8) where token.kind == .word {
        unsafe words.insert(String(decoding: utf8[token.range], as: UTF8.self).uppercased())
      }
      return words
    }
  }

  /// Whether a table has a foreign key to this table.
  private func hasChildren(_ db: Database) throws -> Bool {
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table'")
    return try tables.contains { name in
      try db.foreignKeys(on: name, in: "main").contains {
        $0.destinationTable.isSameName(as: tableName)
      }
    }
  }
}

extension ColumnInfo {
  /// The column's definition in `CREATE TABLE`.
  fileprivate var definition: String {
    var sql = name.quotedDatabaseIdentifier
    if !type.isEmpty { sql += " " + type }
    if isNotNull { sql += " NOT NULL" }
    if let defaultValueSQL { sql += " DEFAULT (\(defaultValueSQL))" }
    return sql
  }
}
