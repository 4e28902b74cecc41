import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Migration of full text")
struct FullTextMigrationTests {
  /// The same collection in several versions of a program.
  private enum V1 {
    struct Note: Codable, CustomCollectionName {
      static let collectionName = "Note"
      var title: String, text: String, old: String? = nil
    }
  }

  private enum V2 {
    struct Note: Codable, CustomCollectionName, MigratingDocument {
      static let collectionName = "Note"
      var title: String, text: String
      static var migrationRules: [MigrationRule<Note>] { [.fullText(\.title)] }
    }
  }

  private enum V3 {
    struct Note: Codable, CustomCollectionName, MigratingDocument {
      static let collectionName = "Note"
      var heading: String, text: String
      static var migrationRules: [MigrationRule<Note>] {
        [.fullText(\.text, \.heading), .renamed("title", to: \.heading)]
      }
    }
  }

  private enum V4 {
    struct Note: Codable, CustomCollectionName, MigratingDocument {
      static let collectionName = "Note"
      var title: String, text: String
      static var migrationRules: [MigrationRule<Note>] { [.renamed("heading", to: \.title)] }
    }
  }

  private func tables(_ store: EncryptedStore) throws -> [String] {
    try store.database.writer.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master
          WHERE (type = 'trigger' OR name LIKE '%fulltext') AND name LIKE '%Note%' ORDER BY name
          """)
    }
  }

  private func integrity(_ store: EncryptedStore) throws -> String? {
    // SQLite 3.44 can't check FTS4 on a connection that only reads.
    try store.database.writer.write { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `existing documents are searched, and a changed rule rebuilds or drops the index`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let store = try EncryptedStore(kind)
    try store.store.collection(V1.Note.self).insert([
      V1.Note(title: "one", text: "whale"), V1.Note(title: "two", text: "fish"),
    ])
    #expect(try tables(store) == [])

    let second = try store.again().collection(V2.Note.self)
    #expect(try second.matching("one").fetchMany(\.text) == ["whale"])
    #expect(try second.matching("whale").fetchCount() == 0)
    try second.insert(V2.Note(title: "three", text: "bird"))
    #expect(try second.matching("three").fetchCount() == 1)
    #expect(try integrity(store) == "ok")

    let third = try store.again().collection(V3.Note.self)
    #expect(try third.matching("whale one").fetchMany(\.heading) == ["one"])
    #expect(try third.matching("bird", in: \.text).fetchMany(\.heading) == ["three"])
    #expect(try third.matching("bird", in: \.heading).fetchCount() == 0)

    let fourth = try store.again().collection(V4.Note.self)
    #expect(try tables(store) == [])
    try fourth.insert(V4.Note(title: "four", text: "cat"))
    #expect(try fourth.filter(\.title, equalTo: "four").fetchCount() == 1)
    #expect(try integrity(store) == "ok")
  }

  @Test func `a table that is current isn't migrated again`() throws {
    let store = try EncryptedStore(.pool)
    let notes = try store.store.collection(V2.Note.self)
    let version = { () throws -> Int? in
      try store.database.writer.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }
    let before = try version()
    try notes.migrate()
    _ = try store.again().collection(V2.Note.self)
    #expect(try version() == before)
  }

  @Test func `columns are dropped from a table with full text`() throws {
    let store = try EncryptedStore()
    try store.store.collection(V1.Note.self).insert([V1.Note(title: "one", text: "a", old: "x")])
    _ = try store.again().collection(V2.Note.self)
    let notes = try store.again(autoDropColumns: true).collection(V2.Note.self)
    #expect(try !store.columns("Note").contains("old"))
    #expect(try notes.matching("one").fetchMany(\.text) == ["a"])
    try notes.insert(V2.Note(title: "two", text: "b"))
    #expect(try notes.matching("two").fetchMany(\.text) == ["b"])
    _ = try store.again(autoDropColumns: true).collection(V2.Note.self)
    #expect(try notes.matching("one").fetchCount() == 1)
    #expect(try integrity(store) == "ok")
  }

  @Test func `lost triggers are created again, and the index with them`() throws {
    let store = try EncryptedStore()
    let notes = try store.store.collection(V2.Note.self)
    for name in try tables(store) where name.hasPrefix("__") {
      try store.store.execute("DROP TRIGGER \(name: name)")
    }
    try notes.insert(V2.Note(title: "unseen", text: ""))
    #expect(try notes.matching("unseen").fetchCount() == 0)
    try notes.migrate()
    #expect(try notes.matching("unseen").fetchCount() == 1)
  }

  @Test func `a table that has a primary key keeps it`() throws {
    let store = try EncryptedStore(
      .queue,
      "CREATE TABLE Note (title TEXT PRIMARY KEY, text TEXT); INSERT INTO Note VALUES ('a', 'b')")
    let notes = try store.store.collection(V2.Note.self)
    #expect(try store.columns("Note") == ["title", "text"])
    #expect(try notes.matching("a").fetchMany(\.text) == ["b"])
  }

  @Test func `a migration that fails leaves the table as it was`() throws {
    let store = try EncryptedStore(
      .queue, "CREATE VIEW Note AS SELECT 'a' AS title, 'b' AS text")
    #expect(documentError { try store.store.collection(V2.Note.self) } != nil)
    #expect(try tables(store) == [])
  }

  @Test(.timeLimit(.minutes(15))) func `readers of a pool see the new definition`() throws {
    let store = try EncryptedStore(.pool)
    try store.store.collection(V1.Note.self).insert([V1.Note(title: "one", text: "a")])
    _ = try store.store.collection(V1.Note.self).all().fetchMany()
    let notes = try store.again().collection(V2.Note.self)
    for _ in 0..<20 { #expect(try notes.matching("one").fetchMany().count == 1) }
  }

  @Test(.enabled(if: !SQLiteFeatures.linked.hasFTS5))
  func `full text of a newer SQLCipher is an error that says so`() throws {
    let store = try EncryptedStore()
    _ = try store.store.collection(V2.Note.self)
    try store.database.writer.write { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'USING fts4(', 'USING fts5(')
          WHERE name = 'Note-fulltext';
          PRAGMA writable_schema = OFF;
          """)
    }
    let error = documentError { try store.again().collection(V2.Note.self) }
    #expect(error?.contains("libsqlcipher 4") == true)
  }

  @Test func `the index is built anew, asynchronously too`() async throws {
    let store = try EncryptedStore()
    let notes = try await store.store.collection(V2.Note.self)
    try await notes.insert(V2.Note(title: "one", text: "a"))
    try await notes.rebuildFullText()
    #expect(try await notes.matching("one").fetchCount() == 1)
  }
}
