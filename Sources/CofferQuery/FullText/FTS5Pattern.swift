import CofferCore

/// A search pattern for an ``FTS5`` table.
///
/// The failable initializers accept any text, such as user input, and always give valid patterns;
/// nil if the text contains no words.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "mob dic")
/// let books = try Row.fetchAll(
///   db, sql: "SELECT * FROM book WHERE book MATCH ? ORDER BY rank", arguments: [pattern])
/// ```
public struct FTS5Pattern: Sendable, Hashable {
  /// The pattern in FTS5's syntax.
  public let rawPattern: String

  private init?(_ string: String, _ makePattern: ([String]) -> String) {
    let tokens = asciiTokens(string)
    if tokens.isEmpty { return nil }
    rawPattern = makePattern(tokens)
  }

  /// Creates a pattern from FTS5's query syntax.
  ///
  /// <https://sqlite.org/fts5.html#full_text_query_syntax>
  /// - Parameter allowedColumns: The columns that the pattern can name.
  /// - Throws: SQLite's error, which quotes the pattern, if it is invalid.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    try FTS5.require()
    let columns = allowedColumns.isEmpty ? ["coffer_no_column"] : allowedColumns
    // SQLite validates the pattern when a search begins.
    do {
      try withScratchDatabase { db in
        try db.create(virtualTable: "document", using: FTS5()) { t in
          for column in columns { t.column(column) }
        }
        _ = try Row.fetchOne(
          db, sql: "SELECT 1 FROM document WHERE document MATCH ?", arguments: [rawPattern])
      }
    } catch let error as DatabaseError {
      throw error.withoutStatement
    }
    self.rawPattern = rawPattern
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

  /// Creates a pattern for texts that begin with the words in sequence.
  public init?(matchingPrefixPhrase string: String) {
    self.init(string) { "^\"" + $0.joined(separator: " ") + "\"" }
  }
}

extension FTS5Pattern: DatabaseValueConvertible {
  /// The raw pattern.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns a valid pattern that names no column; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
  }
}

extension Database {
  /// Returns a pattern in FTS5's query syntax that can name the columns of a table.
  ///
  /// ```swift
  /// let pattern = try db.makeFTS5Pattern(rawPattern: "title: moby OR whale", forTable: "book")
  /// ```
  ///
  /// - Throws: SQLite's error, which quotes the pattern, if it is invalid.
  public func makeFTS5Pattern(
    rawPattern: String, forTable table: String
  ) throws -> FTS5Pattern {
    try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columnNames(in: table))
  }
}
