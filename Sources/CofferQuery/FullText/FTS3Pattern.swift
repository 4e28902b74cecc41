import CofferCore

/// What to search in an ``FTS3`` or ``FTS4`` table.
///
/// The failable initializers take any text, such as what a user has typed, and
/// give patterns that are always valid; nil where the text has no words.
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

  /// A pattern in FTS3's syntax, for those who know it.
  ///
  /// <https://sqlite.org/fts3.html#full_text_index_queries>
  /// - Throws: SQLite's error, which quotes the pattern, where it isn't valid.
  public init(rawPattern: String) throws {
    // SQLite itself decides, when it begins a search.
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

  /// Matches texts with at least one of the words.
  public init?(matchingAnyTokenIn string: String) {
    self.init(string) { $0.joined(separator: " OR ") }
  }

  /// Matches texts with all of the words, in any order.
  public init?(matchingAllTokensIn string: String) {
    self.init(string) { $0.joined(separator: " ") }
  }

  /// Matches texts with words that begin with these, all of them, in any order.
  public init?(matchingAllPrefixesIn string: String) {
    self.init(string) { tokens in tokens.map { $0 + "*" }.joined(separator: " ") }
  }

  /// Matches texts with the words one after the other.
  public init?(matchingPhrase string: String) {
    self.init(string) { "\"" + $0.joined(separator: " ") + "\"" }
  }
}

extension FTS3Pattern: DatabaseValueConvertible {
  /// The raw pattern.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// A valid pattern; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
  }
}

extension DatabaseError {
  /// The error without the SQL of the library's own, and its arguments.
  var withoutStatement: DatabaseError {
    DatabaseError(resultCode: extendedResultCode, message: message)
  }
}
