import CofferCore
import CofferQuery

/// The definition of a table, edited in place in the schema.
///
/// `ALTER TABLE` can't add a foreign key to an existing column. Recreating the table could, but
/// dropping the old one deletes its rows, and so the documents that refer to them. The parts edited
/// here don't affect how rows are stored, so the rows stay valid.
struct TableText {
  let tableName: String
  private(set) var sql: String

  /// - Throws: ``DocumentError`` if there is no such table.
  init(_ tableName: String, _ db: Database) throws {
    self.tableName = tableName
    let sql = try String.fetchOne(
      db,
      sql: "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
      arguments: [tableName])
    guard let sql else { throw DocumentError("there is no table \(tableName)") }
    self.sql = sql
  }

  // MARK: References

  /// The start of a reference's constraint. These constraints come last in the definition.
  private static let mark = ", CONSTRAINT \"coffer-reference "

  /// The constraints of all references.
  var references: String {
    get {
      guard let range = referencesRange else { return "" }
      return String(sql[range])
    }
    set {
      let range = referencesRange ?? { $0..<$0 }(end)
      sql.replaceSubrange(range, with: newValue)
    }
  }

  /// Returns the constraint of one reference.
  static func constraint(
    column: String, table: String, key: String, rule: DeleteRule
  ) -> String {
    "\(mark)\(column.quotedDatabaseIdentifier.dropFirst()) "
      + "FOREIGN KEY (\(column.quotedDatabaseIdentifier)) "
      + "REFERENCES \(table.quotedDatabaseIdentifier) (\(key.quotedDatabaseIdentifier)) "
      + "ON DELETE \(rule.sql)"
  }

  private var referencesRange: Range<String.Index>? {
    sql.firstRange(of: TableText.mark).map { $0.lowerBound..<max(end, $0.lowerBound) }
  }

  /// The closing parenthesis of the columns and constraints.
  private var end: String.Index {
    var text = sql
    let offset = text.withUTF8 { utf8 in
      var depth = 0
      var end = utf8.count
      for token in SQLTokenizer(utf8) where token.range.count == 1 {
        switch unsafe utf8[token.range.lowerBound] {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"):
          depth -= 1
          if depth == 0 { end = token.range.lowerBound }
        default: break
        }
      }
      return end
    }
    return sql.utf8.index(sql.startIndex, offsetBy: offset)
  }

  // MARK: Rowids

  /// Turns the last integer column of the name into the table's rowid.
  mutating func makeRowID(_ column: String) {
    let definition = "\(column.quotedDatabaseIdentifier) INTEGER"
    replaceLast(definition, with: definition + " PRIMARY KEY")
  }

  /// Reverts ``makeRowID(_:)``.
  mutating func removeRowID(_ column: String) {
    let definition = "\(column.quotedDatabaseIdentifier) INTEGER"
    replaceLast(definition + " PRIMARY KEY", with: definition)
  }

  private mutating func replaceLast(_ old: String, with new: String) {
    guard let range = sql.ranges(of: old).last else { return }
    sql.replaceSubrange(range, with: new)
  }

  // MARK: Storing

  /// Writes the definition to the schema. Requires a transaction.
  func store(_ db: Database) throws {
    try db.execute(sql: "PRAGMA writable_schema = ON")
    defer { db.protectSchema() }
    try db.execute(
      sql: """
        UPDATE main.sqlite_master SET sql = ?
        WHERE type = 'table' AND name = ? COLLATE NOCASE
        """, arguments: [sql, tableName])
    // The new version makes other connections reload the schema; the rolled-back table does so for
    // this connection.
    let version = try Int.fetchOne(db, sql: "PRAGMA main.schema_version") ?? 0
    try db.execute(sql: "PRAGMA main.schema_version = \(version &+ 1)")
    try db.inSavepoint {
      try db.execute(sql: "CREATE TABLE main.\"coffer-reload\" (x)")
      return .rollback
    }
  }
}
