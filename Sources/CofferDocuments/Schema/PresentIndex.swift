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

  /// Whether name and definition match the same properties, in the form that collections write.
  private static func isOurs(
    _ name: String, _ sql: String, _ tableName: String, isUnique: Bool
  ) -> Bool {
    let prefix = CollectionSchema.Index.prefix(tableName, isUnique)
    guard name.lowercased().hasPrefix(prefix.lowercased()) else { return false }
    let head =
      "CREATE\(isUnique ? "UNIQUE" : "")INDEX\(name.quotedDatabaseIdentifier)"
      + "ON\(tableName.quotedDatabaseIdentifier)("
    let text = plain(sql)
    guard text.lowercased().hasPrefix(plain(head).lowercased()), text.hasSuffix(")") else {
      return false
    }
    let terms = text.dropFirst(plain(head).count).dropLast()
    return match(terms, name.dropFirst(prefix.count).split(separator: ",")[...])
  }

  /// Normalizes quotes and spaces, which EasyDB writes differently.
  private static func plain(_ sql: String) -> String {
    String(sql.filter { $0 != " " }.map { $0 == "`" ? "\"" : $0 })
  }

  private static func match(_ terms: Substring, _ names: ArraySlice<Substring>) -> Bool {
    guard let first = names.first else { return terms.isEmpty }
    // A property's name can contain a comma.
    for count in 1...names.count {
      let name = names.prefix(count).joined(separator: ",")
      let rest = names.dropFirst(count)
      for column in columns(named: name.isEmpty ? String(first) : name) {
        guard var end = dropping(plain(column.sqlText()), from: terms) else { continue }
        if let collated = dropping("COLLATE\"", from: end) {
          guard let quote = collated.firstIndex(of: "\"") else { continue }
          end = collated[collated.index(after: quote)...]
        }
        if rest.isEmpty, end.isEmpty { return true }
        if !rest.isEmpty, let next = dropping(",", from: end), match(next, rest) { return true }
      }
    }
    return false
  }

  private static func dropping(_ prefix: String, from text: Substring) -> Substring? {
    guard text.lowercased().hasPrefix(prefix.lowercased()) else { return nil }
    return text.dropFirst(prefix.count)
  }

  /// Returns the columns, or parts of columns, that a name can stand for.
  private static func columns(named name: String) -> [DocumentColumn] {
    let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return (1...steps.count).map { count in
      DocumentColumn(
        name: steps.prefix(count).joined(separator: "."), path: Array(steps.dropFirst(count)))
    }
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
