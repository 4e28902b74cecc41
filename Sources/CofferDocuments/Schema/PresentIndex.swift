import CofferCore

/// An index of an existing table.
struct PresentIndex {
  let name: String
  let sql: String
  /// Whether a collection created it, in Coffer or in EasyDB. Other indexes are left alone.
  let isOurs: Bool

  init(name: String, sql: String, tableName: String) {
    self.name = name
    self.sql = sql
    isOurs = [true, false].contains { PresentIndex.isOurs(name, sql, tableName, isUnique: $0) }
  }

  /// Whether the name and the definition refer to the same properties, in the form that collections
  /// write.
  private static func isOurs(
    _ name: String, _ sql: String, _ tableName: String, isUnique: Bool
  ) -> Bool {
    let prefix = plain(CollectionSchema.Index.prefix(tableName, isUnique))
    let head = plain(
      "CREATE \(isUnique ? "UNIQUE" : "") INDEX \(name.quotedDatabaseIdentifier) "
        + "ON \(tableName.quotedDatabaseIdentifier) (")
    let (name, sql) = (plain(name), plain(sql))
    guard name.hasPrefix(prefix), sql.hasPrefix(head), sql.hasSuffix(")") else { return false }
    let terms = sql.dropFirst(head.count).dropLast()
    // A column, or a path in its JSON, and a collation.
    let term =
      /(?:coffer_json(?:_decimal|_unsigned)?\()?("(?:[^"]|"")*")(?:,'\$((?:[^']|'')*)'\))?(?:collate"[^"]*")?/
    let matches = terms.matches(of: term)
    let properties = matches.map { $0.1 + ($0.2 ?? "") }.joined(separator: ",")
    return matches.map(\.0).joined(separator: ",") == terms
      && unquoted(properties) == unquoted(name.dropFirst(prefix.count))
  }

  /// Normalizes case, quotes and spaces, which EasyDB writes differently.
  private static func plain(_ sql: String) -> String {
    String(sql.lowercased().filter { $0 != " " }.map { $0 == "`" ? "\"" : $0 })
  }

  /// Removes the characters that are only part of the quoted forms of names and paths.
  private static func unquoted(_ text: some StringProtocol) -> String {
    String(text.filter { !"\"'\\".contains($0) })
  }
}

extension CollectionSchema {
  func presentIndexes(_ db: Database) throws -> [PresentIndex] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM main.sqlite_master
        WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ? COLLATE NOCASE
        """, arguments: [tableName])
    return rows.map { PresentIndex(name: $0["name"], sql: $0["sql"], tableName: tableName) }
  }
}
