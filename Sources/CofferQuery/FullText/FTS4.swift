import CofferCore

/// The full-text engine FTS4.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "book" USING fts4(title, body, tokenize=unicode61)
/// try db.create(virtualTable: "book", using: FTS4()) { t in
///   t.tokenizer = .unicode61()
///   t.column("title")
///   t.column("body")
/// }
/// ```
///
/// Available in both generations of SQLCipher. <https://sqlite.org/fts3.html>
public struct FTS4: Sendable {
  /// Creates the module.
  public init() {}
}

extension FTS4: VirtualTableModule, VirtualTableRequirements {
  /// `fts4`
  public var moduleName: String { "fts4" }

  /// Returns an empty definition.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS4TableDefinition {
    FTS4TableDefinition(configuration: configuration)
  }

  /// Returns the columns, the tokenizer and the options.
  public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
    var arguments: [String] = []
    for column in definition.columns {
      if column.isLanguageID {
        arguments.append("languageid=\(column.name.quotedDatabaseIdentifier)")
      } else {
        arguments.append(column.name.fullTextColumnName)
        if !column.isIndexed { arguments.append("notindexed=\(column.name.fullTextColumnName)") }
      }
    }
    if let tokenizer = definition.tokenizer { arguments.append("tokenize=\(tokenizer.sql)") }
    let options = [
      ("content", definition.content), ("compress", definition.compress),
      ("uncompress", definition.uncompress), ("matchinfo", definition.matchinfo),
    ]
    for case (let name, let value?) in options {
      arguments.append("\(name)=\(value.quotedDatabaseIdentifier)")
    }
    if let prefixes = definition.prefixes {
      let sizes = prefixes.sorted().map { "\($0)" }.joined(separator: ",")
      arguments.append("prefix=\"\(sizes)\"")
    }
    return arguments
  }

  /// Creates the triggers of a synchronized table and indexes the existing content.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
  ) throws {
    guard case .synchronized(let contentTable) = definition.contentMode else { return }
    try FullTextSynchronization(
      engine: .fts4, tableName: tableName, contentTable: contentTable,
      columns: definition.columns.map(\.name),
      rowID: try db.fullTextRowIDColumn(of: contentTable) ?? "rowid"
    ).start(db, keepingExisting: definition.configuration.ifNotExists)
  }

  func requireFeatures(for definition: FTS4TableDefinition) throws {
    try definition.tokenizer?.requireFeatures()
  }
}

extension Database {
  /// Drops the triggers of an FTS4 table that was synchronized with another table.
  ///
  /// ``drop(table:)`` does it. Call it after dropping the full-text table in SQL: the triggers
  /// remain, and would make all changes of the content table fail.
  ///
  /// ```swift
  /// try db.execute(sql: "DROP TABLE book_ft")
  /// try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
  /// ```
  ///
  /// - Parameter tableName: The name of the full-text table.
  public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
    try dropSynchronization(of: tableName)
  }
}
