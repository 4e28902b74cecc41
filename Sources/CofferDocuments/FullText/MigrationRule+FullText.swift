import CofferCore

extension MigrationRule {
  /// The words of some properties can be searched, by ``Filterable/matching(_:_:in:)``.
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
  /// The migration makes an index of the words, which holds no texts of its own, and fills it.
  /// Triggers follow all changes, those in SQL too. Other properties make it be built anew, and
  /// without the rule, it is dropped. Words are those of Unicode, in which case and the diacritics of
  /// Latin letters don't matter.
  ///
  /// The properties are texts, or texts that may be nil; parts of stored structs and lists are not
  /// searched: a rule that names one makes ``DocumentStore/collection(_:)`` throw.
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
        hint: "Make it a property of its own.")
    }
    guard let stored = type.property(named: column.name)?.type, stored == String.self else {
      throw DocumentError(
        "\(column.name) of \(Document.self) can't be searched as full text: it is no String",
        hint: "Store its words in a String as well.")
    }
    guard !["rank", "rowid", "docid", "tokenize"].contains(column.name.lowercased()) else {
      throw DocumentError(
        "\(column.name) of \(Document.self) can't be searched as full text: "
          + "SQLite uses the name there itself",
        hint: "Give the property another coding key.")
    }
    return column.name
  }
}
