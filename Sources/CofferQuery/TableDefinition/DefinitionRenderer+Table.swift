import CofferCore

extension DefinitionRenderer {
  /// Returns the statements that create a table and its indexes.
  static func statements(
    creating definition: TableDefinition, options: TableOptions, in db: Database
  ) throws -> [String] {
    if let mistake = definition.mistake { throw mistake }
    let features = SQLiteFeatures.linked
    if options.contains(.strict) {
      try features.require(features.hasStrictTables, "a STRICT table", "3.37")
    }
    var renderer = DefinitionRenderer(
      db, table: definition.name, in: options.contains(.temporary) ? "temp" : "main",
      definition: definition)
    let items = try renderer.items(of: definition)
    var sql = "CREATE \(options.contains(.temporary) ? "TEMPORARY " : "")TABLE "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += "\(definition.name.quotedDatabaseIdentifier) (\(items.joined(separator: ", ")))"
    var suffixes: [String] = []
    if options.contains(.strict) { suffixes.append("STRICT") }
    if options.contains(.withoutRowID) { suffixes.append("WITHOUT ROWID") }
    if !suffixes.isEmpty { sql += " " + suffixes.joined(separator: ", ") }
    let indexes = try renderer.indexes.map { index in
      var index = index
      if options.contains(.ifNotExists) { index.options.insert(.ifNotExists) }
      return try index.sql(db)
    }
    return [sql] + indexes
  }

  /// Returns the columns, followed by the constraints.
  private mutating func items(of definition: TableDefinition) throws -> [String] {
    var columns: [String] = []
    var keyColumns: [String] = []
    var foreignKeys: [TableDefinition.ForeignKey] = []
    for element in definition.elements {
      switch element {
      case .column(let column, let isInKey):
        columns.append(try sql(of: column))
        if isInKey { keyColumns.append(column.name) }
      case .foreignKey(let key, let isInKey):
        // Detects a circular key.
        if isInKey { _ = try primaryKey(of: definition.name) }
        let (added, constraint) = try self.columns(of: key, isInPrimaryKey: isInKey)
        for column in added { columns.append(try sql(of: column)) }
        if isInKey { keyColumns += added.map(\.name) }
        if let constraint { foreignKeys.append(constraint) }
      case .literal(let literal): columns.append(try literal.quotedSQL(db))
      }
    }
    let key = definition.primaryKey.map { key in
      "PRIMARY KEY (\((key.columns ?? keyColumns).quotedList))\(key.conflict.clause)"
    }
    let uniqueKeys = definition.uniqueKeys.map { key in
      "UNIQUE (\(key.columns.quotedList))\(key.conflict.clause)"
    }
    let references = try (definition.foreignKeys + foreignKeys).map { key in
      let destination = try key.destination ?? primaryKey(of: key.table).map(\.name)
      let clause = key.actions.clause(table: key.table, columns: destination)
      return "FOREIGN KEY (\(key.columns.quotedList)) \(clause)"
    }
    let checks = try definition.checks.map { "CHECK (\(try $0.quotedSQL(db)))" }
    let constraints = try definition.constraints.map { try $0.quotedSQL(db) }
    return columns + (key.map { [$0] } ?? []) + uniqueKeys + references + checks + constraints
  }

  /// Returns the statements for one change of a table.
  static func statements(
    of change: TableAlteration.Change, table: String, in db: Database
  ) throws -> [String] {
    let features = SQLiteFeatures.linked
    let start = "ALTER TABLE \(table.quotedDatabaseIdentifier)"
    switch change {
    case .add(let column):
      let schema = try db.schemaCache.object(named: table)?.id.schemaID.name
      var renderer = DefinitionRenderer(db, table: table, in: schema)
      let sql = "\(start) ADD COLUMN \(try renderer.sql(of: column))"
      return try [sql] + renderer.indexes.map { try $0.sql(db) }
    case .addLiteral(let literal): return ["\(start) ADD COLUMN \(try literal.quotedSQL(db))"]
    case .rename(let name, let newName):
      try features.require(features.hasColumnRenaming, "renaming a column", "3.25")
      return [
        "\(start) RENAME COLUMN \(name.quotedDatabaseIdentifier) TO "
          + newName.quotedDatabaseIdentifier
      ]
    case .drop(let name):
      try features.require(features.hasColumnDropping, "dropping a column", "3.35")
      return ["\(start) DROP COLUMN \(name.quotedDatabaseIdentifier)"]
    }
  }
}
