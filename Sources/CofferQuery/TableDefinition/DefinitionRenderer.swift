import CofferCore

/// Renders table definitions as SQL, according to the current schema.
struct DefinitionRenderer {
  let db: Database
  let features = SQLiteFeatures.linked

  /// The table that is defined or changed.
  let tableName: String

  /// The table's definition; nil if the table exists.
  var definition: TableDefinition?

  /// Indexes to create after the table.
  private(set) var indexes: [IndexDefinition] = []

  /// The schema of the table and of the tables it references.
  private let schemaName: String?

  init(
    _ db: Database, table: String, in schemaName: String?, definition: TableDefinition? = nil
  ) {
    self.db = db
    tableName = table
    self.schemaName = schemaName
    self.definition = definition
  }

  // MARK: A column

  mutating func sql(of column: ColumnDefinition) throws -> String {
    var parts = [column.name.quotedDatabaseIdentifier]
    if let type = column.type, !type.rawValue.isEmpty { try parts.append(type.rawValue.sqlType) }
    if let key = column.key {
      parts.append(
        "PRIMARY KEY\(key.conflict.clause)\(key.autoincrement ? " AUTOINCREMENT" : "")")
    }
    if let conflict = column.notNull { parts.append("NOT NULL\(conflict.clause)") }
    if let conflict = column.uniqueness { parts.append("UNIQUE\(conflict.clause)") }
    for check in column.checks { parts.append("CHECK (\(try check.quotedSQL(db)))") }
    if let value = column.defaultSQL { parts.append("DEFAULT \(try value.quotedSQL(db))") }
    if let collation = column.collation { parts.append("COLLATE \(collation.sqlWord)") }
    for reference in column.references {
      let columns =
        try reference.column.map { [$0] } ?? primaryKey(of: reference.table).map(\.name)
      parts.append(reference.actions.clause(table: reference.table, columns: columns))
    }
    if let (expression, qualification) = column.generation {
      try features.require(features.hasGeneratedColumns, "a generated column", "3.31")
      let keyword = qualification == .stored ? "STORED" : "VIRTUAL"
      parts.append("GENERATED ALWAYS AS (\(try expression.quotedSQL(db))) \(keyword)")
    }
    if column.needsIndex {
      indexes.append(
        IndexDefinition(
          name: "\(tableName)_on_\(column.name)", table: tableName, columns: [column.name]))
    }
    return parts.joined(separator: " ")
  }

  // MARK: Referencing columns

  /// Returns the columns of a `belongsTo`, and a foreign key of the table if it has several.
  mutating func columns(
    of key: ForeignKeyDefinition, isInPrimaryKey: Bool
  ) throws -> (columns: [ColumnDefinition], constraint: TableDefinition.ForeignKey?) {
    let table = try destination(of: key)
    let destination = try primaryKey(of: table)
    let columns = zip(columnNames(of: key, destination), destination).map { name, target in
      let column = ColumnDefinition(name, target.type)
      if let conflict = key.notNull { column.notNull(onConflict: conflict) }
      return column
    }
    let isIndexed = key.isIndexed && !isInPrimaryKey
    if columns.count == 1 {
      columns[0].references(
        table, column: destination[0].name, onDelete: key.actions.onDelete,
        onUpdate: key.actions.onUpdate, deferred: key.actions.isDeferred)
      if key.isUnique { columns[0].unique() }
      if isIndexed { columns[0].indexed() }
      return (columns, nil)
    }
    let names = columns.map(\.name)
    if isIndexed || key.isUnique {
      indexes.append(
        IndexDefinition(
          name: Database.defaultIndexName(on: tableName, columns: names), table: tableName,
          columns: names, options: key.isUnique ? .unique : []))
    }
    return (
      columns,
      TableDefinition.ForeignKey(
        columns: names, table: table, destination: destination.map(\.name), actions: key.actions)
    )
  }

  /// Returns the names of the columns: `teamId` for `team` and the column `id`.
  private func columnNames(of key: ForeignKeyDefinition, _ destination: [KeyColumn]) -> [String] {
    destination.map { column in
      let name = column.isHiddenRowID ? "id" : column.name
      return key.name + name.prefix(1).uppercased() + name.dropFirst()
    }
  }

  private func destination(of key: ForeignKeyDefinition) throws -> String {
    if let table = key.table { return table }
    let plural = Inflections.default.pluralize(key.name)
    for name in [key.name, plural] {
      if isSelf(name) { return definition?.name ?? name }
      if try object(named: name) != nil { return name }
    }
    throw DatabaseError.noSuchTable(key.name).addingHint(
      "belongsTo(\"\(key.name)\") refers to a table of that name, or to \"\(plural)\": create "
        + "it first, or specify another table with inTable.")
  }

  private func isSelf(_ table: String) -> Bool {
    definition?.name.isSameName(as: table) ?? false
  }

  // MARK: Primary keys

  struct KeyColumn {
    let name: String
    let type: Database.ColumnType?
    var isHiddenRowID = false
  }

  /// Returns the primary key of a referenced table, which can be the one being defined.
  func primaryKey(of table: String) throws -> [KeyColumn] {
    if let definition, isSelf(table) { return try primaryKey(of: definition) }
    guard let object = try object(named: table) else {
      throw DatabaseError.noSuchTable(
        table, note: "A reference to a table that is created later must specify its columns.")
    }
    let key = try db.primaryKey(object.id.name, in: object.id.schemaID.name)
    if key.isHiddenRowID {
      return [KeyColumn(name: key.columns[0], type: .integer, isHiddenRowID: true)]
    }
    return try key.columns.map { name in
      let type = try db.schemaCache.column(named: name, of: object)?.type ?? ""
      return KeyColumn(
        name: name, type: type.isEmpty ? nil : Database.ColumnType(rawValue: type))
    }
  }

  /// Returns a referenced table, preferably in the same schema.
  private func object(named name: String) throws -> SchemaTable? {
    if let schemaName, let object = try db.schemaCache.object(named: name, in: schemaName) {
      return object
    }
    return try db.schemaCache.object(named: name)
  }

  private func primaryKey(of definition: TableDefinition) throws -> [KeyColumn] {
    var renderer = self
    if let key = definition.primaryKey {
      if let columns = key.columns {
        return columns.map { KeyColumn(name: $0, type: column(named: $0, in: definition)?.type) }
      }
      return try definition.elements.filter(\.isInKey).flatMap { element -> [KeyColumn] in
        switch element {
        case .column(let column, _): return [KeyColumn(name: column.name, type: column.type)]
        case .foreignKey(let key, _):
          guard try !isSelf(destination(of: key)) else { throw circularKey(key) }
          return try renderer.columns(of: key, isInPrimaryKey: true).columns.map {
            KeyColumn(name: $0.name, type: $0.type)
          }
        case .literal: return []
        }
      }
    }
    for case .column(let column, _) in definition.elements where column.key != nil {
      return [KeyColumn(name: column.name, type: column.type)]
    }
    let free = SchemaCache.rowIDNames.first { column(named: $0, in: definition) == nil }
    return [KeyColumn(name: free ?? "rowid", type: .integer, isHiddenRowID: true)]
  }

  private func column(named name: String, in definition: TableDefinition) -> ColumnDefinition? {
    for case .column(let column, _) in definition.elements where column.name.isSameName(as: name) {
      return column
    }
    return nil
  }

  private func circularKey(_ key: ForeignKeyDefinition) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_ERROR,
      message: "belongsTo(\"\(key.name)\") in the primary key of \(tableName) refers to that key",
      hint: "A primary key can't reference itself.")
  }
}
