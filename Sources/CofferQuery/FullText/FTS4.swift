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
/// Both generations of SQLCipher have it. <https://sqlite.org/fts3.html>
public struct FTS4: Sendable {
  /// FTS4.
  public init() {}
}

extension FTS4: VirtualTableModule, VirtualTableRequirements {
  /// `fts4`
  public var moduleName: String { "fts4" }

  /// An empty definition.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS4TableDefinition {
    FTS4TableDefinition(configuration: configuration)
  }

  /// The columns, the tokenizer and the options.
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

  /// Creates the triggers of a synchronized table, and indexes what its content holds.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
  ) throws {
    guard case .synchronized(let contentTable) = definition.contentMode else { return }
    let synchronization = Database.FullTextSynchronization(
      tableName: tableName, contentTable: contentTable, columns: definition.columns.map(\.name),
      rowID: try db.fullTextRowIDColumn(of: contentTable) ?? "rowid",
      ifNotExists: definition.configuration.ifNotExists)
    for trigger in FTS4.triggers(synchronization) { try db.execute(sql: trigger) }
    try db.rebuildFullTextTable(tableName)
  }

  /// FTS4 reads the old content itself to remove it from the index: that must
  /// happen while the content table still has it.
  private static func triggers(_ synchronization: Database.FullTextSynchronization) -> [String] {
    let table = synchronization.tableName.quotedDatabaseIdentifier
    let columns = (["docid"] + synchronization.columns)
      .map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let deletion =
      "DELETE FROM \(table) WHERE docid=old.\(synchronization.rowID.quotedDatabaseIdentifier)"
    let insertion =
      "INSERT INTO \(table)(\(columns)) VALUES(\(synchronization.values(of: "new")))"
    return [
      synchronization.trigger("bu", "BEFORE UPDATE", [deletion]),
      synchronization.trigger("bd", "BEFORE DELETE", [deletion]),
      synchronization.trigger("au", "AFTER UPDATE", [insertion]),
      synchronization.trigger("ai", "AFTER INSERT", [insertion]),
    ]
  }

  func requireFeatures(for definition: FTS4TableDefinition) throws {
    try definition.tokenizer?.requireFeatures()
  }
}

extension Database {
  /// Drops the triggers of an FTS4 table that was synchronized with another one.
  ///
  /// Call it when the full-text table is dropped: the triggers stay behind, and
  /// all changes of the content table would fail.
  ///
  /// ```swift
  /// try db.execute(sql: "DROP TABLE book_ft")
  /// try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
  /// ```
  ///
  /// - Parameter tableName: The name of the full-text table.
  public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
    try dropSynchronizationTriggers(of: tableName, ["ai", "au", "bd", "bu"])
  }
}
