import CofferCore
import CofferRecords

extension MigrationRule {
  /// The values of a property had another type: each is converted, once.
  ///
  /// ```swift
  /// .converted("cents", \.price, from: Double.self) { Int(($0 * 100).rounded()) }
  /// ```
  ///
  /// All documents that have a value are converted, or, where the closure throws or an old value
  /// can't be decoded, none is, and ``DocumentStore/collection(_:)`` throws that error. The name is
  /// noted in the file then: the rule may stay, and does nothing later on. A table that is made by
  /// the type as it is now has nothing to convert.
  ///
  /// Nil isn't converted, unless the old type is an optional.
  /// - Parameters:
  ///   - name: What the conversion is noted as: of this collection, no other rule has it.
  ///   - property: One of the document, or of a stored struct.
  ///   - old: The type that the values had.
  public static func converted<Old: Codable, Value: Codable>(
    _ name: String, _ property: KeyPath<Document, Value>, from old: Old.Type,
    _ convert: @escaping @Sendable (Old) throws -> Value
  ) -> MigrationRule {
    MigrationRule {
      .step(ValueConversion(name: name, column: try place(property), convert: convert))
    }
  }

  /// Documents had another form: each is made anew by a closure, once.
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
  /// All documents are migrated, or, where the closure throws or an old one can't be decoded, none
  /// is, and ``DocumentStore/collection(_:)`` throws that error. The name is noted in the file
  /// then: the rule may stay, and does nothing later on. A table that is made by the type as it is
  /// now has nothing to migrate.
  ///
  /// Several rules are applied in their order: the closure of an earlier one may give a type that a
  /// later one takes. Columns of the old type alone stay, unless they are dropped
  /// (see ``DocumentCollection/migrate(dropColumns:)``).
  /// - Parameters:
  ///   - name: What the migration is noted as: of this collection, no other rule has it.
  ///   - old: The type that the documents had, with all or some of their properties.
  public static func migrated<Old: Codable, New: Codable>(
    _ name: String, from old: Old.Type, _ convert: @escaping @Sendable (Old) throws -> New
  ) -> MigrationRule {
    MigrationRule {
      // What can't be documents is said at once.
      let (old, new) = (try DocumentType<Old>.known(), try DocumentType<New>.known())
      return .step(
        DocumentMigration(
          name: name, read: old.properties.map(\.name), written: new.properties.map(\.name),
          convert: convert))
    }
  }
}

/// Converts a property's values.
private struct ValueConversion<Old: Codable, Value: Codable>: MigrationStep {
  let name: String
  let column: DocumentColumn
  let convert: @Sendable (Old) throws -> Value

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    guard try schema.hasColumn(column.name, db) else { return }
    let rows = try DocumentRows(schema, where: condition, db)
    try rows.rewrite([column.sqlText(), column.name.quotedDatabaseIdentifier]) { row in
      let value = try convert(oldValue(row))
      guard column.isNested else {
        return [(column.name, try DocumentValue.databaseValue(of: value, in: column))]
      }
      let json = try DocumentValue.json(of: value, in: column)
      let whole = String.fromDatabaseValue(row.databaseValue(at: 1)) ?? ""
      return [(column.name, column.setting(json, in: whole).databaseValue)]
    }
  }

  /// Of the documents that have a value. Of a stored struct that is nil, there is no property.
  private var condition: String? {
    guard Old.self is any ExpressibleByNilLiteral.Type else {
      return "\(column.sqlText()) IS NOT NULL"
    }
    return column.isNested ? "\(column.parent.sqlText()) IS NOT NULL" : nil
  }

  private func oldValue(_ row: Row) throws -> Old {
    do {
      return column.isNested
        ? try SelectedLeaf<Old>.value(of: row, at: 0) : try SelectedValue<Old>.value(of: row, at: 0)
    } catch let error as RowDecodingError {
      throw error.naming(column: column.description, ofRecord: Old.self)
    }
  }
}

/// Makes documents of those of another type.
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
      return try StoredDocument(new).encodedColumns().map { ($0.0, $0.1) }
    }
  }
}
