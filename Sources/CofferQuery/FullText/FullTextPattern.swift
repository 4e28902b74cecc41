import CofferCore

/// A search pattern for a full-text table: ``FTS3Pattern`` or ``FTS5Pattern``.
///
/// The failable initializers accept any text, such as user input, and always give valid patterns;
/// nil if the text contains no words.
public protocol FullTextPattern: DatabaseValueConvertible, Sendable, Hashable {
  /// The pattern in the engine's syntax.
  var rawPattern: String { get }

  /// Creates a pattern that is known to be valid.
  init(_valid rawPattern: String)
}

extension FullTextPattern {
  /// Creates a pattern for texts with at least one of the words.
  public init?(matchingAnyTokenIn string: String) {
    self.init(string) { $0.joined(separator: " OR ") }
  }

  /// Creates a pattern for texts with all of the words, in any order.
  public init?(matchingAllTokensIn string: String) {
    self.init(string) { $0.joined(separator: " ") }
  }

  /// Creates a pattern for texts with a word for each of these prefixes, in any order.
  public init?(matchingAllPrefixesIn string: String) {
    self.init(string) { tokens in tokens.map { $0 + "*" }.joined(separator: " ") }
  }

  /// Creates a pattern for texts with the words in sequence.
  public init?(matchingPhrase string: String) {
    self.init(string) { "\"" + $0.joined(separator: " ") + "\"" }
  }

  init?(_ string: String, _ makePattern: ([String]) -> String) {
    let tokens = asciiTokens(string)
    if tokens.isEmpty { return nil }
    self.init(_valid: makePattern(tokens))
  }

  /// The raw pattern.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }
}

/// Searches for a pattern in a table in memory: SQLite validates it when a search begins.
func validate(_ rawPattern: String, _ create: (Database) throws -> Void) throws {
  do {
    try withScratchDatabase { db in
      try create(db)
      _ = try Row.fetchOne(
        db, sql: "SELECT 1 FROM document WHERE document MATCH ?", arguments: [rawPattern])
    }
  } catch let error as DatabaseError {
    // The SQL and the arguments are internal.
    throw error.withoutStatement
  }
}
