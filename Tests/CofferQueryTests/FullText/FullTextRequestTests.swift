@testable import CofferCore
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
}
