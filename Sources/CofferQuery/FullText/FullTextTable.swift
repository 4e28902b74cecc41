import CofferCore

/// A full-text table whose content is in another table.
struct FullTextTable {
  let id: DatabaseObjectID
  let definition: VirtualTableDefinition
  let contentTable: String
  /// Whether Coffer's triggers, or GRDB's, follow the other table.
  let isSynchronized: Bool

  private var columns: [String] {
    definition.arguments.compactMap { argument in
      argument.option == nil || argument.option == "languageid" ? argument.value : nil
    }
  }

  fileprivate var engine: FullTextSynchronization.Engine? { .init(rawValue: definition.module) }

  fileprivate func synchronization(
    _ db: Database, named name: String? = nil
  ) throws -> FullTextSynchronization? {
    guard isSynchronized, let engine else { return nil }
    return FullTextSynchronization(
      engine: engine, tableName: name ?? id.name, contentTable: contentTable, columns: columns,
      rowID: try definition.options["content_rowid"] ?? db.fullTextRowIDColumn(of: contentTable)
        ?? "rowid")
  }

  /// Returns the SQL that creates the table in its schema with other values of arguments.
  fileprivate func sql(replacing value: (VirtualTableDefinition.Argument) -> String?) -> String {
    "CREATE VIRTUAL TABLE \(id.schemaID.name.quotedDatabaseIdentifier)."
      + "\(id.name.quotedDatabaseIdentifier) \(definition.moduleSQL(replacing: value))"
  }
}

extension SchemaCache {
  /// Returns the SQL of a table, or of an index or trigger in the same schema.
  func sql(of table: SchemaTable, named name: String) throws -> String? {
    let rows = try rows(
      """
      SELECT sql FROM \(schemaTable(table.id.schemaID)) \
      WHERE name = \(name.quotedSQLString) COLLATE NOCASE
      """)
    return rows.lazy.compactMap { String.fromDatabaseValue($0[0]) }.first
  }

  /// Returns the full-text tables whose content is in a table.
  func fullTextTables(of content: SchemaTable) throws -> [FullTextTable] {
    if let tables = content.fullTextTables { return tables }
    let schema = content.id.schemaID
    let tables = try rows(
      """
      SELECT name, sql FROM \(schemaTable(schema)) \
      WHERE type = 'table' AND rootpage = 0 AND sql LIKE '%fts%' ORDER BY name
      """
    ).compactMap { row -> FullTextTable? in
      guard let name = String.fromDatabaseValue(row[0]),
        let sql = String.fromDatabaseValue(row[1])
      else { return nil }
      return try fullTextTable(DatabaseObjectID(name: name, schemaID: schema), sql)
    }.filter { $0.contentTable.isSameName(as: content.id.name) }
    content.fullTextTables = tables
    return tables
  }

  /// Returns a full-text table; nil for other tables, and for those that store their content.
  fileprivate func fullTextTable(_ id: DatabaseObjectID, _ sql: String) throws -> FullTextTable? {
    let definition = VirtualTableDefinition(sql)
    guard definition.module.hasPrefix("fts"), let content = definition.options["content"],
      !content.isEmpty
    else { return nil }
    return FullTextTable(
      id: id, definition: definition, contentTable: content,
      isSynchronized: try hasTrigger(named: "__\(id.name)_ai", in: id.schemaID.name))
  }

  private func schemaTable(_ schema: DatabaseSchemaID) -> String {
    let table = schema == .temp ? "sqlite_temp_master" : "sqlite_master"
    return "\(schema.name.quotedDatabaseIdentifier).\(table)"
  }
}

// MARK: - Changes of followed tables

