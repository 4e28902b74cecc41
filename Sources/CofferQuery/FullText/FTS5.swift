import CofferCore

/// The full-text engine FTS5.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "book" USING fts5(title, body, tokenize='''porter''')
/// try db.create(virtualTable: "book", using: FTS5()) { t in
///   t.tokenizer = .porter()
///   t.column("title")
///   t.column("body")
/// }
/// ```
///
/// Needs SQLCipher 4; with SQLCipher 3, use ``FTS4``. <https://sqlite.org/fts5.html>
public struct FTS5: Sendable {
  /// The treatment of diacritics of Latin letters by a tokenizer.
  public enum Diacritics: Hashable, Sendable {
    /// "é" and "e" are different letters.
    case keep
    /// "é" matches "e", except for letters with several diacritics; the default.
    case removeLegacy
    /// "é" matches "e", with any number of diacritics. Needs SQLite 3.27.
    case remove
  }

  /// Creates the module.
  public init() {}

  /// Returns the C API of FTS5 for extensions, such as ranking functions.
  ///
  /// <https://sqlite.org/fts5.html#extending_fts5>
  /// - Precondition: SQLite has FTS5, and the connection is open.
  @safe public static func api(_ db: Database) -> SQLiteFTS5API {
    guard let api = db.fts5API else {
      preconditionFailure("FTS5 needs an open connection, and SQLCipher 4 with FTS5 built in.")
    }
    return unsafe api
  }

  /// Throws if this SQLite has no FTS5.
  static func require() throws {
    let features = SQLiteFeatures.linked
    try features.require(features.canHaveFTS5, "FTS5", "3.20")
    guard !features.hasFTS5 else { return }
    throw DatabaseError(
      resultCode: .SQLITE_ERROR, message: "no such module: fts5",
      hint: "This SQLCipher is built without FTS5, like that of Ubuntu 24.04. Use FTS4, or install "
        + "another libsqlcipher.")
  }
}

extension FTS5: VirtualTableModule, VirtualTableRequirements {
  /// `fts5`
  public var moduleName: String { "fts5" }

  /// Returns an empty definition.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS5TableDefinition {
    FTS5TableDefinition(configuration: configuration)
  }

  /// Returns the columns, the tokenizer and the options.
  public func moduleArguments(
    for definition: FTS5TableDefinition, in db: Database
  ) throws -> [String] {
    var arguments = definition.columns.map { column in
      column.name.fullTextColumnName + (column.isIndexed ? "" : " UNINDEXED")
    }
    if let tokenizer = definition.tokenizer {
      arguments.append("tokenize=\(try tokenizer.sql.quotedSQLString)")
    }
    if let content = definition.content {
      arguments.append("content=\(content.quotedSQLString)")
      if let rowID = try definition.contentRowIDColumn(db) {
        arguments.append("content_rowid=\(rowID.quotedSQLString)")
      }
    }
    if let prefixes = definition.prefixes {
      let sizes = prefixes.sorted().map { "\($0)" }.joined(separator: " ")
      arguments.append("prefix='\(sizes)'")
    }
    if let columnSize = definition.columnSize { arguments.append("columnSize=\(columnSize)") }
    if let detail = definition.detail { arguments.append("detail=\(try Self.checked(detail))") }
    return arguments
  }

  private static func checked(_ detail: String) throws -> String {
    guard ["full", "column", "none"].contains(detail.lowercased()) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "not a value of the detail option: \(detail)",
        hint: "It is full, column or none.")
    }
    return detail
  }

  /// Creates the triggers of a synchronized table and indexes the existing content.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
  ) throws {
    guard definition.isSynchronized, let contentTable = definition.content else { return }
    try FullTextSynchronization(
      engine: .fts5, tableName: tableName, contentTable: contentTable,
      columns: definition.columns.map(\.name),
      rowID: try definition.contentRowIDColumn(db) ?? "rowid"
    ).start(db, keepingExisting: definition.configuration.ifNotExists)
  }

  func requireFeatures(for definition: FTS5TableDefinition) throws {
    try FTS5.require()
    try definition.tokenizer?.requireFeatures()
  }
}

extension Database {
  /// Drops the triggers of an FTS5 table that was synchronized with another table.
  ///
  /// ``drop(table:)`` does it. Call it after dropping the full-text table in SQL: the triggers
  /// remain, and would make all changes of the content table fail.
  ///
  /// ```swift
  /// try db.execute(sql: "DROP TABLE book_ft")
  /// try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
  /// ```
  ///
  /// - Parameter tableName: The name of the full-text table.
  public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
    try dropSynchronization(of: tableName)
  }
}
