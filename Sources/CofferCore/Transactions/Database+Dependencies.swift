// What a region depends on beside the tables and columns that SQLite's compiler reports.
import CofferVault

/// The dependencies of tables, as long as the schema stays the same.
struct TableDependencies {
  /// What the content of a table depends on.
  fileprivate enum Dependency {
    case itself
    /// The table has generated columns.
    case columns(GeneratedColumns)
    /// The table is virtual or part of one, and reads these tables or views as a whole.
    case tables([DatabaseObjectID])
    /// A module of another library can read anything.
    case anything
  }

  fileprivate struct Schema {
    var version: Int32
    var generation: Int
    var tables: [SQLName: Dependency] = [:]
  }

  fileprivate var schemas: [SQLName: Schema] = [:]
}

extension Database {
  /// Returns the region that a statement reads, with all that it depends on.
  ///
  /// - Returns: Nil if it can't be determined.
  func completedRegion(of facts: StatementFacts, sql: String) -> DatabaseRegion? {
    guard !facts.hasCompleteRegion else { return facts.region }
    guard var region = reportedRegion(of: facts, sql: sql) else { return nil }
    do {
      for source in facts.otherSources { try addDependencies(of: source, to: &region) }
      if let pragma = facts.pragma {
        region.formUnion(try self.region(ofPragma: pragma))
      }
      return try addingDependencies(to: region)
    } catch { return nil }
  }

  /// Returns the region of a table or a view with all that it depends on.
  ///
  /// - Parameter schema: The schema; nil for the first that has such a table or view.
  package func region(ofTable name: String, in schema: String? = nil) throws -> DatabaseRegion {
    try addingDependencies(to: wholeRegion(of: name, in: schema))
  }

  private func wholeRegion(of name: String, in schema: String?) throws -> DatabaseRegion {
    guard let schema = try schema ?? self.schema(of: name) else {
      return DatabaseRegion(table: name)
    }
    guard try definition(of: name, in: schema)?.isView == true else {
      return DatabaseRegion(table: name, schema: schema)
    }
    let view = "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
    let sql = "SELECT * FROM \(view)"
    return try completedRegion(of: facts(of: sql), sql: sql) ?? .fullDatabase
  }

  /// Adds what the tables in a region depend on.
  private func addingDependencies(to region: DatabaseRegion) throws -> DatabaseRegion {
    var region = region
    var known: Set<DatabaseObjectID> = []
    var waiting = region.parts
    while let (table, schema, columns) = waiting.popLast() {
      switch try dependency(of: table, in: schema) {
      case .itself: break
      case .columns(let generated):
        guard let columns else { break }
        region.insert(
          table, schema: schema,
          columns: columns.reduce(into: columns) { $0.formUnion(generated.bases[$1] ?? []) })
      case .tables(let others):
        region.insert(table, schema: schema, columns: nil)
        for other in others where known.insert(other).inserted {
          let whole = try wholeRegion(of: other.name, in: other.schemaID.name)
          region.formUnion(whole)
          waiting += whole.parts
        }
      case .anything: return .fullDatabase
      }
    }
    return region
  }

  private func addDependencies(
    of source: StatementFacts.OtherSource, to region: inout DatabaseRegion
  ) throws {
    let name = SQLName(source.name)
    if let schema = try source.schema ?? schema(of: source.name),
      try definition(of: source.name, in: schema)?.isView == true
    {
      return region.insert(view: name)
    }
    let folded = name.folded
    if folded.hasPrefix(PragmaReading.functionPrefix) {
      let pragma = String(folded.dropFirst(PragmaReading.functionPrefix.count))
      return region.formUnion(try self.region(ofPragma: pragma))
    }
    if Database.readsNoTable(name) { return }
    // Without a schema and without columns, a name can be that of a common table expression.
    guard source.schema != nil || Database.pageFunctions.contains(folded) else { return }
    region = .fullDatabase
  }

  /// The table-valued functions that read only their arguments, or the state of the connection.
  private static let pureFunctions: Set<String> = [
    "json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series", "carray",
    "fts3tokenize", "sqlite_stmt", "bytecode", "tables_used", "completion", "wholenumber",
  ]

  static func readsNoTable(_ function: SQLName) -> Bool {
    pureFunctions.contains(function.folded)
  }

  /// The table-valued functions that read pages of the file.
  private static let pageFunctions: Set<String> = ["dbstat", "sqlite_dbpage", "sqlite_dbdata"]

  private func region(ofPragma pragma: String) throws -> DatabaseRegion {
    switch PragmaReading(pragma) {
    case .nothing: DatabaseRegion()
    case .database: .fullDatabase
    case .storedValue: DatabaseRegion(table: PragmaReading.functionPrefix + pragma)
    case .schema: try schemaRegion()
    }
  }

