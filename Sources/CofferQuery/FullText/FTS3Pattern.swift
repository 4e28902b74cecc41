import CofferCore

/// A search pattern for an ``FTS3`` or ``FTS4`` table.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Row.fetchAll(
///   db, sql: "SELECT * FROM document WHERE document MATCH ?", arguments: [pattern])
/// ```
public struct FTS3Pattern: FullTextPattern {
  /// The pattern in FTS3's syntax.
  public let rawPattern: String

  /// Creates a pattern that is known to be valid.
  public init(_valid rawPattern: String) { self.rawPattern = rawPattern }

  /// Creates a pattern from FTS3's query syntax.
  ///
  /// <https://sqlite.org/fts3.html#full_text_index_queries>
  /// - Throws: SQLite's error, which quotes the pattern, if it is invalid.
  public init(rawPattern: String) throws {
    try validate(rawPattern) { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts3(content)")
    }
    self.rawPattern = rawPattern
  }

  /// Returns a valid pattern; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
  }
}