extension Database {
  /// Makes the triggers of a synchronized full-text table anew, and its index.
  ///
  /// Call it for a table that an earlier version of Coffer or GRDB created, so that the rows that
  /// `REPLACE` deletes leave the index, and after creating a unique index of the followed table in
  /// SQL.
  /// - Parameter tableName: The name of the full-text table.
  /// - Throws: ``DatabaseError`` if the table isn't synchronized with another one.
  /// - Complexity: O(*n*) in the size of the followed table's texts.
  public func resynchronize(virtualTable tableName: String) throws {
    guard let synchronization = try fullTextTable(named: tableName)?.synchronization(self) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "\(tableName) isn't a full-text table that is synchronized with another table",
        hint: "Create it with synchronize(withTable:).")
    }
    try inSavepoint {
      try dropSynchronization(of: synchronization.tableName)
      try synchronization.start(self)
      return .commit
    }
  }

  private func fullTextTable(named name: String) throws -> FullTextTable? {
    guard let table = try schemaCache.object(named: name), table.kind == .virtualTable,
      let sql = try schemaCache.sql(of: table, named: table.id.name)
    else { return nil }
    return try schemaCache.fullTextTable(table.id, sql)
  }

  private func followers(of tableName: String) throws -> [FullTextTable] {
    guard let table = try schemaCache.object(named: tableName), table.kind == .table else {
      return []
    }
    return try schemaCache.fullTextTables(of: table).filter(\.isSynchronized)
  }

  /// Renames a table, and lets the full-text tables that follow it follow the new name.
  func renameFollowed(_ tableName: String, to newName: String) throws {
    let sql =
      "ALTER TABLE \(tableName.quotedDatabaseIdentifier) RENAME TO "
      + newName.quotedDatabaseIdentifier
    if let table = try fullTextTable(named: tableName),
      let synchronization = try table.synchronization(self, named: newName)
    {
      return try inSavepoint {
        try dropSynchronization(of: table.id.name)
        try execute(sql: sql)
        try synchronization.createTriggers(self)
        return .commit
      }
    }
    try changeFollowed(tableName, sql) { argument in
      argument.option == "content" ? newName.quotedDatabaseIdentifier : nil
    }
  }

  /// Renames a column, also in the full-text tables that follow the table.
  func renameFollowedColumn(
    _ name: String, to newName: String, of tableName: String, _ sql: String
  ) throws {
    let options: Set<String?> = [nil, "content_rowid", "notindexed", "languageid"]
    try changeFollowed(tableName, sql) { argument in
      options.contains(argument.option) && argument.value.isSameName(as: name)
        ? newName.quotedDatabaseIdentifier : nil
    }
  }

  /// Changes a table, and creates the full-text tables that follow it with other arguments.
  private func changeFollowed(
    _ tableName: String, _ sql: String,
    _ value: (VirtualTableDefinition.Argument) -> String?
  ) throws {
    let followers = try followers(of: tableName)
    if followers.isEmpty { return try execute(sql: sql) }
    try inSavepoint {
      for table in followers { try dropSynchronization(of: table.id.name) }
      try execute(sql: sql)
      for table in followers { try recreate(table, as: table.sql(replacing: value)) }
      return .commit
    }
  }

  /// Creates a full-text table with other SQL and the same settings.
  private func recreate(_ table: FullTextTable, as sql: String) throws {
    let name = "\(table.id.schemaID.name.quotedDatabaseIdentifier)."
    let settings =
      table.engine == .fts5
      ? try Row.fetchAll(
        self,
        sql: """
          SELECT k, v FROM \(name)\("\(table.id.name)_config".quotedDatabaseIdentifier) \
          WHERE k <> 'version'
          """) : []
    let quoted = table.id.name.quotedDatabaseIdentifier
    try execute(sql: "DROP TABLE \(name)\(quoted)")
    try execute(sql: sql)
    for setting in settings {
      try execute(
        sql: "INSERT INTO \(name)\(quoted)(\(quoted), rank) VALUES (?, ?)",
        arguments: [setting[0] as DatabaseValue, setting[1] as DatabaseValue])
    }
    let changed = FullTextTable(
      id: table.id, definition: VirtualTableDefinition(sql),
      contentTable: VirtualTableDefinition(sql).options["content"] ?? table.contentTable,
      isSynchronized: true)
    try changed.synchronization(self)?.start(self)
  }

  /// Makes the triggers of the full-text tables anew that follow a table with a new unique index.
  func refreshFollowers(of tableName: String) throws {
    for table in try followers(of: tableName) {
      try dropSynchronization(of: table.id.name)
      try table.synchronization(self)?.createTriggers(self)
    }
  }

  /// Drops what follows a table, or lets a full-text table follow another one, with the table.
  func dropFollowed(_ tableName: String) throws {
    let own = try fullTextTable(named: tableName).map { $0.isSynchronized ? [$0] : [] }
    let tables = try own ?? followers(of: tableName)
    let sql = "DROP TABLE \(tableName.quotedDatabaseIdentifier)"
    if tables.isEmpty { return try execute(sql: sql) }
    try inSavepoint {
      for table in tables { try dropSynchronization(of: table.id.name) }
      try execute(sql: sql)
      return .commit
    }
  }
}
