import CofferCore

/// A key that no two rows of a table share.
struct RowConflict {
  /// Whether a row of the table has the key of a trigger's `new`.
  let condition: String
  /// Whether the key is declared with `ON CONFLICT REPLACE`.
  let replaces: Bool

  /// Returns the keys of a table: its rowid, and its unique indexes.
  static func all(of table: SchemaTable, rowID: String, in db: Database) throws -> [RowConflict] {
    let cache = db.schemaCache
    let replacing = replacedKeys(try cache.sql(of: table, named: table.id.name) ?? "")
    let columns = try cache.allColumns(of: table).map(\.name)
    var conflicts = [
      RowConflict(condition: equality(rowID), replaces: replacing.contains([SQLName(rowID)]))
    ]
    for index in try cache.rows(table.pragma("index_list")) {
      guard let name = String.fromDatabaseValue(index[1]), Int.fromDatabaseValue(index[2]) == 1
      else { continue }
      let schema = table.id.schemaID.name.quotedDatabaseIdentifier
      // Number, column, name, descending, collation, and whether it is a column of the key.
      let parts = try cache.rows("PRAGMA \(schema).index_xinfo(\(name.quotedDatabaseIdentifier))")
        .filter { Int.fromDatabaseValue($0[5]) == 1 }
      let names = parts.compactMap { String.fromDatabaseValue($0[2]) }
      let collations = parts.compactMap { String.fromDatabaseValue($0[4]) }
      let sql = try cache.sql(of: table, named: name)
      let isPartial = index.count > 4 && Int.fromDatabaseValue(index[4]) == 1
      if !isPartial, names.count == parts.count, names.count == collations.count {
        conflicts.append(
          RowConflict(
            condition: zip(names, collations).map { equality($0, $1) }.joined(separator: " AND "),
            replaces: replacing.contains(names.map { SQLName($0) })))
      } else if let sql {
        conflicts.append(
          RowConflict(condition: condition(ofIndex: sql, columns), replaces: false))
      }
    }
    return conflicts
  }

  private static func equality(_ column: String, _ collation: String? = nil) -> String {
    let column = column.quotedDatabaseIdentifier
    let collating = collation.map { " COLLATE \($0.quotedDatabaseIdentifier)" } ?? ""
    return "\(column) = new.\(column)\(collating)"
  }

  /// Returns the condition of an index on expressions, or of a partial one.
  ///
  /// The expressions of the new row are evaluated in a row with the columns' names.
  private static func condition(ofIndex sql: String, _ columns: [String]) -> String {
    let (terms, rest) = SQLWord.words(of: sql).firstList()
    let bytes = Array(sql.utf8)
    func text(_ words: ArraySlice<SQLWord>) -> String? {
      guard let first = words.first, let last = words.last else { return nil }
      return String(
        decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }
    let row = columns.map(\.quotedDatabaseIdentifier).map { "new.\($0) AS \($0)" }
    func ofNewRow(_ sql: String) -> String {
      "(SELECT (\(sql)) FROM (SELECT \(row.joined(separator: ", "))))"
    }
    var conditions = terms.compactMap { term in
      let hasOrder = term.last.map { $0.isKeyword("ASC") || $0.isKeyword("DESC") } ?? false
      return text(hasOrder ? term.dropLast() : term).map { "(\($0)) = \(ofNewRow($0))" }
    }
    if rest.first?.isKeyword("WHERE") == true, let condition = text(rest.dropFirst()) {
      conditions += ["(\(condition))", ofNewRow(condition)]
    }
    return conditions.joined(separator: " AND ")
  }

  /// Returns the columns of the keys that a table declares with `ON CONFLICT REPLACE`.
  private static func replacedKeys(_ sql: String) -> Set<[SQLName]> {
    var keys: Set<[SQLName]> = []
    for element in SQLWord.words(of: sql).firstList().elements {
      for index in element.indices.dropLast() {
        guard element[index].isKeyword("CONFLICT"), element[index + 1].isKeyword("REPLACE"),
          let key = element[..<index].lastIndex(where: { word in
            ["PRIMARY", "UNIQUE", "NULL", "CHECK"].contains { word.isKeyword($0) }
          }), element[key].isKeyword("PRIMARY") || element[key].isKeyword("UNIQUE")
        else { continue }
        let isConstraint =
          key == element.startIndex
          || (element[element.startIndex].isKeyword("CONSTRAINT") && key == element.startIndex + 2)
        let columns = isConstraint ? element[key...].firstList().elements : [element]
        keys.insert(columns.compactMap { $0.first.map { SQLName($0.text) } })
      }
    }
    return keys
  }
}
