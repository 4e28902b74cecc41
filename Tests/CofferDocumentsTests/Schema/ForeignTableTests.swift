import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("Tables that documents find") struct ForeignTableTests {
  fileprivate struct Book: Codable, Identifiable, Equatable {
    var id: Int
    var title: String
  }

  @Test func `a table of records is a collection too`() throws {
    let encrypted = try EncryptedStore(
      .queue,
      """
      CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, stars INTEGER, shelf TEXT NOT NULL DEFAULT 'A');
      INSERT INTO Book (id, title, stars) VALUES (1, 'Emma', 5);
      """)
    let books = try encrypted.store.collection(Book.self)
    #expect(try encrypted.indexes("Book") == [])
    #expect(try books.filter(id: 1).fetchOne() == Book(id: 1, title: "Emma"))
    try books.insert(Book(id: 2, title: "Nana"))
    try books.save(Book(id: 1, title: "EMMA"))
    #expect(
      try encrypted.store.execute(
        [[String?]].self, "SELECT title, CAST(stars AS TEXT), shelf FROM Book")
        == [["EMMA", "5", "A"], ["Nana", nil, "A"]])
  }

  @Test func `a column that needs a value is an error that names it`() throws {
    let encrypted = try EncryptedStore(
      .queue, "CREATE TABLE Book (id INTEGER, title TEXT, isbn TEXT NOT NULL)")
    let error = documentError { try encrypted.store.collection(Book.self) }
    #expect(error?.contains("isbn") == true)
    #expect(try encrypted.indexes("Book") == [])
  }

  @Test(arguments: ["id INTEGER PRIMARY KEY, title TEXT", "title, id, PRIMARY KEY (title, id)"])
  func `limits hold for changes of tables without rowids`(_ columns: String) throws {
    let encrypted = try EncryptedStore(.pool, "CREATE TABLE Book (\(columns)) WITHOUT ROWID")
    let books = try encrypted.store.collection(Book.self)
    try books.insert((1...4).map { Book(id: $0, title: "x") })
    #expect(try books.all().orderBy(\.id, .descending).limit(1).update(\.title, "y") == 1)
    #expect(try books.all().orderBy(\.id).offset(1).limit(2).delete() == 2)
    let left = try books.all().orderBy(\.id).fetchMany()
    #expect(left == [Book(id: 1, title: "x"), Book(id: 4, title: "y")])
  }

  fileprivate struct Shelf: Codable, Identifiable {
    var id: Int
    @Unique var label: String
  }

  @Test func `the letters of a table's names may be others than the type's`() throws {
    let encrypted = try EncryptedStore(.pool, "CREATE TABLE shelf (ID, LABEL)")
    let shelves = try encrypted.store.collection(Shelf.self)
    try shelves.insert(Shelf(id: 1, label: "A"))
    let error = databaseError { try shelves.insert(Shelf(id: 2, label: "A")) }
    #expect(error.map { "\($0)".contains("The property label of Shelf is unique") } == true)
    #expect(try shelves.filter(\.label, equalTo: "A").fetchOne()?.id == 1)
  }

  @Test func `a view can't be a collection`() throws {
    let encrypted = try EncryptedStore(.queue, "CREATE VIEW Book AS SELECT 1 AS id, 'x' AS title")
    #expect(
      documentError { try encrypted.store.collection(Book.self) }?.contains("view") == true)
  }

  @Test func `constraints of a table stay when its columns are dropped, or nothing is`() throws {
    let encrypted = try EncryptedStore(
      .queue,
      """
      CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''), old TEXT);
      INSERT INTO Book VALUES (1, 'Emma', 'x');
      """)
    let books = try encrypted.store.collection(Book.self)
    if SQLiteFeatures.linked.hasColumnDropping {
      try books.migrate(dropColumns: true)
      #expect(try encrypted.columns("Book") == ["id", "title"])
    } else {
      #expect(documentError { try books.migrate(dropColumns: true) } != nil)
      #expect(try encrypted.columns("Book") == ["id", "title", "old"])
    }
    #expect(databaseError { try books.insert(Book(id: 2, title: "")) } != nil)
    #expect(try books.filter(id: 1).fetchOne()?.title == "Emma")
  }

  fileprivate struct Address: Codable, Equatable {
    @Index var city: String
    @Unique var street: String
  }

  fileprivate struct Person: Codable, Equatable {
    @CollateCaseInsensitive @Unique var email: String
    var address: Address
  }

  /// A row of `EXPLAIN QUERY PLAN`.
  private struct Step: Codable {
    var detail: String
  }

  @Test func `nested properties and collations have indexes that queries use`() throws {
    let encrypted = try EncryptedStore()
    let people = try encrypted.store.collection(Person.self)
    #expect(
      try encrypted.indexes("Person") == [
        "Person-index-address.city", "Person-unique-address.street", "Person-unique-email",
      ])
    let one = Person(email: "a@b.c", address: Address(city: "Rome", street: "Via Appia 1"))
    try people.insert(one)
    let sameStreet = Person(email: "d@e.f", address: one.address)
    let nested = databaseError { try people.insert(sameStreet) }
    #expect(nested.map { "\($0)".contains("property address.street of Person") } == true)
    let sameEmail = Person(email: "A@B.C", address: Address(city: "Rome", street: "other"))
    let email = databaseError { try people.insert(sameEmail) }
    #expect(email.map { "\($0)".contains("property email of Person") } == true)
    #expect(try people.filter(\.email, equalTo: "A@b.c").fetchMany() == [one])
    #expect(try people.filter { $0.email == "A@b.c" }.fetchMany() == [one])
    let plan = try encrypted.store.execute(
      [Step].self,
      """
      EXPLAIN QUERY PLAN SELECT * FROM Person
      WHERE \(\Person.address.city) COLLATE \(.string) = 'Rome'
      """)
    // SQLite before 3.20 uses no index of an expression with a collation.
    #expect(
      plan.contains { $0.detail.contains("Person-index-address.city") }
        || !SQLiteFeatures.linked.hasWindowFunctions)
    // Current indexes aren't made again.
    let version = try encrypted.database.writer.read { try $0.schemaVersion() }
    _ = try encrypted.again().collection(Person.self)
    #expect(try encrypted.database.writer.read { try $0.schemaVersion() } == version)
  }

  fileprivate struct Word: Codable, Equatable {
    @CollateByLength @Unique var text: String
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a custom collation is known to each connection`(
    _ kind: EncryptedDatabase.Kind
  ) throws {
    let encrypted = try EncryptedStore(kind)
    let words = try encrypted.store.collection(Word.self)
    try words.insert([Word(text: "one"), Word(text: "three")])
    #expect(databaseError { try words.insert(Word(text: "two")) } != nil)
    #expect(try words.filter(\.text, equalTo: "xxxxx").fetchMany() == [Word(text: "three")])
    #expect(try words.filter { $0.text == "xxx" }.fetchMany() == [Word(text: "one")])
    #expect(try words.all().orderBy(\.text, .descending).fetchMany(\.text) == ["three", "one"])
    let again = try encrypted.again().collection(Word.self)
    try again.insert(Word(text: "six"), onConflict: .replace)
    #expect(try again.all().orderBy(\.text).fetchMany(\.text) == ["six", "three"])
  }

  @Test func `a table can't be made inside of a read`() throws {
    let encrypted = try EncryptedStore()
    try encrypted.store.read { _ throws in
      let error = databaseError { try encrypted.store.collection(Book.self) }
      #expect(error?.resultCode == .SQLITE_READONLY)
    }
    #expect(try encrypted.store.collection(Book.self).all().fetchCount() == 0)
  }

  @Test func `a reader takes tables with other indexes and columns`() throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE Book (id INTEGER, title TEXT, isbn TEXT NOT NULL);
      INSERT INTO Book VALUES (1, 'Emma', 'x');
      """)
    let store = DocumentStore(try database.other { $0.readonly = true })
    #expect(try store.collection(Book.self).filter(id: 1).fetchOne()?.title == "Emma")
    struct Missing: Codable, CustomCollectionName {
      static let collectionName = "Book"
      var weight: Int?
    }
    let other = DocumentStore(try database.other { $0.readonly = true })
    #expect(documentError { try other.collection(Missing.self) } != nil)
  }

  fileprivate struct Renamed: Codable, MigratingDocument {
    var name: String
    var title: String
    static var migrationRules: [MigrationRule<Renamed>] { [.renamed("title", to: \.name)] }
  }

  fileprivate struct Computed: Codable, MigratingDocument {
    var name: String
    static var migrationRules: [MigrationRule<Computed>] { [.defaultValue(1, for: \.name.count)] }
  }

  @Test func `wrong rules are refused`() throws {
    let encrypted = try EncryptedStore()
    let renamed = documentError { try encrypted.store.collection(Renamed.self) }
    #expect(renamed?.contains("title") == true)
    #expect(documentError { try encrypted.store.collection(Computed.self) } != nil)
    #expect(try encrypted.store.execute(Int.self, "SELECT count(*) FROM sqlite_master") == 0)
  }

  fileprivate struct Quoted: Codable, Equatable, CustomCollectionName {
    static let collectionName = "a \"größe\"; DROP TABLE x; --'`]"
    @Unique var first: Int
    @Index var second: String
    var third: Address?

    enum CodingKeys: String, CodingKey {
      case first = "\"'; --"
      case second = "日本 [`"
      case third = "a.b"
    }
  }

  @Test func `names may have any character`() throws {
    let encrypted = try EncryptedStore()
    let all = try encrypted.store.collection(Quoted.self)
    let document = Quoted(
      first: 1, second: "x", third: Address(city: "Rome", street: "Via 'Appia\""))
    try all.insert(document)
    #expect(databaseError { try all.insert(document) } != nil)
    #expect(try all.filter(\.third?.street, equalTo: "Via 'Appia\"").fetchMany() == [document])
    #expect(try all.filter(\.second, equalTo: "x").update(\.third, nil) == 1)
    #expect(try encrypted.indexes(Quoted.collectionName).count == 4)
    let version = try encrypted.database.writer.read { try $0.schemaVersion() }
    let again = try encrypted.again().collection(Quoted.self)
    #expect(try again.all().fetchOne()?.third == nil)
    #expect(try encrypted.database.writer.read { try $0.schemaVersion() } == version)
    try again.migrate(dropColumns: true)
    #expect(try again.all().fetchCount() == 1)
  }

  @Test func `unfit types are refused before a table is made`() throws {
    struct Empty: Codable {}
    enum Choice: String, Codable { case one }
    let encrypted = try EncryptedStore()
    #expect(documentError { try encrypted.store.collection(Empty.self) } != nil)
    #expect(documentError { try encrypted.store.collection(Choice.self) } != nil)
    #expect(documentError { try encrypted.store.collection([Int].self) } != nil)
    #expect(try encrypted.store.execute(Int.self, "SELECT count(*) FROM sqlite_master") == 0)
  }
}

/// An order that SQLite doesn't have.
@propertyWrapper
private struct CollateByLength<Value: Codable & Equatable>: ConfigurationAnnotation {
  var wrappedValue: Value

  init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  static var propertyConfig: PropertyConfig {
    .collation(
      Collation("lengthOfTests") { lhs, rhs in
        lhs.count < rhs.count
          ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
      })
  }
}
