import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("Inserting and saving documents") struct InsertTests {
  fileprivate struct Book: Codable, Identifiable, Equatable {
    var id: Int
    @Unique var name: String
    var price: Int
  }

  fileprivate struct Loose: Codable, Equatable {
    var name: String?
    @Unique var code: Int
  }

  private let encrypted: EncryptedStore
  private let books: DocumentCollection<Book>

  init() throws {
    encrypted = try EncryptedStore()
    books = try encrypted.store.collection(Book.self)
  }

  private func all() throws -> [Book] { try books.all().orderBy(\.id).fetchMany() }

  @Test func `a value that isn't unique is refused, and the property named`() throws {
    try books.insert(Book(id: 1, name: "secret", price: 1))
    let byName = databaseError { try books.insert(Book(id: 2, name: "secret", price: 1)) }
    #expect(byName?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    #expect(byName.map { "\($0)".contains("property name of Book is unique") } == true)
    #expect(byName.map { "\($0)".contains("secret") } == false)
    let byID = databaseError { try books.insert(Book(id: 1, name: "other", price: 1)) }
    #expect(byID.map { "\($0)".contains("property id of Book is unique") } == true)
    let update = databaseError {
      try books.insert(Book(id: 3, name: "third", price: 1))
      try books.filter(id: 3).update(\.name, "secret")
    }
    #expect(update.map { "\($0)".contains("property name of Book is unique") } == true)
    #expect(try all().map(\.id) == [1, 3])
  }

  @Test(arguments: [OnConflict.abort, .replace])
  func `a batch is stored as a whole, or not at all`(_ onConflict: OnConflict) throws {
    struct Strict: Codable, Identifiable { var id: Int, value: Int }
    let strict = try encrypted.store.collection(Strict.self)
    try encrypted.store.execute(
      """
      CREATE TRIGGER refuse BEFORE INSERT ON Strict WHEN NEW.value < 0
      BEGIN SELECT RAISE(ABORT, 'negative'); END
      """)
    try strict.insert(Strict(id: 7, value: 7))
    let batch = (0..<100).map { Strict(id: $0 + 10, value: $0 == 57 ? -1 : $0) }
    let error = databaseError { try strict.insert(batch, onConflict: onConflict) }
    #expect(error?.batchIndex == 57)
    #expect(try strict.all().fetchMany(\.id) == [7])
  }

  @Test func `the index of the document that fails is told`() throws {
    try books.insert(Book(id: 1, name: "one", price: 1))
    let error = databaseError {
      try books.insert([
        Book(id: 2, name: "two", price: 1), Book(id: 3, name: "three", price: 1),
        Book(id: 4, name: "one", price: 1), Book(id: 5, name: "five", price: 1),
      ])
    }
    #expect(error?.batchIndex == 2)
    #expect(error.map { "\($0)".contains("property name of Book") } == true)
    #expect(try all().map(\.id) == [1])
  }

  @Test func `a primary key of SQL names the property too`() throws {
    struct Item: Codable, Identifiable { var id: Int, name: String }
    try encrypted.store.execute("CREATE TABLE Item (id INTEGER PRIMARY KEY, name TEXT)")
    let items = try encrypted.store.collection(Item.self)
    try items.insert(Item(id: 1, name: "one"))
    let error = databaseError { try items.insert(Item(id: 1, name: "two")) }
    #expect(error.map { "\($0)".contains("property id of Item is unique") } == true)
    #expect(try items.all().fetchMany(\.name) == ["one"])
  }

  private struct Measured: Codable {
    var secret: String
    var ratio: Double?
    var count: UInt64?
    var inner: Inner?
    var refused: Refusing?
  }

  private struct Inner: Codable { var ratios: [Double] }

  private struct Refusing: Codable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try String(from: decoder) }
    func encode(to encoder: any Encoder) throws {
      guard text == "secret" else { return try text.encode(to: encoder) }
      throw EncodingError.invalidValue(
        text, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: text))
    }
  }

  @Test func `a value that can't be stored is an error that shows no value`() throws {
    let measured = try encrypted.store.collection(Measured.self)
    let documents = [
      "count": Measured(secret: "secret", count: 18_446_744_073_709_551_557),
      "inner.ratios[1]": Measured(secret: "secret", inner: Inner(ratios: [1, .infinity])),
      "refused": Measured(secret: "secret", refused: Refusing("secret")),
    ]
    for (property, document) in documents {
      let ways: [() throws -> Void] = [
        { try measured.insert(document) },
        { try measured.save(document) },
        { try measured.insert([Measured(secret: "fine"), document]) },
        { try measured.save([Measured(secret: "fine"), document]) },
      ]
      for (index, way) in ways.enumerated() {
        let message = documentError(way) ?? "none"
        #expect(message.contains("property \(property)"), "\(message)")
        #expect(message.contains("of Measured can't be stored"), "\(message)")
        #expect(message.contains("element 1 of the batch") == (index > 1), "\(message)")
        #expect(!message.contains("secret") && !message.contains("18446744073709551557"))
      }
    }
    #expect(try measured.all().fetchCount() == 0)
    try measured.insert(Measured(secret: "fine"))
    #expect(try measured.all().fetchCount() == 1)
  }

  fileprivate struct Sample: Codable {
    var id: Int
    var real: Double
    var single: Float
    @Index var indexed: Double
    var maybe: Double?
  }

  @Test func `NaN is refused, since NULL would be read again`() throws {
    let samples = try encrypted.store.collection(Sample.self)
    let fine = Sample(id: 1, real: .infinity, single: 0, indexed: 0, maybe: nil)
    try samples.insert(fine)
    for path: WritableKeyPath<Sample, Double> in [\.real, \.indexed] {
      var document = fine
      document[keyPath: path] = .nan
      #expect(documentError { try samples.insert(document) }?.contains("NaN") == true)
      #expect(documentError { try samples.save([fine, document]) }?.contains("element 1") == true)
      #expect(documentError { try samples.all().update(path, .nan) }?.contains("NaN") == true)
    }
    var document = fine
    document.single = .nan
    #expect(documentError { try samples.insert(document) }?.contains("property single") == true)
    document = fine
    document.maybe = .nan
    #expect(documentError { try samples.insert(document) }?.contains("property maybe") == true)
    #expect(try samples.all().fetchMany().map(\.real) == [.infinity])
  }

  fileprivate struct Keyed: Codable, Identifiable {
    struct Key: Codable { var shop: Int, number: Int }
    var key: Key
    @Unique var name: String
    var id: Int { key.number }
  }

  @Test func `an identifier inside of a stored struct is unique`() throws {
    let keyed = try encrypted.store.collection(Keyed.self)
    try keyed.insert(Keyed(key: Keyed.Key(shop: 1, number: 7), name: "a"))
    let rowID = try encrypted.store.execute(Int.self, "SELECT rowid FROM Keyed")
    try keyed.save(Keyed(key: Keyed.Key(shop: 2, number: 7), name: "b"))
    #expect(try keyed.filter(id: 7).fetchMany(\.name) == ["b"])
    #expect(try encrypted.store.execute([Int].self, "SELECT rowid FROM Keyed") == [rowID])
    let error = databaseError {
      try keyed.insert(Keyed(key: Keyed.Key(shop: 2, number: 7), name: "c"))
    }
    #expect(error.map { "\($0)".contains("key.number of Keyed is unique") } == true)
  }

  @Test func `conflicts can be ignored`() throws {
    try books.insert(Book(id: 1, name: "one", price: 1))
    try books.insert(
      [Book(id: 1, name: "x", price: 2), Book(id: 2, name: "two", price: 2)], onConflict: .ignore)
    try books.insert(Book(id: 3, name: "two", price: 3), onConflict: .ignore)
    #expect(try all() == [Book(id: 1, name: "one", price: 1), Book(id: 2, name: "two", price: 2)])
  }

  @Test func `a saved document keeps its row`() throws {
    try books.insert([Book(id: 1, name: "one", price: 1), Book(id: 2, name: "two", price: 2)])
    let rowID = try encrypted.store.execute(Int.self, "SELECT rowid FROM Book WHERE id = 1")
    try books.save(Book(id: 1, name: "eins", price: 10))
    try books.save([Book(id: 3, name: "three", price: 3), Book(id: 2, name: "zwei", price: 20)])
    #expect(
      try all() == [
        Book(id: 1, name: "eins", price: 10), Book(id: 2, name: "zwei", price: 20),
        Book(id: 3, name: "three", price: 3),
      ])
    #expect(try encrypted.store.execute(Int.self, "SELECT rowid FROM Book WHERE id = 1") == rowID)
  }

  @Test func `a replacing document takes the place of those with its unique values`() throws {
    try books.insert([Book(id: 1, name: "one", price: 1), Book(id: 2, name: "two", price: 2)])
    try books.insert(Book(id: 1, name: "two", price: 3), onConflict: .replace)
    #expect(try all() == [Book(id: 1, name: "two", price: 3)])
    try books.insert(Book(id: 9, name: "two", price: 9), onConflict: .replace)
    #expect(try all() == [Book(id: 9, name: "two", price: 9)])
  }

  @Test func `a saved document doesn't delete what refers to it`() throws {
    try books.insert(Book(id: 1, name: "one", price: 1))
    try encrypted.store.execute(
      "CREATE TABLE review (book REFERENCES Book(id) ON DELETE CASCADE, text TEXT)")
    try encrypted.store.execute("INSERT INTO review VALUES (1, 'fine')")
    try books.save(Book(id: 1, name: "uno", price: 1))
    #expect(try encrypted.store.execute(Int.self, "SELECT count(*) FROM review") == 1)
    try books.filter(id: 1).delete()
    #expect(try encrypted.store.execute(Int.self, "SELECT count(*) FROM review") == 0)
  }

  @Test func `documents without identifiers are replaced by their unique values`() throws {
    let loose = try encrypted.store.collection(Loose.self)
    try loose.save([Loose(name: nil, code: 1), Loose(name: "a", code: 2)])
    try loose.insert(Loose(name: "b", code: 1), onConflict: .replace)
    #expect(try loose.all().orderBy(\.code).fetchMany().map(\.name) == ["b", "a"])
  }

  fileprivate struct Partial: Codable, Identifiable, Equatable {
    var id: String?
    var name: String?
    var tags: [String]?
  }

  @Test func `a saved nil takes the place of a value`() throws {
    let partials = try encrypted.store.collection(Partial.self)
    try partials.insert(Partial(id: "a", name: "one", tags: ["x"]))
    try partials.save(Partial(id: "a", name: nil, tags: nil))
    #expect(try partials.all().fetchMany() == [Partial(id: "a", name: nil, tags: nil)])
    // nil isn't an identifier, so there may be many.
    try partials.save([Partial(id: nil, name: "x"), Partial(id: nil, name: "y")])
    #expect(try partials.all().fetchCount() == 3)
    #expect(try partials.filter(id: nil).fetchCount() == 2)
    #expect(try partials.filter(id: nil).fetchOne()?.name == "x")
    #expect(try partials.filter(id: "a").fetchOne()?.id == "a")
  }

  @Test func `an empty batch does nothing, and a huge one is stored`() throws {
    try books.insert([])
    try books.save([])
    #expect(try books.all().fetchCount() == 0)
    try books.insert((0..<20_000).map { Book(id: $0, name: "\($0)", price: $0 % 10) })
    #expect(try books.all().fetchMany().count == 20_000)
    #expect(try books.filter(\.price, equalTo: 3).fetchCount() == 2000)
    try books.save((19_000..<21_000).map { Book(id: $0, name: "\($0)", price: -1) })
    #expect(try books.filter(\.price, equalTo: -1).fetchCount() == 2000)
    #expect(try books.all().fetchCount() == 21_000)
  }

  fileprivate struct Everything: Codable, Equatable {
    var bool: Bool
    var int8: Int8
    var uint64: UInt64?
    var float: Float
    var double: Double
    var string: String
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var list: [Int]
    var dictionary: [String: Double]
    var nested: [Loose]
    var nothing: Int?
  }

  @Test func `values of all types come back as they were`() throws {
    let everything = try encrypted.store.collection(Everything.self)
    let document = Everything(
      bool: true, int8: -8, uint64: 64, float: 1.5, double: 3, string: "0012",
      date: Date(timeIntervalSince1970: 1_234_567_890.5), data: Data([0, 1, 255]),
      uuid: UUID.seeded(),
      url: try #require(URL(string: "https://example.com/a?b")), list: [3, 2],
      dictionary: ["π": 3.14], nested: [Loose(name: nil, code: 1)], nothing: nil)
    try everything.insert(document)
    try everything.save([document])
    #expect(try everything.all().fetchMany() == [document, document])
    #expect(try everything.all().fetchOne(\.string) == "0012")
    #expect(try everything.filter(\.uuid, equalTo: document.uuid).fetchCount() == 2)
    #expect(try everything.filter(\.url, equalTo: document.url).fetchCount() == 2)
    #expect(try everything.filter(\.nested, equalTo: document.nested).fetchCount() == 2)
    #expect(try everything.all().fetchOne(\.dictionary) == ["π": 3.14])
  }
}
