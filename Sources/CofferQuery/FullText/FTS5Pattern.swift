import CofferCore

/// A search pattern for an ``FTS5`` table.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "mob dic")
/// let books = try Row.fetchAll(
///   db, sql: "SELECT * FROM book WHERE book MATCH ? ORDER BY rank", arguments: [pattern])
/// ```
public struct FTS5Pattern: FullTextPattern {
  /// The pattern in FTS5's syntax.
  public let rawPattern: String

  /// The pattern as it is searched.
  private let searched: String

  /// Creates a pattern that is known to be valid.
  public init(_valid rawPattern: String) {
    self.rawPattern = rawPattern
    searched = rawPattern
  }

  /// Creates a pattern for texts with all of the words, in any order.
  ///
  /// The trigram tokenizer finds no word of fewer than three characters. FTS5 would leave it out,
  /// and find texts without it; with this pattern, it finds none.
  public init?(matchingAllTokensIn string: String) { self.init(allIn: string, suffix: "") }

  /// Creates a pattern for texts with a word for each of these prefixes, in any order.
  ///
  /// With the trigram tokenizer, a prefix of fewer than three characters is in no text, as in
  /// ``init(matchingAllTokensIn:)``.
  public init?(matchingAllPrefixesIn string: String) { self.init(allIn: string, suffix: "*") }

  private init?(allIn string: String, suffix: String) {
    let tokens = asciiTokens(string)
    let pattern = tokens.map { $0 + suffix }.joined(separator: " ")
    let words = tokens.filter { $0.contains(where: \.isLetterOrDigit) }
    // Without an operator, FTS5 leaves out what its tokenizer finds no words in. That is right for
    // symbols only.
    let hasShortWord = words.contains { $0.count < 3 }
    if tokens.isEmpty { return nil }
    rawPattern = pattern
    searched =
      hasShortWord ? words.map { $0 + suffix }.joined(separator: " AND ") : pattern
  }

  /// The pattern as a value for `MATCH`.
  public var databaseValue: DatabaseValue { searched.databaseValue }

  /// Creates a pattern from FTS5's query syntax.
  ///
  /// <https://sqlite.org/fts5.html#full_text_query_syntax>
  /// - Parameter allowedColumns: The columns that the pattern can name.
  /// - Throws: SQLite's error, which quotes the pattern, if it is invalid.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    try FTS5.require()
    let columns = allowedColumns.isEmpty ? ["coffer_no_column"] : allowedColumns
    try validate(rawPattern) { db in
      try db.create(virtualTable: "document", using: FTS5()) { t in
        for column in columns { t.column(column) }
      }
    }
    self.init(_valid: rawPattern)
  }

  /// Creates a pattern for texts that begin with the words in sequence.
  public init?(matchingPrefixPhrase string: String) {
    self.init(string) { "^\"" + $0.joined(separator: " ") + "\"" }
  }

  /// Returns a valid pattern that names no column; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
  }
}

// The pattern as it is searched follows from what the pattern was made of.
extension FTS5Pattern {
  /// Whether the patterns are the same in FTS5's syntax.
  public static func == (lhs: FTS5Pattern, rhs: FTS5Pattern) -> Bool {
    lhs.rawPattern == rhs.rawPattern
  }

  /// Hashes the pattern in FTS5's syntax.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawPattern) }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isLetter || isNumber }
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
