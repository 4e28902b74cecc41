extension Database {
  /// The tables of the main database in which its virtual tables store their content.
  ///
  /// SQLite tells them from version 3.37 on; before, they are those that its own modules make. It tells
  /// them by name: the user's own table that a full-text table has as its external content counts, too,
  /// if it is named `…_content`. That one is left out here.
  package func shadowTables() throws -> Set<String> {
    let modules = try Row.fetchAll(
      self, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
    ).map { row in (table: row[0] as String, module: VirtualTableModule(row[1] as String)) }
    var names: Set<String>
    if SQLiteFeatures.linked.hasTableList {
      names = try String.fetchSet(
        self, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow' AND schema = 'main'")
    } else {
      names = Set(modules.flatMap { table, module in module.parts.map { "\(table)_\($0)" } })
    }
    for (table, module) in modules where module.hasExternalContent {
      names.remove("\(table)_content")
    }
    return names
  }
}

/// What the SQL of a virtual table says of its module.
private struct VirtualTableModule {
  /// In lower case; empty if the SQL has none.
  let name: String
  /// Whether a full-text table is given the option `content`, and makes no table for it.
  let hasExternalContent: Bool

  init(_ sql: String) {
    var sql = sql
    let words = sql.withUTF8 { utf8 in
      SQLTokenizer(utf8).filter(\.isSignificant)
        .map { unsafe String(decoding: utf8[$0.range], as: UTF8.self).lowercased() }
    }
    // A name that is a keyword is in quotes.
    let rest = words.drop { $0 != "using" }.dropFirst()
    let name = (rest.first ?? "").trimming("\"'`[]")
    self.name = String(name)
    hasExternalContent =
      name.hasPrefix("fts") && zip(rest, rest.dropFirst()).contains { $0 == "content" && $1 == "=" }
  }

  /// The ends of the names of the tables that the module makes.
  var parts: [String] {
    switch name {
    case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
    case "fts5": ["data", "idx", "content", "docsize", "config"]
    case "rtree", "rtree_i32", "geopoly": ["node", "rowid", "parent"]
    default: []
    }
  }
}
