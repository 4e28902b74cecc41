import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("Stores") struct DocumentStoreTests {
  fileprivate typealias Note = EncryptedStore.Note

  // MARK: Files

  @Test func `a file shows nothing of its documents`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("notes.db")
    let key = try DatabaseKey.raw(EncryptedQueue.rawKey)
    let store = try DocumentStore(path: path, key: key)
    #expect(store.writer is DatabasePool)
    let notes = try store.collection(Note.self)
    try notes.insert((0..<200).map { Note(id: $0, text: "plaintext secret \($0)") })
    try store.close()
    let files = try directory.contents()
    #expect(files.contains("notes.db"))
    for file in files {
      let content = try Data(contentsOf: URL(fileURLWithPath: directory.path(file)))
      for word in ["plaintext", "SQLite format", "CREATE TABLE", "Note"] {
        #expect(content.range(of: Data(word.utf8)) == nil)
      }
    }
    let again = try DocumentStore(path: path, key: key)
    #expect(
      try again.collection(Note.self).filter(id: 199).fetchOne()?.text == "plaintext secret 199")
  }

  @Test func `a wrong key opens nothing`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("notes.db")
    let store = try DocumentStore(path: path, key: try .raw(EncryptedQueue.rawKey))
    try store.collection(Note.self).insert(Note(id: 1, text: "one"))
    try store.close()
    let error = databaseError {
      try DocumentStore(path: path, key: try .raw([UInt8](repeating: 1, count: 32)))
    }
    #expect(error?.resultCode == .SQLITE_NOTADB)
    #expect(error?.cipherDiagnosis == .wrongKey)
  }

  @Test func `a store in memory is in no file`() throws {
    let store = try DocumentStore.inMemory()
    let notes = try store.collection(Note.self)
    try notes.insert(Note(id: 1, text: "one"))
    #expect(try notes.all().fetchCount() == 1)
    let keyed = try DocumentStore(path: ":memory:", key: try .raw(EncryptedQueue.rawKey))
    #expect(keyed.writer is DatabaseQueue)
    #expect(try keyed.collection(Note.self).all().fetchCount() == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a closed store throws`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind)
    let notes = try encrypted.store.collection(Note.self)
    try encrypted.store.close()
    try encrypted.store.close()
    #expect(databaseError { try notes.insert(Note(id: 1, text: "")) } != nil)
    #expect(databaseError { try notes.all().fetchMany() } != nil)
    #expect(databaseError { try notes.filter(id: 1).fetchOne() } != nil)
    #expect(databaseError { try encrypted.store.transaction {} } != nil)
  }

  @Test func `documents of a file can be read, and not written, where it is open for reading`()
    throws
  {
    let database = try EncryptedQueue()
    try DocumentStore(database.queue).collection(Note.self).insert(Note(id: 1, text: "one"))
    let reader = DocumentStore(try database.other { $0.readonly = true })
    let notes = try reader.collection(Note.self)
    #expect(try notes.filter(id: 1).fetchOne()?.text == "one")
    #expect(
      databaseError { try notes.insert(Note(id: 2, text: "")) }?.resultCode == .SQLITE_READONLY)
    struct Missing: Codable { var name: String }
    let error = documentError { try reader.collection(Missing.self) }
    #expect(error?.contains("Missing") == true)
  }

  // MARK: Collections

  fileprivate struct First: Codable, CustomCollectionName {
    static let collectionName = "things"
    var name: String
  }

  fileprivate struct Second: Codable, CustomCollectionName {
    static let collectionName = "THINGS"
    var name: String
  }

  @Test func `a type has one collection, and a name one type`() throws {
    let encrypted = try EncryptedStore()
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let first = try store.collection(First.self)
    #expect(first.tableName == "things")
    #expect(try store.collection(First.self) === first)
    let error = documentError { try store.collection(Second.self) }
    #expect(error?.contains("First") == true)
    #expect(error?.contains("Second") == true)
  }

  @Test func `a collection whose table was rolled back is made again`() throws {
    let encrypted = try EncryptedStore()
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    #expect(throws: TestError.self) {
      try store.transaction {
        try store.collection(Note.self).insert(Note(id: 1, text: "one"))
        throw TestError()
      }
    }
    let notes = try store.collection(Note.self)
    try notes.insert(Note(id: 2, text: "two"))
    #expect(try notes.all().fetchMany(\.id) == [2])
    #expect(try store.collection(Note.self) === notes)
  }

  @Test func `a store that doesn't migrate leaves tables to others`() throws {
    let database = try EncryptedDatabase(.pool)
    let store = DocumentStore(database.writer, autoMigrate: false)
    let notes = try store.collection(Note.self)
    #expect(databaseError { try notes.all().fetchMany() } != nil)
    try notes.migrate()
    #expect(try notes.all().fetchMany().isEmpty)
  }

  // MARK: SQL

  fileprivate struct Pair: Codable, Equatable {
    var id: Int
    var text: String?
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `SQL gives values, structs, dictionaries and arrays`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind)
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    let notes = try store.collection(Note.self)
    try notes.insert([Note(id: 1, text: "one"), Note(id: 2, text: "two")])
    #expect(try store.execute(Int.self, "SELECT count(*) FROM \(notes)") == 2)
    #expect(
      try store.execute([String].self, "SELECT text FROM Note ORDER BY id") == ["one", "two"])
    #expect(
      try store.execute(Pair.self, "SELECT *, 1 AS more FROM Note") == Pair(id: 1, text: "one"))
    #expect(
      try store.execute([Pair].self, "SELECT id, NULL AS text FROM Note")
        == [Pair(id: 1), Pair(id: 2)])
    #expect(
      try store.execute([String: String].self, "SELECT text, 'x' AS y FROM Note")
        == ["text": "one", "y": "x"])
    #expect(
      try store.execute([[String: Int]].self, "SELECT id AS n FROM Note") == [["n": 1], ["n": 2]])
    #expect(
      try store.execute([[String]].self, "SELECT text, upper(text) FROM Note")
        == [["one", "ONE"], ["two", "TWO"]])
    #expect(try store.execute([Int?].self, "SELECT NULL UNION ALL SELECT 1") == [nil, 1])
    #expect(try store.execute(Int?.self, "SELECT id FROM Note WHERE 0") == nil)
    #expect(try store.execute([Int].self, "SELECT id FROM Note WHERE 0").isEmpty)
    #expect(
      try store.execute(Pair?.self, "SELECT * FROM Note ORDER BY id") == Pair(id: 1, text: "one"))
    #expect(try store.execute(Pair?.self, "SELECT * FROM Note WHERE 0") == nil)
    #expect(try store.execute([Int]?.self, "SELECT 1, 2") == [1, 2])
    #expect(throws: (any Error).self) { try store.execute(Pair?.self, "SELECT 1 AS other") }
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    #expect(try store.execute(Date.self, "SELECT \(date)") == date)
  }

  @Test func `SQL that gives no value is an error`() throws {
    let encrypted = try EncryptedStore()
    defer { withExtendedLifetime(encrypted) {} }
    let store = encrypted.store
    _ = try store.collection(Note.self)
    #expect(documentError { try store.execute(Int.self, "SELECT id FROM Note") } != nil)
    #expect(throws: (any Error).self) { try store.execute(Int.self, "SELECT 'x'") }
    #expect(throws: (any Error).self) { try store.execute(Pair.self, "SELECT 1 AS other") }
    #expect(databaseError { try store.execute("nonsense") } != nil)
    #expect(databaseError { try store.execute(Int.self, "SELECT 1; SELECT 2") } != nil)
  }
}
