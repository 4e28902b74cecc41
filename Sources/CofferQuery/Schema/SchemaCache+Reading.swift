import CofferCore

// Reads the parts of a table or view from the schema, on demand.

extension SchemaCache {
  // MARK: Columns

  /// Returns the columns, including hidden ones.
  func allColumns(of object: SchemaTable) throws -> [ColumnInfo] {
    if let columns = object.columns { return columns }
    let hasDetails = SQLiteFeatures.linked.hasExtendedTableInfo
    let infos = try rows(object.pragma(hasDetails ? "table_xinfo" : "table_info"))
    let columns = infos.map { ColumnInfo($0) }
    object.columns = columns
    return columns
  }

  /// Returns the column with this name, case-insensitively; nil if there is none.
  package func column(named name: String, of object: SchemaTable) throws -> ColumnInfo? {
    if object.columns == nil { _ = try allColumns(of: object) }
    return object.column(named: name)
  }

  // MARK: The primary key

  /// Returns the primary key; nil for a view without a known key, and for a table whose rows have
  /// none.
  package func primaryKey(of object: SchemaTable) throws -> PrimaryKeyInfo? {
    if let known = object.primaryKey { return known }
    let key =
      object.kind == .view ? try viewKey(of: object) : try tableKey(of: object)
    object.primaryKey = .some(key)
    return key
  }

  /// Returns the key; nil for a table without any whose columns have all names of the rowid.
  private func tableKey(of object: SchemaTable) throws -> PrimaryKeyInfo? {
    let columns = try allColumns(of: object)
    let keyColumns = columns.filter { $0.primaryKeyIndex > 0 }
      .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    let hasRowID = try database.hasRowIDs(object.id)
    let free = SchemaCache.rowIDNames.first { name in
      !columns.contains { $0.name.isSameName(as: name) }
    }
    if keyColumns.isEmpty { return free.map { .hiddenRowID($0) } }
    if hasRowID, keyColumns.count == 1, keyColumns[0].type.isSameName(as: "INTEGER"),
      // `INTEGER PRIMARY KEY DESC` looks the same, but has an index.
      try !indexList(of: object).contains(where: { $0.origin == .primaryKeyConstraint })
    {
      return .rowID(keyColumns[0].name)
    }
    return .columns(keyColumns.map(\.name), rowIDName: hasRowID ? free : nil)
  }

  /// SQLite's names for the rowid, unless a column has the name.
  static let rowIDNames = ["rowid", "_rowid_", "oid"]

  private func viewKey(of view: SchemaTable) throws -> PrimaryKeyInfo? {
    // Prevents recursion if the source asks for the key of the same view.
    guard let source = database.schemaSource, viewsInQuestion.insert(view.id).inserted else {
      return nil
    }
    defer { viewsInQuestion.remove(view.id) }
    guard let names = try source.columnsForPrimaryKey(database, inView: view.id), !names.isEmpty
    else { return nil }
    return .columns(
      try names.map { name in
        guard let column = try column(named: name, of: view) else {
          throw DatabaseError(
            resultCode: .SQLITE_ERROR, message: "no such column: \(name)",
            hint: "The schema source declares it as the primary key of the view \(view.id.name).")
        }
        return column.name
      }, rowIDName: nil)
  }

  // MARK: Indexes

  /// Returns the indexes on columns.
  ///
  /// Indexes on expressions are omitted, since they lack column names.
  package func indexes(of object: SchemaTable) throws -> [IndexInfo] {
    if let indexes = object.indexes { return indexes }
    let indexes = try indexList(of: object).compactMap { index -> IndexInfo? in
      let schema = object.id.schemaID.name.quotedDatabaseIdentifier
      let parts = try rows(
        "PRAGMA \(schema).index_info(\(index.name.quotedDatabaseIdentifier))")
      let columns = parts.compactMap { String.fromDatabaseValue($0[2]) }
      guard columns.count == parts.count else { return nil }
      return IndexInfo(
        name: index.name, columns: columns, isUnique: index.isUnique, origin: index.origin,
        isPartial: index.isPartial)
    }
    object.indexes = indexes
    return indexes
  }

  /// Returns whether there are indexes, also on expressions.
  func hasIndexes(_ object: SchemaTable) throws -> Bool { try !indexList(of: object).isEmpty }

  /// Returns the indexes, without their columns.
  private func indexList(of object: SchemaTable) throws -> [IndexInfo] {
    try rows(object.pragma("index_list")).compactMap { row in
      guard let name = String.fromDatabaseValue(row[1]) else { return nil }
      let origin = String.fromDatabaseValue(row[3]) ?? ""
      return IndexInfo(
        name: name, columns: [], isUnique: Int.fromDatabaseValue(row[2]) ?? 0 != 0,
        origin: IndexInfo.Origin(rawValue: origin),
        isPartial: Int.fromDatabaseValue(row[4]) ?? 0 != 0)
    }
  }

  // MARK: Foreign keys

  package func foreignKeys(of object: SchemaTable) throws -> [ForeignKeyInfo] {
    if let foreignKeys = object.foreignKeys { return foreignKeys }
    var keys: [(id: Int, table: String, columns: [(position: Int, from: String, to: String?)])] = []
    for row in try rows(object.pragma("foreign_key_list")) {
      guard let id = Int.fromDatabaseValue(row[0]), let position = Int.fromDatabaseValue(row[1]),
        let table = String.fromDatabaseValue(row[2]), let from = String.fromDatabaseValue(row[3])
      else { continue }
      let column = (position, from, String.fromDatabaseValue(row[4]))
      if let index = keys.firstIndex(where: { $0.id == id }) {
        keys[index].columns.append(column)
      } else {
        keys.append((id, table, [column]))
      }
    }
    let foreignKeys = try keys.map { key in
      let columns = key.columns.sorted { $0.position < $1.position }
      // Without columns, a foreign key refers to the primary key.
      let implicit =
        try columns.contains { $0.to == nil }
        ? destinationKey(key.table, in: object) : []
      let mapping = zip(columns.indices, columns).compactMap { index, column in
        (column.to ?? (index < implicit.count ? implicit[index] : nil)).map { (column.from, $0) }
      }
      return ForeignKeyInfo(
        id: key.id, destinationTable: key.table,
        mapping: mapping.map { (origin: $0.0, destination: $0.1) })
    }
    object.foreignKeys = foreignKeys
    return foreignKeys
  }

  /// Returns the primary key of a referenced table in the same schema.
  private func destinationKey(_ table: String, in origin: SchemaTable) throws -> [String] {
    guard let object = try object(named: table, in: origin.id.schemaID.name) else {
      throw DatabaseError.noSuchTable(
        table, note: "A foreign key of \(origin.id.name) refers to it.")
    }
    return try primaryKey(of: object)?.columns ?? []
  }
}
