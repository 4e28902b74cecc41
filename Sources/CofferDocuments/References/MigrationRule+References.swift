import CofferCore

extension MigrationRule {
  /// A property has the identifier of a document of another collection, or of the same one.
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
  /// No document is stored whose author isn't: inserting it, and giving it another author, throw a
  /// ``DatabaseError`` that names property and collection. The other collection is made as well, so
  /// that their order doesn't matter. Saving the author again, as a replacement, isn't a deletion.
  ///
  /// The rule may be added, changed and removed later. Where it is added, and documents have
  /// identifiers that lead nowhere, the migration throws and changes nothing. An
  /// `@Index` on the property makes deletions of authors fast.
  public static func references<Parent: Codable & Identifiable>(
    _ property: KeyPath<Document, Parent.ID>, _ other: Parent.Type, onDelete rule: DeleteRule
  ) -> MigrationRule where Parent.ID: Codable {
    reference(property, other, rule)
  }

  /// A property has the identifier of a document of another collection, or of the same one, or nil.
  ///
  /// See ``references(_:_:onDelete:)``. A nil leads nowhere, and need not.
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
          "the property \(column.name) of \(Document.self) can't become nil when its \(other) is "
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
