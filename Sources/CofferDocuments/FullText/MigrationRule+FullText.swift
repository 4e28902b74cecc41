import CofferCore

extension MigrationRule {
  /// Makes the words of properties searchable by ``Filterable/matching(_:_:in:)``.
  ///
  /// ```swift
  /// struct Book: Codable, MigratingDocument {
  ///   var title: String
  ///   var text: String?
  ///
  ///   static var migrationRules: [MigrationRule<Book>] {
  ///     [.fullText(\.title, \.text)]
  ///   }
  /// }
  /// let whales = try books.matching("white whale").orderByRelevance().fetchMany()
  /// ```
  ///
  /// The migration creates an index of the words, which stores no copy of the text, and fills it.
  /// Triggers maintain it through all changes, including those made in SQL. If the properties
  /// change, it is rebuilt; if the rule is removed, it is dropped. Words are split by Unicode
  /// rules, and matched without regard to case and to the diacritics of Latin letters.
  ///
  /// The properties must be strings or optional strings. If the rule names a part of a stored
  /// struct, or a list, ``DocumentStore/collection(_:)`` throws.
  public static func fullText(_ properties: PartialKeyPath<Document>...) -> MigrationRule {
    MigrationRule { .fullText(try properties.map { try textColumn($0) }) }
  }

  private static func textColumn(_ property: PartialKeyPath<Document>) throws -> String {
    let type = try DocumentType<Document>.known()
    let column = try type.column(property)
    guard column.path.isEmpty else {
      throw DocumentError(
        "\(column.description) of \(Document.self) can't be searched as full text: "
          + "it is a part of the column \(column.name)",
        hint: "Make it a property of the document.")
    }
    guard let stored = type.property(named: column.name)?.type, stored == String.self else {
      throw DocumentError(
        "\(column.name) of \(Document.self) can't be searched as full text: it is no String",
        hint: "Store its words in a String as well.")
    }
    guard !["rank", "rowid", "docid", "tokenize"].contains(column.name.lowercased()) else {
      throw DocumentError(
        "\(column.name) of \(Document.self) can't be searched as full text: "
          + "the name is reserved by SQLite",
        hint: "Give the property another coding key.")
    }
    return column.name
  }
}
