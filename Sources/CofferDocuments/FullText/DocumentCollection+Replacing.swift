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

  /// Deletes the other documents with this one's value in a unique property.
  ///
  /// `REPLACE` deletes them too, but without firing triggers, so a search would still find their
  /// words.
  func deleteReplaced(by stored: StoredDocument<Document>, _ db: Database) throws {
    guard let condition = try replaced(by: stored) else { return }
    let (sql, arguments) = try SQL(
      elements: [.text("DELETE FROM \(table.name) WHERE ")] + condition
    ).build(db)
    let statement = try db.fetchStatement(sql)
    defer { statement.clearBindings() }
    try statement.execute(arguments: arguments)
  }

  /// Returns the condition of the other documents with this one's value in a unique property; nil
  /// if there is no such property.
  private func replaced(by stored: StoredDocument<Document>) throws -> [SQL.Element]? {
    let unique = schema.indexes.filter { $0.isUnique && $0.columns != [id] }
    guard !unique.isEmpty else { return nil }
    let values = try stored.encodedColumns()
    var elements: [SQL.Element] = [.text("(")]
    for (position, index) in unique.enumerated() {
      for (term, column) in index.columns.enumerated() {
        let value = values.first { $0.0 == column.name }?.1 ?? .null
        let collation = column.comparing.map { " COLLATE \($0.sqlName)" } ?? ""
        let joiner = term > 0 ? " AND " : position > 0 ? " OR " : ""
        elements.append(.text("\(joiner)\(column.sqlText())\(collation) = "))
        elements += part(column, of: value)
      }
    }
    elements.append(.text(")"))
    if let id, let key = values.first(where: { $0.0 == id.name })?.1 {
      elements.append(.text(" AND \(table.idColumn) IS NOT "))
      elements += part(id, of: key)
    }
    return elements
  }

  /// Returns the SQL of the column's part of a whole column's value.
  private func part(_ column: DocumentColumn, of value: DatabaseValue) -> [SQL.Element] {
    let argument = SQL.Element.argument(StatementArgument(value))
    guard column.isNested else { return [argument] }
    let path = column.jsonPath.databaseValue.sqlLiteral
    return [.text("coffer_json("), argument, .text(", \(path))")]
  }

  /// Adds to a replacement's error the documents that refer to a replaced one.
  @usableFromInline
  func explainingReplacement(
    by stored: StoredDocument<Document>, _ error: DatabaseError, _ db: Database
  ) -> DatabaseError {
    guard id?.path.isEmpty == true else { return error }
    return schema.explained(error, db) {
      try replaced(by: stored).map { condition in
        SQL(
          elements: [.text("SELECT \(table.idColumn) FROM \(table.name) WHERE ")] + condition)
      }
    }
  }
}
