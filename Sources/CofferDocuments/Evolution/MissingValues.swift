import CofferCore
import CofferQuery
import CofferRecords

/// The values with which decoding fills missing properties.
protocol MissingValues: Sendable {
  /// Returns what happens to a document without a column; nil if that is unknown.
  func outcome(without column: String) -> MissingValue?

  /// Returns the values with which decoding fills the missing columns of a row.
  func values(for columns: [String], of row: Row) throws -> [(String, DatabaseValue)]
}

enum MissingValue {
  /// Decoding succeeds, and stores NULL.
  case null
  /// Decoding succeeds, and stores a value: the type has a default.
  case value
  /// Decoding fails.
  case error
}

struct DocumentDefaults<Document: Codable>: MissingValues {
  func outcome(without column: String) -> MissingValue? {
    guard let (sample, _) = try? SampleRun.sample(of: Document.self, round: 0),
      let stored = try? columns(of: sample), (try? decode(stored)) != nil
    else { return nil }
    let others = stored.filter { !$0.0.isSameName(as: column) }
    // A type can accept a missing column, NULL, or both.
    for candidate in [others, others + [(column, .null)]] {
      guard let document = try? decode(candidate), let columns = try? columns(of: document) else {
        continue
      }
      let value = columns.first { $0.0.isSameName(as: column) }?.1 ?? .null
      return value.isNull ? .null : .value
    }
    return .error
  }

  func values(for columns: [String], of row: Row) throws -> [(String, DatabaseValue)] {
    let document = try StoredDocument<Document>(row: row).document
    return try self.columns(of: document).filter { column, _ in
      columns.contains { $0.isSameName(as: column) }
    }
  }

  private func columns(of document: Document) throws -> [(String, DatabaseValue)] {
    try StoredDocument(document).encodedColumns().map { ($0.0, $0.1) }
  }

  private func decode(_ columns: [(String, DatabaseValue)]) throws -> Document {
    let row = Row(columnNames: columns.map(\.0), values: columns.map(\.1))
    return try StoredDocument<Document>(row: row).document
  }
}

extension CollectionSchema {
  /// Adds the columns of new properties, with a value for each document.
  ///
  /// - Throws: ``DocumentError`` if documents need a value for a property and there is none.
  func addColumns(_ db: Database) throws {
    let present = try db.columns(in: tableName, in: "main")
    let new = columns.filter { column in
      !present.contains { $0.name.isSameName(as: column.name) }
    }
    guard !new.isEmpty else { return }
    let hasRule = Set(defaults.lazy.filter { !$0.column.isNested }.map { SQLName($0.column.name) })
    let isEmpty =
      try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM \(quotedTable))") ?? true
    let found =
      isEmpty ? [] : try new.filter { !hasRule.contains(SQLName($0.name)) }.filter(hasDefault)
    // The documents before the new columns are added.
    let rows = found.isEmpty ? nil : try DocumentRows(self, db)
    let known = present.filter { info in
      columns.contains { $0.name.isSameName(as: info.name) }
    }.map { $0.name.quotedDatabaseIdentifier }
    for column in new {
      let name = column.name.quotedDatabaseIdentifier
      try db.execute(sql: "ALTER TABLE \(quotedTable) ADD COLUMN \(name)")
      for rule in defaults where !rule.column.isNested && rule.column.name == column.name {
        try apply(rule, db)
      }
    }
    let ruled = new.filter { hasRule.contains(SQLName($0.name)) }
      .map { $0.name.quotedDatabaseIdentifier }
    try rows?.rewrite(known + ruled) { row in
      // A document that couldn't be decoded before is left as it is.
      let values = (try? missingValues.values(for: found.map(\.name), of: row)) ?? []
      return values.map { ($0, "\($1)") }
    }
  }

  /// Whether decoding supplies a value for documents that have none.
  private func hasDefault(_ column: DocumentProperty) throws -> Bool {
    switch missingValues.outcome(without: column.name) ?? (column.isOptional ? .null : .error) {
    case .null: return false
    case .value: return true
    case .error:
      throw DocumentError(
        "\(typeName) has a new property \(column.name), and the documents of the table "
          + "\(tableName) have no value for it",
        hint:
          "Add .defaultValue(…, for: \\.\(column.name)) to the migrationRules of a "
          + "MigratingDocument, or make the property optional. The table is unchanged.")
    }
  }
}
