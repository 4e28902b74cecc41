import CofferCore

/// A search pattern for an ``FTS3`` or ``FTS4`` table.
///
/// The failable initializers accept any text, such as user input, and always give valid patterns;
/// nil if the text contains no words.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Row.fetchAll(
///   db, sql: "SELECT * FROM document WHERE document MATCH ?", arguments: [pattern])
/// ```
public struct FTS3Pattern: Sendable, Hashable {
  /// The pattern in FTS3's syntax.
  public let rawPattern: String

  private init(valid rawPattern: String) { self.rawPattern = rawPattern }

  private init?(_ string: String, _ makePattern: ([String]) -> String) {
    let tokens = asciiTokens(string)
    if tokens.isEmpty { return nil }
    rawPattern = makePattern(tokens)
  }

  /// Creates a pattern from FTS3's query syntax.
  ///
  /// <https://sqlite.org/fts3.html#full_text_index_queries>
  /// - Throws: SQLite's error, which quotes the pattern, if it is invalid.
  public init(rawPattern: String) throws {
    // SQLite validates the pattern when a search begins.
    do {
      try withScratchDatabase { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts3(content)")
        _ = try Row.fetchOne(
          db, sql: "SELECT 1 FROM document WHERE content MATCH ?", arguments: [rawPattern])
      }
    } catch let error as DatabaseError {
      throw error.withoutStatement
    }
    self.init(valid: rawPattern)
  }

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
}

extension FTS3Pattern: DatabaseValueConvertible {
  /// The raw pattern.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns a valid pattern; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
  }
}

extension DatabaseError {
  /// This error without the SQL and the arguments, which are internal.
  var withoutStatement: DatabaseError {
    DatabaseError(resultCode: extendedResultCode, message: message)
  }
}