  /// Returns the region of all tables in which SQLite stores the schemas.
  private func schemaRegion() throws -> DatabaseRegion {
    try schemaNames().reduce(into: DatabaseRegion()) { region, schema in
      region.formUnion(DatabaseRegion(table: Database.schemaTable(of: schema), schema: schema))
    }
  }

  // MARK: Dependencies of a table

  private func dependency(
    of table: SQLName, in schema: SQLName
  ) throws -> TableDependencies.Dependency {
    guard !table.isInternal, !table.folded.hasPrefix(PragmaReading.functionPrefix) else {
      return .itself
    }
    let version = try schemaVersion(of: DatabaseSchemaID(name: schema.text))
    if let known = dependencies.schemas[schema], known.version == version,
      known.generation == hooks.schemaGeneration
    {
      if let dependency = known.tables[table] { return dependency }
    } else {
      dependencies.schemas[schema] = TableDependencies.Schema(
        version: version, generation: hooks.schemaGeneration)
    }
    let dependency = try readDependency(of: table.text, in: schema.text)
    dependencies.schemas[schema]?.tables[table] = dependency
    return dependency
  }

  private func readDependency(
    of table: String, in schema: String
  ) throws -> TableDependencies.Dependency {
    guard let definition = try definition(of: table, in: schema) else { return .itself }
    if definition.isVirtual {
      return dependency(of: VirtualTableDefinition(definition.sql), in: schema)
    }
    let generated = GeneratedColumns(sql: definition.sql)
    if !generated.bases.isEmpty { return .columns(generated) }
    // The tables in which a virtual table stores its content change with it.
    guard let owner = try virtualTable(storingContentIn: table, schema: schema) else {
      return .itself
    }
    return .tables([DatabaseObjectID(name: owner, schemaID: DatabaseSchemaID(name: schema))])
  }

  private func dependency(
    of definition: VirtualTableDefinition, in schema: String
  ) -> TableDependencies.Dependency {
    func table(_ name: String, _ schema: String) -> TableDependencies.Dependency {
      .tables([DatabaseObjectID(name: name, schemaID: DatabaseSchemaID(name: schema))])
    }
    let arguments = definition.names
    switch definition.module {
    case "fts3", "fts4", "fts5":
      guard let content = definition.options["content"], !content.isEmpty else {
        return .tables([])
      }
      return table(content, schema)
    case "rtree", "rtree_i32", "geopoly": return .tables([])
    case "fts5vocab" where arguments.count == 3, "fts4aux" where arguments.count == 2:
      return table(arguments[1], arguments[0])
    case "fts5vocab" where arguments.count == 2, "fts4aux" where arguments.count == 1:
      return table(arguments[0], schema)
    default: return .anything
    }
  }

  /// Returns the virtual table to which a table belongs, by its name; nil if there is none.
  func virtualTable(storingContentIn table: String, schema: String) throws -> String? {
    guard let end = table.lastIndex(of: "_"), end > table.startIndex else { return nil }
    let owner = String(table[..<end])
    return try isVirtual(owner, schema: schema) ? owner : nil
  }

  // MARK: The schema

  private struct Definition {
    var isView: Bool
    var isVirtual: Bool
    var sql: String
  }

  private func definition(of name: String, in schema: String) throws -> Definition? {
    guard !name.utf8.contains(0) else { return nil }
    let rows = try schemaRows(
      "SELECT type, rootpage, sql FROM \(schema.quotedDatabaseIdentifier)."
        + "\(Database.schemaTable(of: schema)) WHERE type IN ('table', 'view') "
        + "AND name = '\(name.replacing("'", with: "''"))' COLLATE NOCASE")
    guard let row = rows.first else { return nil }
    let isView = String.fromDatabaseValue(row[0]) == "view"
    return Definition(
      isView: isView, isVirtual: !isView && Int.fromDatabaseValue(row[1]) == 0,
      sql: String.fromDatabaseValue(row[2]) ?? "")
  }

  /// Returns the schema in which SQLite finds a table or a view.
  private func schema(of name: String) throws -> String? {
    try schemaNames().first { try definition(of: name, in: $0) != nil }
  }

  /// Returns the names of the schemas, in the order in which SQLite looks for a table.
  func schemaNames() throws -> [String] {
    let names = try schemaRows("PRAGMA database_list").compactMap {
      String.fromDatabaseValue($0[1])
    }
    return ["temp"] + names.filter { $0 != "temp" }
  }

  /// Returns the name of the table in which SQLite stores a schema.
  static func schemaTable(of schema: String) -> String {
    schema == "temp" ? "sqlite_temp_master" : "sqlite_master"
  }
}
