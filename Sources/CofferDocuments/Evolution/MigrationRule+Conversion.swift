import CofferCore
import CofferRecords

extension MigrationRule {
  /// Converts the values of a property from another type, once.
  ///
  /// ```swift
  /// .converted("cents", \.price, from: Double.self) { Int(($0 * 100).rounded()) }
  /// ```
  ///
  /// Either all documents that have a value are converted, or none: if the closure throws, or an
  /// old value can't be decoded, ``DocumentStore/collection(_:)`` throws that error. The name is
  /// then recorded in the file, so the rule can stay and does nothing later. A new table, created
  /// for the current type, has nothing to convert.
  ///
  /// Nil isn't converted unless the old type is optional.
  /// - Parameters:
  ///   - name: The name under which the conversion is recorded, unique among the collection's
  ///     rules.
  ///   - property: A property of the document or of a stored struct.
  ///   - old: The former type of the values.
  public static func converted<Old: Codable, Value: Codable>(
    _ name: String, _ property: KeyPath<Document, Value>, from old: Old.Type,
    _ convert: @escaping @Sendable (Old) throws -> Value
  ) -> MigrationRule {
    MigrationRule {
      .step(ValueConversion(name: name, column: try place(property), convert: convert))
    }
  }

  /// Converts documents of another type, once.
  ///
  /// ```swift
  /// struct OldNote: Codable {
  ///   var id: UUID, text: String
  /// }
  ///
  /// .migrated("titles", from: OldNote.self) { old in
  ///   Note(id: old.id, title: String(old.text.prefix(20)), text: old.text)
  /// }
  /// ```
  ///
  /// Either all documents are migrated, or none: if the closure throws, or an old document can't be
  /// decoded, ``DocumentStore/collection(_:)`` throws that error. The name is then recorded in the
  /// file, so the rule can stay and does nothing later. A new table, created for the current type,
  /// has nothing to migrate.
  ///
  /// Rules are applied in order: the closure of one rule can return a type from which a later rule
  /// converts. Columns that only the old type has are kept unless they are dropped (see
  /// ``DocumentCollection/migrate(dropColumns:)``).
  /// - Parameters:
  ///   - name: The name under which the migration is recorded, unique among the collection's rules.
  ///   - old: The former type of the documents, with all or some of their properties.
  public static func migrated<Old: Codable, New: Codable>(
    _ name: String, from old: Old.Type, _ convert: @escaping @Sendable (Old) throws -> New
  ) -> MigrationRule {
    MigrationRule {
      // Types that can't be stored as documents throw here, before the migration.
      let (old, new) = (try DocumentType<Old>.known(), try DocumentType<New>.known())
      return .step(
        DocumentMigration(
          name: name, read: old.properties.map(\.name), written: new.properties.map(\.name),
          convert: convert))
    }
  }
}

/// Converts the values of a property.
private struct ValueConversion<Old: Codable, Value: Codable>: MigrationStep {
  let name: String
  let column: DocumentColumn
  let convert: @Sendable (Old) throws -> Value

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    guard try schema.hasColumn(column.name, db) else { return }
    let rows = try DocumentRows(schema, where: condition, db)
    try rows.rewrite([column.sqlText()]) { row in
      let value = try convert(DocumentSelection<Old>(column: column).value(of: row, at: 0))
      let assigned: SQL = "\(try DocumentValue.assigned(value, to: column))"
      return [(column.name, column.setting(assigned))]
    }
  }

  /// The condition of documents that have a value. A stored struct that is nil has no properties.
  private var condition: String? {
    guard Old.self is any ExpressibleByNilLiteral.Type else {
      return "\(column.sqlText()) IS NOT NULL"
    }
    return column.isNested ? "\(column.parent.sqlText()) IS NOT NULL" : nil
  }
}

/// Converts documents of one type to another.
private struct DocumentMigration<Old: Codable, New: Codable>: MigrationStep {
  let name: String
  let read: [String]
  let written: [String]
  let convert: @Sendable (Old) throws -> New

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    for name in written where try !schema.hasColumn(name, db) {
      try db.execute(
        sql: "ALTER TABLE \(schema.quotedTable) ADD COLUMN \(name.quotedDatabaseIdentifier)")
    }
    let columns = try read.filter { try schema.hasColumn($0, db) }
    try DocumentRows(schema, db).rewrite(columns.map(\.quotedDatabaseIdentifier)) { row in
      let new = try convert(StoredDocument<Old>(row: row).document)
      return try StoredDocument(new).encodedColumns().map { ($0.0, "\($0.1)") }
    }
  }
}
