import CofferCore

extension Filterable {
  /// The documents that a search for words finds.
  ///
  /// ```swift
  /// books.matching("white whale")
  /// books.matching("mob di", .prefixes, in: \.title)
  /// ```
  ///
  /// The text may come from a user: nothing in it is syntax. One without any word finds nothing.
  /// - Parameters:
  ///   - match: Whether all words have to be there, or what else is to be found.
  ///   - property: Where the words have to be; nil for any property of the rule.
  /// - Precondition: None: where the type doesn't declare the property by
  ///   ``MigrationRule/fullText(_:)``, the query throws when it is executed.
  public func matching(
    _ text: String, _ match: TextMatch = .allWords, in property: PartialKeyPath<Row>? = nil
  ) -> QueryBuilder<Row> {
    all().matching(text, match, in: property)
  }
}

extension QueryBuilder {
  /// The documents that a search for words finds, among those of the query.
  public func matching(
    _ text: String, _ match: TextMatch = .allWords, in property: PartialKeyPath<Document>? = nil
  ) -> QueryBuilder<Document> {
    with { query in
      do {
        let index = try requireFullText()
        let column = try property.map { try searched($0, index) }
        let pattern = FullTextIndex.pattern(text, match)
        query.search(index, pattern, in: column, of: collection.table)
      } catch { query.fail(error) }
    }
  }

  /// The query ordered by relevance for its last ``matching(_:_:in:)``, the best first, after the
  /// orders that it has already.
  ///
  /// It needs SQLCipher 4; with an older one, the query throws when it is executed.
  public func orderByRelevance() -> QueryBuilder<Document> {
    with { query in
      do {
        guard FullTextIndex.isFTS5 else {
          throw DocumentError(
            "this SQLCipher can't order by relevance, for which it takes FTS5",
            hint: "Install libsqlcipher 4.")
        }
        try query.orderByRelevance()
      } catch { query.fail(error) }
    }
  }

  private func requireFullText() throws -> FullTextIndex {
    if let index = collection.schema.fullText { return index }
    throw DocumentError(
      "\(Document.self) has no property that can be searched as full text",
      hint: "Conform it to MigratingDocument, with .fullText(…) among its rules.")
  }

  private func searched(
    _ property: PartialKeyPath<Document>, _ index: FullTextIndex
  ) throws -> String {
    let column = try collection.type.column(property)
    if column.path.isEmpty, index.columns.contains(column.name) { return column.name }
    throw DocumentError(
      "the property \(column.description) of \(Document.self) can't be searched as full text",
      hint: "Add it to .fullText(…) among the type's rules.")
  }
}

extension DocumentCollection {
  /// Builds the index of full-text search anew.
  ///
  /// There is no need to, but where SQL has changed documents by `REPLACE` or `OR REPLACE`, which
  /// SQLite does without the triggers that the index depends on. The methods of collections
  /// delete what they replace.
  /// - Throws: ``DocumentError`` where the type declares no full text.
  public func rebuildFullText() throws {
    let sql = try rebuildingSQL()
    try writing { try $0.execute(sql: sql) }
  }

  /// Builds the index of full-text search anew, on another thread.
  ///
  /// - Throws: What the synchronous form throws.
  public func rebuildFullText() async throws {
    let sql = try rebuildingSQL()
    try await access.writer.write { try $0.execute(sql: sql) }
  }

  private func rebuildingSQL() throws -> String {
    guard let fullText = schema.fullText else {
      throw DocumentError(
        "\(Document.self) has no property that can be searched as full text",
        hint: "Conform it to MigratingDocument, with .fullText(…) among its rules.")
    }
    let table = fullText.tableName.quotedDatabaseIdentifier
    return "INSERT INTO \(table)(\(table)) VALUES ('rebuild')"
  }
}
