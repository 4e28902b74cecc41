import CofferCore

// Schema queries of requests and records.

extension Database {
  /// Returns the primary key; nil for a view without a known key.
  ///
  /// - Complexity: Two lookups inside a transaction, once it has been read.
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

  /// Returns the name of a table or view as it was created, and its schema.
  func objectID(_ name: String, in schemaName: String? = nil) throws -> DatabaseObjectID {
    guard let object = try schemaCache.object(named: name, in: schemaName) else {
      throw DatabaseError.noSuchTable(name)
    }
    return object.id
  }

  /// Returns the names of a table's columns, without hidden ones.
  package func columnNames(in tableName: String) throws -> [String] {
    try columns(in: tableName).map(\.name)
  }

  /// Returns the name of a column as it was created; nil if the table has no such column.
  package func columnName(_ name: String, in tableName: String) throws -> String? {
    try schemaCache.reading(tableName, in: nil) { object in
      try schemaCache.column(named: name, of: object)?.name
    }
  }

  /// Returns the names of columns as they were created if they include a unique key; nil otherwise.
  ///
  /// They are in the key's order if they are exactly a key, or else in the table's order. The rowid
  /// counts as a key under each of its names.
  func uniqueKey(
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
