import CofferCore

/// The full-text engine FTS3.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts3(content, tokenize=porter)
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///   t.tokenizer = .porter
///   t.column("content")
/// }
/// ```
///
/// ``FTS4`` is the same engine, faster and with more options; ``FTS5`` also ranks results.
/// <https://sqlite.org/fts3.html>
public struct FTS3: Sendable {
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

  /// Returns the words that a tokenizer finds in a text.
  ///
  /// ```swift
  /// try FTS3.tokenize("SQLite database")                             // ["sqlite", "database"]
  /// try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61())   // ["gustave", "dore"]
  /// ```
  public static func tokenize(
    _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
  ) throws -> [String] {
    try tokenizer.requireFeatures()
    return try withScratchDatabase { db in
      let arguments = [tokenizer.name] + tokenizer.arguments.map(\.quotedDatabaseIdentifier)
      try db.execute(
        sql: "CREATE VIRTUAL TABLE tokens USING fts3tokenize(\(arguments.joined(separator: ", ")))"
      )
      return try String.fetchAll(
        db, sql: "SELECT token FROM tokens WHERE input = ? ORDER BY position",
        arguments: [string])
    }
  }
}

extension FTS3: VirtualTableModule, VirtualTableRequirements {
  /// `fts3`
  public var moduleName: String { "fts3" }

  /// Returns an empty definition.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS3TableDefinition {
    FTS3TableDefinition()
  }

  /// Returns the columns and the tokenizer.
  public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
    definition.columns.map(\.fullTextColumnName) + definition.tokenizerArguments
  }

  /// Does nothing.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition
  ) {}

  func requireFeatures(for definition: FTS3TableDefinition) throws {
    try definition.tokenizer?.requireFeatures()
  }
}

/// The columns and the tokenizer of an ``FTS3`` table.
public final class FTS3TableDefinition {
  var columns: [String] = []

  /// The tokenizer; nil for `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// Adds a column. A table without any gets one named `content`.
  public func column(_ name: String) { columns.append(name) }

  var tokenizerArguments: [String] { tokenizer.map { ["tokenize=\($0.sql)"] } ?? [] }
}

/// Runs `body` in an empty in-memory database, which is deleted afterwards.
func withScratchDatabase<T>(_ body: (Database) throws -> T) throws -> T {
  try DatabaseQueue().inDatabase(body)
}
