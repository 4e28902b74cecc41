import CofferVault

extension Database {
  /// The tables of the main database in which its virtual tables store their content.
  ///
  /// SQLite tells them from version 3.37 on; before, they are those that its own modules make. It
  /// tells them by name: the user's own table that a full-text table has as its external content
  /// counts, too, if it is named `…_content`. That one is left out here.
  package func shadowTables() throws -> Set<String> {
    let modules = try Row.fetchAll(
      self, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
    ).map { row in (table: row[0] as String, module: VirtualTableDefinition(row[1] as String)) }
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
