import CofferCore

/// What to search in an ``FTS5`` table.
///
/// The failable initializers take any text, such as what a user has typed, and
/// give patterns that are always valid; nil where the text has no words.
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

  /// A pattern in FTS5's syntax, for those who know it.
  ///
  /// <https://sqlite.org/fts5.html#full_text_query_syntax>
  /// - Parameter allowedColumns: The columns that the pattern may name.
  /// - Throws: SQLite's error, which quotes the pattern, where it isn't valid.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    try FTS5.require()
    let columns = allowedColumns.isEmpty ? ["coffer_no_column"] : allowedColumns
    // SQLite itself decides, when it begins a search.
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

  /// Matches texts that begin with the words, one after the other.
  public init?(matchingPrefixPhrase string: String) {
    self.init(string) { "^\"" + $0.joined(separator: " ") + "\"" }
  }
}

extension FTS5Pattern: DatabaseValueConvertible {
  /// The raw pattern.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// A valid pattern that names no column; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
  }
}

extension Database {
  /// A pattern in FTS5's syntax that may name the columns of a table.
  ///
  /// ```swift
  /// let pattern = try db.makeFTS5Pattern(rawPattern: "title: moby OR whale", forTable: "book")
  /// ```
  ///
  /// - Throws: SQLite's error, which quotes the pattern, where it isn't valid.
  public func makeFTS5Pattern(
    rawPattern: String, forTable table: String
  ) throws -> FTS5Pattern {
    try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columnNames(in: table))
  }
}
