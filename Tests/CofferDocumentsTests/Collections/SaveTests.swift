import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Saving documents deletes no other ones") struct SaveTests {
  fileprivate struct Handle: Codable, Identifiable, Equatable, MigratingDocument {
    var id: Int
    @Unique var handle: String
    var text = ""

    static var migrationRules: [MigrationRule<Handle>] { [.fullText(\.text)] }
  }

  fileprivate struct Note: Codable, Identifiable, Equatable, MigratingDocument {
    var id: Int
    var handle: Int

    static var migrationRules: [MigrationRule<Note>] {
      [.references(\.handle, Plain.self, onDelete: .cascade)]
    }
  }

  fileprivate struct Plain: Codable, Identifiable, Equatable {
    var id: Int
    @Unique var handle: String
  }

  fileprivate struct Loose: Codable, Equatable {
    var name: String
    @Unique var code: Int
  }

  fileprivate struct Folded: Codable, Identifiable, Equatable {
    @CollateCaseInsensitive var id: String
    @Unique var handle: String
  }

  private let encrypted: EncryptedStore

  init() throws { encrypted = try EncryptedStore() }

  private func isRefused(_ body: () throws -> Void) -> Bool {
    databaseError(body)?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
  }

  @Test func `another document's unique value is an error, and nothing is deleted`() throws {
    let plain = try encrypted.store.collection(Plain.self)
    let notes = try encrypted.store.collection(Note.self)
    let before = [Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b")]
    try plain.insert(before)
    try notes.insert([Note(id: 7, handle: 1), Note(id: 8, handle: 2)])
    let ways: [() throws -> Void] = [
      { try plain.save(Plain(id: 1, handle: "b")) },
      { try plain.save(Plain(id: 3, handle: "b")) },
      { try plain.save([Plain(id: 4, handle: "d"), Plain(id: 1, handle: "b")]) },
      { try plain.save([Plain(id: 1, handle: "c"), Plain(id: 5, handle: "c")]) },
      {
        try self.encrypted.store.transaction {
          try plain.save(Plain(id: 1, handle: "changed"))
          try plain.save(Plain(id: 1, handle: "b"))
        }
      },
    ]
    for way in ways {
      #expect(isRefused(way))
      #expect(try plain.all().orderBy(\.id).fetchMany() == before)
      #expect(try notes.all().fetchCount() == 2)
    }
    let error = databaseError { try plain.save(Plain(id: 1, handle: "b")) }
    #expect(error.map { "\($0)".contains("property handle of Plain is unique") } == true)
    // The same holds for saves one after the other, in a transaction that goes on.
    try encrypted.store.transaction {
      #expect(isRefused { try plain.save(Plain(id: 1, handle: "b")) })
      try plain.save(Plain(id: 1, handle: "c"))
    }
    #expect(try plain.all().orderBy(\.id).fetchMany(\.handle) == ["c", "b"])
    #expect(try notes.all().fetchCount() == 2)
  }

  @Test func `another document's unique value is an error in asynchronous saves too`() async throws
  {
    let plain = try await encrypted.store.collection(Plain.self)
    try await plain.save([Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b")])
    await #expect(throws: DatabaseError.self) { try await plain.save(Plain(id: 1, handle: "b")) }
    await #expect(throws: DatabaseError.self) {
      try await plain.save([Plain(id: 2, handle: "x"), Plain(id: 1, handle: "x")])
    }
    #expect(try await plain.all().orderBy(\.id).fetchMany(\.handle) == ["a", "b"])
    try await plain.save(Plain(id: 2, handle: "z"))
    #expect(try await plain.all().orderBy(\.id).fetchMany(\.handle) == ["a", "z"])
  }

  @Test func `another document's unique value is an error with full text, whose words stay`() throws
  {
    let handles = try encrypted.store.collection(Handle.self)
    try handles.insert([
      Handle(id: 1, handle: "a", text: "whale"), Handle(id: 2, handle: "b", text: "ship"),
    ])
    #expect(isRefused { try handles.save(Handle(id: 1, handle: "b", text: "sea")) })
    #expect(isRefused { try handles.save([Handle(id: 3, handle: "b", text: "sea")]) })
    #expect(try handles.matching("whale").fetchMany(\.id) == [1])
    #expect(try handles.matching("ship").fetchMany(\.id) == [2])
    #expect(try handles.matching("sea").fetchCount() == 0)
    try handles.save(Handle(id: 1, handle: "c", text: "sea"))
    #expect(try handles.matching("whale").fetchCount() == 0)
    #expect(try handles.matching("sea").fetchMany(\.handle) == ["c"])
    #expect(try handles.matching("ship").fetchMany(\.handle) == ["b"])
  }

  @Test func `documents without identifiers are inserted, or refused`() throws {
    let loose = try encrypted.store.collection(Loose.self)
    try loose.save(Loose(name: "a", code: 1))
    #expect(isRefused { try loose.save(Loose(name: "b", code: 1)) })
    #expect(isRefused { try loose.save([Loose(name: "c", code: 2), Loose(name: "d", code: 2)]) })
    #expect(try loose.all().fetchMany() == [Loose(name: "a", code: 1)])
  }

  @Test func `an insertion that replaces deletes the others, when it is asked for`() throws {
    let plain = try encrypted.store.collection(Plain.self)
    try plain.insert([Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b")])
    try plain.insert(Plain(id: 1, handle: "b"), onConflict: .replace)
    #expect(try plain.all().fetchMany() == [Plain(id: 1, handle: "b")])
  }

  @Test func `an update refuses another document's unique value`() throws {
    let plain = try encrypted.store.collection(Plain.self)
    try plain.insert([Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b")])
    #expect(isRefused { try plain.filter(id: 1).update(\.handle, "b") })
    #expect(try plain.all().fetchCount() == 2)
  }

  @Test func `without upserts, saving in two steps gives the same`() throws {
    let plain = try encrypted.store.collection(Plain.self)
    func save(_ document: Plain) throws {
      try encrypted.store.write { db in
        try plain.explaining { try plain.saveInTwoSteps(StoredDocument(document), db) }
      }
    }
    for document in [
      Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b"), Plain(id: 1, handle: "c"),
    ] {
      try save(document)
    }
    #expect(isRefused { try save(Plain(id: 1, handle: "b")) })
    #expect(isRefused { try save(Plain(id: 3, handle: "b")) })
    #expect(
      try plain.all().orderBy(\.id).fetchMany() == [
        Plain(id: 1, handle: "c"), Plain(id: 2, handle: "b"),
      ])
  }

  @Test func `a table that doesn't follow its type, without any key, is saved to`() throws {
    try encrypted.store.execute("CREATE TABLE Plain (id, handle)")
    let store = DocumentStore(encrypted.database.writer, autoMigrate: false)
    let plain = try store.collection(Plain.self)
    try plain.save([Plain(id: 1, handle: "a"), Plain(id: 1, handle: "b")])
    try plain.save(Plain(id: 2, handle: "b"))
    #expect(
      try plain.all().orderBy(\.id).fetchMany() == [
        Plain(id: 1, handle: "b"), Plain(id: 2, handle: "b"),
      ])
  }

  @Test func `an identifier with a collation is found, and takes the new letters`() throws {
    let folded = try encrypted.store.collection(Folded.self)
    try folded.save([Folded(id: "a", handle: "x"), Folded(id: "b", handle: "y")])
    try folded.save(Folded(id: "A", handle: "z"))
    #expect(isRefused { try folded.save(Folded(id: "B", handle: "z")) })
    #expect(
      try folded.all().orderBy(\.id).fetchMany() == [
        Folded(id: "A", handle: "z"), Folded(id: "b", handle: "y"),
      ])
  }

  @Test func `a document of nothing but an identifier is saved`() throws {
    struct Tag: Codable, Identifiable, Equatable { var id: String }
    let tags = try encrypted.store.collection(Tag.self)
    try tags.save([Tag(id: "a"), Tag(id: "a"), Tag(id: "b")])
    #expect(try tags.all().orderBy(\.id).fetchMany() == [Tag(id: "a"), Tag(id: "b")])
  }

  @Test func `saving costs one statement, which is compiled once`() throws {
    let plain = try encrypted.store.collection(Plain.self)
    try plain.save([Plain(id: 1, handle: "a"), Plain(id: 2, handle: "b")])
    let statements = try encrypted.store.write { db in
      try plain.save(Plain(id: 2, handle: "x"))
      let statistics = db.statementCacheStatistics
      let statements = try db.statements {
        try plain.save(Plain(id: 1, handle: "c"))
        try plain.save(Plain(id: 3, handle: "d"))
      }
      #expect(db.statementCacheStatistics == statistics)
      return statements
    }
    // An update and an insertion of the new one, where SQLite can't do both at once.
    #expect(statements.count == (statements[0].contains("ON CONFLICT") ? 2 : 3), "\(statements)")
  }
}
