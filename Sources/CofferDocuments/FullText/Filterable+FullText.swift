import CofferCore

extension Filterable {
  /// Returns the query of the documents that a full-text search finds.
  ///
  /// ```swift
  /// books.matching("white whale")
  /// books.matching("mob di", .prefixes, in: \.title)
  /// ```
  ///
  /// The text can come from a user: nothing in it is syntax. A text without words finds nothing.
  /// If the type doesn't declare the property in ``MigrationRule/fullText(_:)``, the query throws
  /// when it is executed.
  /// - Parameters:
  ///   - match: Which words a document must contain, and how.
  ///   - property: The property to search; nil searches all properties of the rule.
  public func matching(
    _ text: String, _ match: TextMatch = .allWords, in property: PartialKeyPath<Row>? = nil
  ) -> QueryBuilder<Row> {
    let all = all()
    return all.with { query in
      do {
        let index = try all.collection.requireFullText()
        let column = try property.map { try all.searched($0, index) }
        let pattern = FullTextIndex.pattern(text, match)
        query.search(index, pattern, in: column, of: all.collection.table)
      } catch { query.fail(error) }
    }
  }
}

extension QueryBuilder {
  /// Returns the query ordered by relevance for its last ``Filterable/matching(_:_:in:)``,
  /// best first.
  ///
  /// It is applied after the query's other orders.
  ///
  /// Requires FTS5, which SQLCipher 3 and that of Ubuntu 24.04 lack: there, the query throws when
  /// it is executed.
  public func orderByRelevance() -> QueryBuilder<Document> {
    with { query in
      do {
        guard FullTextIndex.isFTS5 else {
          throw DocumentError(
            "this SQLCipher can't order by relevance, which requires FTS5",
            hint: "Install a libsqlcipher 4 with FTS5.")
        }
        try query.orderByRelevance()
      } catch { query.fail(error) }
    }
  }

  fileprivate func searched(
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
  /// Rebuilds the full-text index.
  ///
  /// This is only needed after SQL has changed documents by `REPLACE` or `OR REPLACE`, which SQLite
  /// does without firing the triggers that maintain the index. The methods of collections delete
  /// the documents that they replace.
  /// - Throws: ``DocumentError`` if the type declares no full text.
  public func rebuildFullText() throws {
    let sql = try rebuildingSQL()
    try writing { try $0.execute(sql: sql) }
  }

  /// Rebuilds the full-text index on another thread.
  ///
  /// - Throws: The errors of the synchronous form.
  public func rebuildFullText() async throws {
    let sql = try rebuildingSQL()
    try await access.writer.write { try $0.execute(sql: sql) }
  }

  private func rebuildingSQL() throws -> String {
    let table = try requireFullText().tableName.quotedDatabaseIdentifier
    return "INSERT INTO \(table)(\(table)) VALUES ('rebuild')"
  }

  fileprivate func requireFullText() throws -> FullTextIndex {
    if let index = schema.fullText { return index }
    throw DocumentError(
      "\(Document.self) has no property that can be searched as full text",
      hint: "Conform it to MigratingDocument, with .fullText(…) among its rules.")
  }
}
