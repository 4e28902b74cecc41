import CofferCore

extension MigrationRule {
  /// Declares that a property holds the identifier of a document.
  ///
  /// The document can be in another collection, or in the same one.
  ///
  /// ```swift
  /// struct Book: Codable, Identifiable, MigratingDocument {
  ///   var id = UUID()
  ///   var title: String
  ///   var authorID: UUID
  ///
  ///   static var migrationRules: [MigrationRule<Book>] {
  ///     [.references(\.authorID, Author.self, onDelete: .cascade)]
  ///   }
  /// }
  /// ```
  ///
  /// A document can be stored only if its author is: otherwise inserting it, or changing its
  /// author, throws a ``DatabaseError`` that names the property and the collection. The migration
  /// also creates the other collection, so the order of the collections doesn't matter. Replacing
  /// an author with `save` isn't a deletion.
  ///
  /// The rule can be added, changed and removed later. If documents hold identifiers of documents
  /// that don't exist when it is added, the migration throws and changes nothing. An `@Index` on
  /// the property makes deletions of authors fast.
  public static func references<Parent: Codable & Identifiable>(
    _ property: KeyPath<Document, Parent.ID>, _ other: Parent.Type, onDelete rule: DeleteRule
  ) -> MigrationRule where Parent.ID: Codable {
    reference(property, other, rule)
  }

  /// Declares that an optional property holds the identifier of a document, or nil.
  ///
  /// See ``references(_:_:onDelete:)``.
  public static func references<Parent: Codable & Identifiable>(
    _ property: KeyPath<Document, Parent.ID?>, _ other: Parent.Type, onDelete rule: DeleteRule
  ) -> MigrationRule where Parent.ID: Codable {
    reference(property, other, rule)
  }

  private static func reference<Parent: Codable & Identifiable>(
    _ property: PartialKeyPath<Document>, _ other: Parent.Type, _ rule: DeleteRule
  ) -> MigrationRule {
    MigrationRule {
      let column = try column(property)
      let isOptional = try DocumentType<Document>.known().property(named: column.name)?.isOptional
      guard rule != .setNull || isOptional == true else {
        throw DocumentError(
          "the property \(column.name) of \(Document.self) can't be set to nil when its \(other) is "
            + "deleted, since it isn't optional",
          hint: "Make it optional, or use .cascade or .restrict.")
      }
      return .reference(
        DocumentReference(
          column: column.name, rule: rule, typeName: "\(other)",
          tableName: StoredDocument<Parent>.databaseTableName,
          keyColumn: try DocumentReference.key(of: other),
          schema: ReferencedSchema<Parent>()))
    }
  }
}
