import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import Coffer

@Suite("Collections as plain tables")
struct PlainTableTests {
  enum Genre: String, Codable { case novel, essay }
  struct Size: Codable, Equatable { var width: Double, height: Double }

  /// A document and a record at once.
  struct Book: Codable, Identifiable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "Book"
    var id: UUID
    var title: String
    var genre = Genre.novel
    var published: Date?
    var size: Size?
    var tags: [String] = []
    var cover = Data([0, 1, 2])
    var isLent = false
    var price = 9.5
  }

  private let encrypted: EncryptedStore
  private let books: DocumentCollection<Book>
  private let full = Book(
    id: .seeded(), title: "Moby-Dick", genre: .essay,
    published: Date(timeIntervalSince1970: 1_000_000.25),
    size: Size(width: 1.5, height: 2), tags: ["sea", "whale"], isLent: true, price: 0.1)
  private let empty = Book(id: .seeded(), title: "")

  init() throws {
    encrypted = try EncryptedStore()
    books = try encrypted.store.collection(Book.self)
  }

  @Test func `documents are fetched as records`() throws {
    try books.insert([full, empty])
    let records = try encrypted.database.writer.read {
      try Book.order(Column("title")).fetchAll($0)
    }
    #expect(records == [empty, full])
    let found = try encrypted.database.writer.read {
      try Book.filter(key: ["id": full.id]).fetchOne($0)
    }
    #expect(found == full)
  }

  @Test func `records are fetched as documents, and filtered by their values`() throws {
    try encrypted.database.writer.write { db in
      try full.insert(db)
      try empty.insert(db)
    }
    #expect(try books.filter(id: full.id).fetchOne() == full)
    #expect(try books.filter(\.genre, equalTo: .essay).fetchMany() == [full])
    #expect(try books.filter(\.published, equalTo: full.published).fetchMany() == [full])
    #expect(try books.filter(\.size?.width, equalTo: 1.5).fetchMany() == [full])
    #expect(try books.filter(\.cover, equalTo: Data([0, 1, 2])).fetchCount() == 2)
    #expect(try books.filter(\.published, isNull: true).fetchMany() == [empty])
  }

  @Test func `SQL reads and writes documents`() throws {
    try books.insert(full)
    try encrypted.database.writer.write { db in
      try db.execute(
        sql: "UPDATE Book SET price = ?, genre = 'novel' WHERE title = ?",
        arguments: [3.5, "Moby-Dick"])
      let row = try Row.fetchOne(db, sql: "SELECT title, isLent, genre FROM Book")
      #expect(row == ["title": "Moby-Dick", "isLent": 1, "genre": "novel"])
    }
    let book = try books.filter(id: full.id).fetchOne()
    #expect(book?.price == 3.5)
    #expect(book?.genre == .novel)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `records, documents and SQL share a transaction`(kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedStore(kind)
    let books = try encrypted.store.collection(Book.self)
    try encrypted.database.writer.write { db in
      try full.insert(db)
      #expect(try books.filter(id: full.id).fetchOne() == full)
      try books.insert(empty)
      #expect(try Book.fetchCount(db) == 2)
    }
    #expect(throws: TestError.self) { () throws in
      try encrypted.database.writer.write { db in
        try books.filter(id: full.id).delete()
        try empty.delete(db, by: "id")
        #expect(try books.all().fetchCount() == 0)
        throw TestError()
      }
    }
    #expect(try books.all().fetchCount() == 2)
    try encrypted.store.write { db in
      try books.filter(id: full.id).update(\.title, "by the collection")
      #expect(
        try String.fetchOne(db, sql: "SELECT title FROM Book WHERE isLent") == "by the collection")
    }
  }

  @Test func `a table of EasyDB is read, and rewritten in Coffer's forms`() throws {
    struct Event: Codable, Identifiable, Equatable {
      var id: UUID
      var date: Date
      var data: Data
    }
    let id = UUID.seeded()
    let encrypted = try EncryptedStore(.queue, "CREATE TABLE Event (id, date, data)")
    try encrypted.store.execute(
      "INSERT INTO Event VALUES (\(id.uuidString), '2001-01-02T00:00:00Z', x'0102')")
    let events = try encrypted.store.collection(Event.self)
    let event = Event(
      id: id, date: Date(timeIntervalSinceReferenceDate: 86_400), data: Data([1, 2]))
    #expect(try events.all().fetchMany() == [event])
    try encrypted.store.transaction {
      let all = try events.all().fetchMany()
      try events.all().delete()
      try events.insert(all)
    }
    #expect(try events.filter(id: id).fetchOne() == event)
    #expect(try events.filter(\.date, equalTo: event.date).fetchCount() == 1)
  }

  @Test func `a table made by hand becomes a collection`() throws {
    struct Person: Codable, Identifiable, Equatable, FetchableRecord, MutablePersistableRecord {
      static let databaseTableName = "Person"
      var id: Int64?
      var name: String
      @Index var city: String?
      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
      static func == (a: Person, b: Person) -> Bool { a.id == b.id && a.name == b.name }
    }
    let encrypted = try EncryptedStore(
      .queue, "CREATE TABLE Person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    let people = try encrypted.store.collection(Person.self)
    var arthur = Person(name: "Arthur")
    try encrypted.database.writer.write { try arthur.insert($0) }
    #expect(arthur.id == 1)
    #expect(try people.filter(id: 1).fetchOne() == arthur)
    try people.save(Person(id: 1, name: "Barbara", city: "Rome"))
    let found = try encrypted.database.writer.read { try Person.fetchOne($0, key: 1) }
    #expect(found?.name == "Barbara")
    #expect(found?.city == "Rome")
    #expect(throws: DatabaseError.self) {
      try encrypted.store.execute("INSERT INTO Person (name) VALUES (NULL)")
    }
  }
}

extension PersistableRecord where Self: EncodableRecord {
  /// Deletes the rows whose column has the record's value.
  fileprivate func delete(_ db: Database, by column: String) throws {
    let value = try databaseDictionary[column] ?? .null
    try db.execute(
      sql: "DELETE FROM \(Self.databaseTableName) WHERE \(column) = ?", arguments: [value])
  }
}
