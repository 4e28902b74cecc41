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
  package func objectID(_ name: String, in schemaName: String? = nil) throws -> DatabaseObjectID {
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

  /// The columns of the table's key that `columns` are, as they were created; nil where they
  /// are no key. The rowid is one under each of its names.
  package func uniqueKey(
    of tableName: String, on columns: some Sequence<String>
  ) throws -> [String]? {
    let asked = Set(columns.map { SQLName($0) })
    guard !asked.isEmpty else { return nil }
    return try schemaCache.reading(tableName, in: nil) { object in
      let key = try schemaCache.primaryKey(of: object)
      if let key, Set(key.columns.map { SQLName($0) }) == asked { return key.columns }
      let unique = try schemaCache.indexes(of: object).first { index in
        index.isUnique && !index.isPartial && Set(index.columns.map { SQLName($0) }) == asked
      }
      if let unique { return unique.columns }
      guard key?.tableHasRowID == true, asked.count == 1, let name = asked.first,
        SchemaCache.rowIDNames.contains(where: { SQLName($0) == name }),
        try schemaCache.column(named: name.text, of: object) == nil
      else { return nil }
      return [name.text]
    }
  }
}
