import Coffer
import CofferTestSupport
import Testing

@testable import CofferCore

/// Storing records, and the statements that are executed.
@Suite struct PersistenceProgramTests {
  private typealias Author = Library.Author

  private static let schema =
    Library.schema + """
      CREATE TABLE log (line TEXT);
      CREATE TABLE member (id INTEGER PRIMARY KEY, eMail TEXT UNIQUE, aGe INTEGER);
      """

  private func run<T>(_ body: (Database) throws -> T) throws -> (T, [String]) {
    try RequestDatabase(Self.schema).run(body)
  }

  @Test func `save updates, and inserts where nothing was updated`() throws {
    let (_, sql) = try run { db throws in
      var author = Author(id: nil, name: "Ovid", country: nil)
      try author.save(db)
      #expect(author.id == 4)
      author.country = "RO"
      try author.save(db)
      try author.delete(db)
      try author.save(db)
      #expect(try author.exists(db))
      #expect(author.id == 4)
    }
    #expect(
      sql == [
        #"INSERT INTO "author" ("id", "name", "country") VALUES (NULL,'Ovid',NULL)"#,
        #"UPDATE "author" SET "name"='Ovid', "country"='RO' WHERE "id"=4"#,
        #"DELETE FROM "author" WHERE "id"=4"#,
        #"UPDATE "author" SET "name"='Ovid', "country"='RO' WHERE "id"=4"#,
        #"INSERT INTO "author" ("id", "name", "country") VALUES (4,'Ovid','RO')"#,
        #"SELECT EXISTS (SELECT * FROM "author" WHERE "id"=4)"#,
      ])
  }

  private struct Member: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
      insert: .ignore, update: .ignore)

    var ID: Int64?
    var email: String?
    var age: Int?

    mutating func didInsert(_ inserted: InsertionSuccess) { ID = inserted.rowID }
  }

  @Test func `save with ignored conflicts takes two statements`() throws {
    let (_, sql) = try run { db throws in
      var member = Member(ID: 1, email: "a", age: 1)
      try member.insert(db)
      member = Member(ID: 2, email: "b", age: 2)
      try member.insert(db)
      member.email = "a"
      try member.save(db)
      #expect(try Member.fetchAll(db).map(\.email) == ["a", "b"])
      #expect(throws: RecordError.self) { try member.update(db) }
    }
    #expect(
      sql[2...3] == [
        #"UPDATE OR IGNORE "member" SET "eMail"='a', "aGe"=2 WHERE "id"=2"#,
        #"INSERT OR IGNORE INTO "member" ("ID", "email", "age") VALUES (2,'a',2)"#,
      ])
  }

  @Test func `changes are those of what both records have, in either case`() throws {
    struct Wide: Codable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "member"
      var id: Int64
      var email: String?
      var AGE: Int?
      var note: String?
    }
    struct Narrow: Codable, PersistableRecord {
      static let databaseTableName = "member"
      var Id: Int64
      var EMAIL: String?
    }
    let (_, sql) = try run { db throws in
      let wide = Wide(id: 1, email: "x", AGE: 3)
      #expect(try wide.databaseChanges(from: Narrow(Id: 1, EMAIL: "x")) == ["AGE": .null])
      #expect(try Narrow(Id: 1, EMAIL: "x").databaseChanges(from: wide).isEmpty)
      try Narrow(Id: 1, EMAIL: "x").insert(db)
      #expect(try wide.updateChanges(db, from: Narrow(Id: 1, EMAIL: "x")))
      #expect(try !wide.updateChanges(db, from: wide))
      #expect(try Narrow(Id: 1, EMAIL: "y").updateChanges(db, from: wide))
      #expect(!wide.databaseEquals(Wide(id: 1, email: "y", AGE: 3)))
    }
    #expect(
      sql == [
        #"INSERT INTO "member" ("Id", "EMAIL") VALUES (1,'x')"#,
        #"UPDATE "member" SET "aGe"=3 WHERE "id"=1"#,
        #"UPDATE "member" SET "eMail"='y' WHERE "id"=1"#,
      ])
  }

  @Test func `tables without a key have the rowid, if the record does`() throws {
    struct Line: Codable, FetchableRecord, MutablePersistableRecord {
      static let databaseTableName = "log"
      static var databaseSelection: [any SQLSelectable] { [AllColumns(), Column.rowID] }
      var rowid: Int64?
      var line: String
      mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
    }
    struct Bare: Codable, PersistableRecord {
      static let databaseTableName = "log"
      var line: String
    }
    try EncryptedQueue.with(Self.schema) { db throws in
      var first = Line(line: "one")
      var second = Line(line: "two")
      try first.insert(db)
      try second.insert(db)
      try Bare(line: "three").insert(db)
      #expect(try first.delete(db))
      #expect(try !first.delete(db))
      second.line = "zwei"
      try second.update(db)
      #expect(try Line.fetchAll(db).map(\.line) == ["zwei", "three"])
      #expect(try Line.fetchOne(db, key: 2)?.rowid == 2)
      #expect(try !Bare(line: "three").delete(db))
      #expect(throws: RecordError.self) { try Bare(line: "three").update(db) }
      #expect(try Line.fetchCount(db) == 2)
    }
  }

  @Test func `an error about a missing row has table and key, without values in its text`() throws {
    try EncryptedQueue.with(Library.schema) { db throws in
      let author = Author(id: 99, name: "secret", country: nil)
      do {
        try author.update(db)
        Issue.record("nothing was thrown")
      } catch RecordError.recordNotFound(let table, let key) {
        #expect(table == "author")
        #expect(key == ["id": 99.databaseValue])
      }
      let error = #expect(throws: RecordError.self) { try Author.find(db, id: 99) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("author") && text.contains("id"))
      #expect(!text.contains("99"))
    }
  }

  @Test func `classes are records`() throws {
    try EncryptedQueue.with(Library.schema) { db throws in
      let publisher = Library.Publisher(id: 9, name: "Reclam")
      try publisher.insert(db)
      try Library.Book(id: 9, authorId: 3, publisherId: 9, title: "Oden", year: -600).insert(db)
      let request = Library.Publisher.including(all: Library.Publisher.books.filter { $0.year < 0 })
        .filter { $0.name == "Reclam" }
      struct Info: Decodable, FetchableRecord {
        var publisher: Library.Publisher
        var books: [Library.Book]
      }
      let info = try #require(try Info.fetchOne(db, request))
      #expect(info.publisher.name == "Reclam")
      #expect(info.books.map(\.title) == ["Oden"])
      #expect(try publisher.request(for: Library.Publisher.books).fetchCount(db) == 1)
      #expect(try publisher.request(for: Library.Publisher.books).deleteAll(db) == 1)
      #expect(try publisher.delete(db))
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasReturning))
  func `upserts keep what they are told to`() throws {
    let (_, sql) = try run { db throws in
      var author = Author(id: 1, name: "Doris", country: nil)
      let upserted = try author.upsertAndFetch(db, onConflict: ["id"]) { excluded in
        [
          Author.Columns.name.set(to: excluded[Author.Columns.name]),
          Author.Columns.country.noOverwrite,
        ]
      }
      #expect(upserted == Author(id: 1, name: "Doris", country: "GB"))
    }
    #expect(
      sql == [
        """
        INSERT INTO "author" ("id", "name", "country") VALUES (1,'Doris',NULL) \
        ON CONFLICT("id") DO UPDATE SET "name" = "excluded"."name" RETURNING *, "rowid"
        """
      ])
  }
}
