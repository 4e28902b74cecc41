import CofferCore

// What requests and records ask of the schema.

extension Database {
  /// The primary key; nil for a view of which nobody knows one.
  ///
  /// - Complexity: Two look-ups inside of a transaction, once it is read.
  package func primaryKeyIfAny(
    _ tableName: String, in schemaName: String? = nil
  ) throws -> PrimaryKeyInfo? {
    let cache = schemaCache
    if let object = try cache.object(named: tableName, in: schemaName),
      let known = object.primaryKey
    {
      return known
    }
    return try cache.reading(tableName, in: schemaName) { try cache.primaryKey(of: $0) }
  }

  /// The name of a table or view as it was created, and where it is.
  func objectID(_ name: String, in schemaName: String? = nil) throws -> DatabaseObjectID {
    guard let object = try schemaCache.object(named: name, in: schemaName) else {
      throw DatabaseError.noSuchTable(name)
    }
    return object.id
  }

  /// The names of a table's columns, hidden ones excluded.
  package func columnNames(in tableName: String) throws -> [String] {
    try columns(in: tableName).map(\.name)
  }

  /// The name of a column as it was created; nil where the table has none of that name.
  package func columnName(_ name: String, in tableName: String) throws -> String? {
    try schemaCache.reading(tableName, in: nil) { object in
      try schemaCache.column(named: name, of: object)?.name
    }
  }

  /// `columns` as they were created, where they are a key of the table, or have one in them: in
  /// the key's order where they are just that, else in the table's; nil where they have none.
  /// The rowid is one under each of its names.
  package func uniqueKey(
    of tableName: String, on columns: some Sequence<String>
  ) throws -> [String]? {
    let asked = Set(columns.map { SQLName($0) })
    guard !asked.isEmpty else { return nil }
    return try schemaCache.reading(tableName, in: nil) { object in
      let key = try schemaCache.primaryKey(of: object)
      let indexes = try schemaCache.indexes(of: object).filter { index in
        index.isUnique && !index.isPartial && !index.columns.isEmpty
      }
      let keys = [key?.columns].compactMap(\.self) + indexes.map(\.columns)
      let matching = keys.filter { asked.isSuperset(of: $0.map { SQLName($0) }) }
      if let exact = matching.first(where: { $0.count == asked.count }) { return exact }
      var names = try schemaCache.allColumns(of: object).map(\.name).filter {
        asked.contains(SQLName($0))
      }
      if key?.tableHasRowID == true {
        let rowIDs = try SchemaCache.rowIDNames.filter { name in
          try asked.contains(SQLName(name))
            && schemaCache.column(named: name, of: object) == nil
        }
        if matching.isEmpty, rowIDs.isEmpty { return nil }
        names = rowIDs + names
      } else if matching.isEmpty {
        return nil
      }
      return names.count == asked.count ? names : nil
    }
  }
}
