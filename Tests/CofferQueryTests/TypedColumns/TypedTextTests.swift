import Coffer
import CofferTestSupport
import Testing

@Suite struct TypedTextTests {
  struct Word: Codable, TableRecord {
    var text: String
    var maybe: String?
  }

  private static let words = [
    "", "A", "Ab", "ab", "aB", "a%b", "a_b", "a*b", "a?b", "a[b", "a]b", "[ab]", "é", "éa",
    "e\u{301}", "a\0b", "a\0", "\0", "\0b", "a\0[b", "Éa", "日本", "日本語", "👍🏽", "👍", "a\nb", "100%",
    "it's", "\u{10FFFF}", "a\\b",
  ]

  private func with(_ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with("CREATE TABLE word (text TEXT, maybe TEXT)") { db throws in
      for word in Self.words {
        try db.execute(sql: "INSERT INTO word VALUES (?, NULL)", arguments: [word])
      }
      try body(db)
    }
  }

  /// Swift's answer by scalars, since SQLite doesn't know canonical equivalence.
  private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

  @Test(arguments: words) func `parts of text are found as they are`(part: String) throws {
    let part32 = scalars(part)
    try with { db throws in
      let prefixed = try Word.filter { $0.text.hasPrefix(part) }.select { $0.text }.fetchAll(db)
      #expect(
        prefixed.map(scalars)
          == Self.words.map(scalars).filter { $0.starts(with: part32) })
      let suffixed = try Word.filter { $0.text.hasSuffix(part) }.select { $0.text }.fetchAll(db)
      #expect(
        suffixed.map(scalars)
          == Self.words.map(scalars).filter { $0.reversed().starts(with: part32.reversed()) })
      let holding = try Word.filter { $0.text.contains(part) }.select { $0.text }.fetchAll(db)
      #expect(
        holding.map(scalars)
          == Self.words.map(scalars).filter { word in
            part32.isEmpty
              || word.indices.contains { word[$0...].starts(with: part32) }
          })
    }
  }

  @Test func `NULL has no part, and not no part either`() throws {
    try with { db throws in
      #expect(try Word.filter { $0.maybe.hasPrefix("") }.fetchCount(db) == 0)
      #expect(try Word.filter { !$0.maybe.hasPrefix("a") }.fetchCount(db) == 0)
      #expect(try Word.filter { !$0.maybe.contains("a") }.fetchCount(db) == 0)
    }
  }

  @Test func `text in columns of any affinity and collation is compared byte by byte`() throws {
    let sql = """
      CREATE TABLE word (text DATETIME, maybe TEXT COLLATE NOCASE);
      INSERT INTO word VALUES ('2024-01-02', 'Abc'), ('1999-01-01', 'abc'), ('20', 'x');
      CREATE INDEX i ON word(maybe);
      """
    try EncryptedQueue.with(sql) { db throws in
      let year = try Word.filter { $0.text.hasPrefix("20") }.select { $0.text }.fetchAll(db)
      #expect(year == ["2024-01-02", "20"])
      let cased = try Word.filter { $0.maybe.hasPrefix("A") }.select { $0.maybe }.fetchAll(db)
      #expect(cased == ["Abc"])
      #expect(try Word.filter { $0.maybe.hasSuffix("bc") }.fetchCount(db) == 2)
    }
  }

  @Test func `a prefix is looked up in an index`() throws {
    let sql = """
      CREATE TABLE word (text TEXT, maybe TEXT);
      CREATE INDEX i ON word(text);
      INSERT INTO word VALUES ('Ab', NULL), ('ab', NULL), ('B', NULL);
      """
    try EncryptedQueue.with(sql) { db throws in
      for prefix in ["A", "日本", "a*"] {
        let request = Word.filter { $0.text.hasPrefix(prefix) }
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        let plan = try Row.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: [prefix + "*"])
        #expect(plan.count == 1)
        let detail: String = try #require(plan.first)["detail"]
        #expect(detail.hasPrefix("SEARCH"), "\(detail)")
        #expect(detail.contains("INDEX i (text>? AND text<?)"), "\(detail)")
      }
      #expect(try Word.filter { $0.text.hasPrefix("A") }.fetchCount(db) == 1)
    }
  }

  @Test func `patterns and cases are SQL's and Swift's`() throws {
    try with { db throws in
      let like = try Word.filter { $0.text.like("a_b") }.select { $0.text }.fetchAll(db)
      #expect(like == ["a%b", "a_b", "a*b", "a?b", "a[b", "a]b", "a\nb", "a\\b"])
      let escaped = try Word.filter { $0.text.like("a\\_b", escape: "\\") }
        .select { $0.text }.fetchAll(db)
      #expect(escaped == ["a_b"])
      let glob = try Word.filter { $0.text.glob("[Aa]b") }.select { $0.text }.fetchAll(db)
      #expect(glob == ["Ab", "ab"])
      #expect(try Word.filter { $0.text.lowercased == "éa" }.fetchCount(db) == 2)
      #expect(try Word.filter { $0.text.uppercased == "AB" }.fetchCount(db) == 3)
      let capital: [String?] = try Word.select { $0.maybe.capitalized }.limit(1).fetchAll(db)
      #expect(capital == [nil])
    }
  }
}
