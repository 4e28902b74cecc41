@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite struct FullTextRequestTests {
  private struct Book: TableRecord { static let databaseTableName = "book" }

  private func with(_ engine: Engine, _ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE book USING \(engine.rawValue)(title, body)")
      try db.execute(
        sql: """
          INSERT INTO book VALUES ('Moby Dick', 'whale ship sea and a dog'), ('Whale', 'whale'),
          ('Red Mars', 'a planet')
          """)
      try body(db)
    }
  }

  private func rows(_ request: some FetchRequest, _ db: Database) throws -> [String] {
    try Row.fetchAll(db, request).map { $0["title"] }
  }

  private func sql(_ request: some FetchRequest, _ db: Database) throws -> String {
    try request.makePreparedRequest(db, forSingleResult: false).statement.sql
  }

  @Test(arguments: Engine.available)
  func `requests match patterns of either kind`(engine: Engine) throws {
    try with(engine) { db in
      let three = try #require(FTS3Pattern(matchingAllTokensIn: "Whale"))
      let five = try #require(FTS5Pattern(matchingAllTokensIn: "Whale"))
      let requests = [
        Book.matching(three), Book.matching(five), Book.all().matching(three),
        Book.all().matching(five),
      ]
      for request in requests {
        #expect(try sql(request, db) == #"SELECT * FROM "book" WHERE "book" MATCH ?"#)
        #expect(try rows(request, db) == ["Moby Dick", "Whale"])
        #expect(try request.fetchCount(db) == 2)
      }
      let table = Table<Row>("book")
      #expect(try rows(table.matching(three), db) == ["Moby Dick", "Whale"])
      #expect(try rows(table.all().matching(five), db) == ["Moby Dick", "Whale"])
    }
  }

  @Test(arguments: Engine.available)
  func `no pattern matches no row`(engine: Engine) throws {
    try with(engine) { db throws in
      #expect(try rows(Book.matching(FTS3Pattern(matchingAllTokensIn: "?!")), db) == [])
      #expect(try rows(Book.matching(FTS5Pattern(matchingAllTokensIn: "?!")), db) == [])
      #expect(try rows(Table<Row>("book").matching(nil as FTS3Pattern?), db) == [])
      #expect(try Book.matching(nil as FTS5Pattern?).fetchCount(db) == 0)
    }
  }

  @Test(arguments: Engine.available)
  func `a column matches, and conditions are combined`(engine: Engine) throws {
    try with(engine) { db in
      let three = try #require(FTS3Pattern(matchingAllTokensIn: "whale"))
      let five = try #require(FTS5Pattern(matchingAllTokensIn: "whale"))
      let request = Book.filter(Column("title").match(three))
      #expect(try sql(request, db) == #"SELECT * FROM "book" WHERE "title" MATCH ?"#)
      #expect(try rows(request, db) == ["Whale"])
      #expect(try rows(Book.filter(Column("title").match(five)), db) == ["Whale"])
      let both = Book.matching(three).filter(Column("title") == "Moby Dick")
      #expect(try rows(both, db) == ["Moby Dick"])
    }
  }

  @Test(arguments: Engine.available)
  func `a request with an alias matches`(engine: Engine) throws {
    try with(engine) { db in
      let pattern = try #require(FTS3Pattern(matchingAllTokensIn: "planet"))
      let request = Book.aliased(TableAlias(name: "b")).matching(pattern)
      #expect(try rows(request, db) == ["Red Mars"])
    }
  }

  @Test(.enabled(if: hasFTS5)) func `the best match comes first`() throws {
    try with(.fts5) { db throws in
      let pattern = FTS5Pattern(matchingAllTokensIn: "whale")
      let request = Book.matching(pattern).order(Column.rank)
      #expect(
        try sql(request, db) == #"SELECT * FROM "book" WHERE "book" MATCH ? ORDER BY "rank""#)
      #expect(try rows(request, db) == ["Whale", "Moby Dick"])
      #expect(try rows(request.limit(1), db) == ["Whale"])
      #expect(
        try rows(Book.matching(pattern).order(Column.rank.desc), db) == ["Moby Dick", "Whale"])
    }
  }

  // MARK: Tables that a full-text table follows

  private struct Page: TableRecord { static let databaseTableName = "page" }

  @Test(arguments: Engine.available)
  func `a followed table is searched by its full-text table`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE page (title TEXT, body TEXT)") { db throws in
      try engine.create("page_ft", in: db, following: "page", columns: ["title", "body"])
      try db.execute(
        sql: """
          INSERT INTO page VALUES ('Moby Dick', 'whale ship'), ('Whale', 'whale'), ('Mars', 'planet')
          """)
      let pattern = try #require(FTS3Pattern(matchingAllTokensIn: "Whale"))
      #expect(
        try sql(Page.matching(pattern), db)
          == #"SELECT * FROM "page" WHERE "rowid" IN "#
          + #"(SELECT rowid FROM "page_ft" WHERE "page_ft" MATCH ?)"#)
      let ordered = Page.matching(pattern).order(Column("title").desc)
      #expect(try rows(ordered, db) == ["Whale", "Moby Dick"])
      #expect(try Page.matching(pattern).filter(Column("title") == "Whale").fetchCount(db) == 1)
      #expect(try Table<Row>("page").matching(pattern).deleteAll(db) == 2)
      #expect(try rows(Page.matching(pattern), db) == [])
    }
  }

  @Test(arguments: Engine.available)
  func `without one full-text table the error says what to write`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT)") { db throws in
      let pattern = try #require(FTS3Pattern(matchingAllTokensIn: "Whale"))
      let none = databaseError { try rows(Page.matching(pattern), db) }
      #expect(none?.message == "no full-text table has page as its content")
      #expect(none?.hint == #"Create one with synchronize(withTable: "page")."#)
      try engine.create("b", in: db, following: "page", columns: ["title"])
      #expect(try rows(Page.matching(pattern), db) == [])
      try engine.create("a", in: db, following: "page", columns: ["title"])
      let several = databaseError { try rows(Page.matching(pattern), db) }
      #expect(several?.message == "several full-text tables have page as their content: a, b")
      #expect(several?.hint?.contains(#"Table("a").matching(pattern)"#) == true)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasFTS5))
  func `the trigram tokenizer finds no text without a short word`() throws {
    try EncryptedQueue.with { db throws in
      guard try db.hasTokenizer("trigram") else { return }
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE book USING fts5(title, tokenize = 'trigram');
          INSERT INTO book VALUES ('quick fox'), ('quick ok');
          """)
      for text in ["quick ok", "ok quick", "quick ok fox", "ok"] {
        #expect(try rows(Book.matching(FTS5Pattern(matchingAllTokensIn: text)), db) == [])
        #expect(try rows(Book.matching(FTS5Pattern(matchingAllPrefixesIn: text)), db) == [])
      }
      #expect(
        try rows(Book.matching(FTS5Pattern(matchingAllTokensIn: "quick 🐋")), db).count == 2)
      #expect(try rows(Book.matching(FTS5Pattern(matchingAllTokensIn: "fox quick")), db).count == 1)
      // Other tokenizers find them.
      try db.execute(
        sql: """
          DROP TABLE book;
          CREATE VIRTUAL TABLE book USING fts5(title);
          INSERT INTO book VALUES ('quick fox'), ('quick ok 1');
          """)
      for text in ["quick ok", "1 🐋 ok", "q o 1 🐋"] {
        let pattern =
          text.hasPrefix("q o")
          ? FTS5Pattern(matchingAllPrefixesIn: text) : FTS5Pattern(matchingAllTokensIn: text)
        #expect(try rows(Book.matching(pattern), db) == ["quick ok 1"])
      }
    }
  }
}

extension Database {
  fileprivate func hasTokenizer(_ name: String) throws -> Bool {
    do {
      try execute(
        sql: "CREATE VIRTUAL TABLE try USING fts5(a, tokenize = '\(name)'); DROP TABLE try")
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      return false
    }
  }
}
