import CofferCore
import CofferRecords

extension DocumentCollection {
  /// Stores a document whose type has full text or references.
  @usableFromInline
  func storeWithExtras(
    _ stored: StoredDocument<Document>, _ onConflict: OnConflict, _ db: Database
  ) throws {
    try schema.explainingReferences(of: stored.encodedColumns(), db) {
      if onConflict == .replace, schema.fullText != nil { try deleteReplaced(by: stored, db) }
      try store(stored, onConflict, db)
    }
  }

  /// Deletes other documents with the same value in a unique property.
  ///
  /// `REPLACE` deletes them too, but without firing triggers, so a search would still find their
  /// words.
  func deleteReplaced(by stored: StoredDocument<Document>, _ db: Database) throws {
    guard let condition = try replaced(by: stored) else { return }
    let (sql, arguments) = try ("DELETE FROM \(sql: table.name) WHERE \(condition)" as SQL).build(
      db)
    let statement = try db.fetchStatement(sql)
    defer { statement.clearBindings() }
    try statement.execute(arguments: arguments)
  }

  /// Returns the condition of other documents with the same value in a unique property; nil if
  /// there is no such property.
  private func replaced(by stored: StoredDocument<Document>) throws -> SQL? {
    let unique = schema.indexes.filter { $0.isUnique && $0.columns != [id] }
    guard !unique.isEmpty else { return nil }
    let values = try stored.encodedColumns()
    let conditions = unique.map { index in
      index.columns.map { column -> SQL in
        let value = values.first { $0.0 == column.name }?.1 ?? .null
        return "\(sql: column.expression(collation: column.comparing)) = \(part(column, of: value))"
      }.joined(separator: " AND ")
    }
    var condition: SQL = "(\(conditions.joined(separator: " OR ")))"
    if let id, let key = values.first(where: { $0.0 == id.name })?.1 {
      condition += " AND \(sql: table.idColumn) IS NOT \(part(id, of: key))"
    }
    return condition
  }

  /// Returns the SQL of the column's part of a whole column's value.
  private func part(_ column: DocumentColumn, of value: DatabaseValue) -> SQL {
    guard column.isNested else { return "\(value)" }
    let path = column.jsonPath.databaseValue.sqlLiteral
    return "coffer_json\(sql: column.numbers.suffix)(\(value), \(sql: path))"
  }

  /// Adds to a replacement's error the documents that refer to a replaced one.
  @usableFromInline
  func explainingReplacement(
    by stored: StoredDocument<Document>, _ error: DatabaseError, _ db: Database
  ) -> DatabaseError {
    guard id?.path.isEmpty == true else { return error }
    return schema.explained(error, db) {
      try replaced(by: stored).map { condition in
        "SELECT \(sql: table.idColumn) FROM \(sql: table.name) WHERE \(condition)"
      }
    }
  }
}
