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

  /// Creates a pattern that is known to be valid.
  public init(_valid rawPattern: String) { self.rawPattern = rawPattern }

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
    self.rawPattern = rawPattern
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
