import Coffer
import Foundation
import Testing

/// The forms that a type has had.
private enum Old {
  struct Address: Codable, Equatable {
    var town: String
    var street: String?
  }

  struct Note: Codable, Identifiable, CustomCollectionName, Equatable {
    static let collectionName = "Note"
    var id: Int
    var text: String
    var price: Double
    var address: Address?
  }
}

@Suite("Evolution of documents") struct EvolutionTests {
  private let encrypted: EncryptedStore

  init() throws {
    encrypted = try EncryptedStore()
    try encrypted.store.collection(Old.Note.self).insert([
      Old.Note(id: 1, text: "milk", price: 1.25, address: Old.Address(town: "Rome", street: "a")),
      Old.Note(id: 2, text: "bread", price: 3, address: nil),
    ])
  }

  private func sql<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try encrypted.store.execute(type, "\(literal: text)")
  }

  // MARK: New properties

  fileprivate struct Rated: Codable, CustomCollectionName {
    static let collectionName = "Note"
    var id: Int
    var rating: Int
  }

  @Test func `a new property that documents have no value for is an error at once`() throws {
    let error = documentError { try encrypted.again().collection(Rated.self) }
    #expect(error?.contains("rating") == true)
    #expect(error?.contains(".defaultValue") == true)
    #expect(try encrypted.columns("Note") == ["id", "text", "price", "address"])
    #expect(try encrypted.store.collection(Old.Note.self).all().fetchCount() == 2)
  }

  @Test func `that is so on other threads`() async throws {
    await #expect(throws: DocumentError.self) {
      try await encrypted.again().collection(Rated.self)
    }
    try await encrypted.store.execute("UPDATE Note SET price = 'secret' WHERE id = 2")
    let notes = try await encrypted.store.collection(Old.Note.self)
    #expect(try await notes.all().fetchResults().count == 2)
    let error = await #expect(throws: RowDecodingError.self) { try await notes.all().fetchMany() }
    #expect(error?.recordKey == 2.databaseValue)
    let sessions = try await encrypted.store.collection(Session.self)
    try await sessions.insert(Session(id: 1, until: Date(timeIntervalSinceNow: -1000)))
    #expect(try await sessions.deleteExpired() == 1)
  }

  @Test func `a table without documents takes any new property`() throws {
    try encrypted.store.execute("DELETE FROM Note")
    let notes = try encrypted.again().collection(Rated.self)
    try notes.insert(Rated(id: 1, rating: 5))
    #expect(try notes.all().fetchMany(\.rating) == [5])
  }

  fileprivate struct WithDefault: Codable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    var rating: Int
    static var migrationRules: [MigrationRule<WithDefault>] { [.defaultValue(3, for: \.rating)] }
  }

  @Test func `a rule gives the value`() throws {
    let notes = try encrypted.again().collection(WithDefault.self)
    #expect(try notes.all().fetchMany(\.rating) == [3, 3])
  }

  /// A type that has a value for a missing key.
  fileprivate struct SelfMade: Codable, CustomCollectionName {
    static let collectionName = "Note"
    var id: Int
    var rating: Int
    var label: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      rating = try container.decodeIfPresent(Int.self, forKey: .rating) ?? 7
      label = try container.decodeIfPresent(String.self, forKey: .label) ?? "n\(id)"
    }
  }

  @Test func `the default value of decoding is stored`() throws {
    let notes = try encrypted.again().collection(SelfMade.self)
    #expect(try notes.filter(\.rating, equalTo: 7).fetchCount() == 2)
    #expect(try sql([String].self, "SELECT label FROM Note ORDER BY id") == ["n1", "n2"])
    #expect(try notes.filter(\.label, equalTo: "n2").fetchOne()?.id == 2)
  }

  fileprivate struct Defaulted: Codable, CustomCollectionName {
    static let collectionName = "Note"
    var id: Int
    var rating = 5
  }

  @Test func `a synthesized decoding has no default value`() throws {
    let error = documentError { try encrypted.again().collection(Defaulted.self) }
    #expect(error?.contains("rating") == true)
  }

  // MARK: Renames

  fileprivate struct Early: Codable, CustomCollectionName {
    static let collectionName = "Note"
    var id: Int
    var title: String?
  }

  fileprivate struct Late: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    var title: String?
    static var migrationRules: [MigrationRule<Late>] { [.renamed("text", to: \.title)] }
  }

  @Test func `a rename that is declared late moves values, once, and overwrites none`() throws {
    let early = try encrypted.again().collection(Early.self)
    try early.filter(\.id, equalTo: 2).update(\.title, "new")
    let late = try encrypted.again().collection(Late.self)
    #expect(try late.all().orderBy(\.id).fetchMany(\.title) == ["milk", "new"])
    #expect(try sql([String].self, "SELECT text FROM Note ORDER BY id") == ["milk", "bread"])
    try late.all().update(\.title, nil)
    let again = try encrypted.again().collection(Late.self)
    #expect(try again.all().orderBy(\.id).fetchMany(\.title) == [nil, nil])
  }

  // MARK: Stored structs

  fileprivate struct Placed: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    struct Address: Codable, Equatable {
      var city: String
      var street: String?
      var country: String
      var code: Int?
    }
    var id: Int
    var address: Address?
    static var migrationRules: [MigrationRule<Placed>] {
      [
        .renamed("town", to: \.address?.city), .defaultValue("IT", for: \.address?.country),
        .defaultValue(9, for: \.address?.code),
      ]
    }
  }

  @Test func `rules reach into stored structs`() throws {
    let placed = try encrypted.again().collection(Placed.self)
    let address = Placed.Address(city: "Rome", street: "a", country: "IT", code: 9)
    #expect(try placed.filter(id: 1).fetchOne()?.address == address)
    #expect(try placed.filter(id: 2).fetchOne()?.address == nil)
    try placed.save(
      Placed(id: 1, address: .init(city: "Oslo", street: nil, country: "NO", code: nil)))
    let again = try encrypted.again().collection(Placed.self)
    #expect(try again.filter(id: 1).fetchOne()?.address?.code == nil)
    #expect(try again.filter(id: 1).fetchOne()?.address?.city == "Oslo")
  }

  @Test func `a document that comes without a nested value gets it at the next start`() throws {
    _ = try encrypted.again().collection(Placed.self)
    try encrypted.store.execute(
      "INSERT INTO Note (id, address) VALUES (3, \(#"{"city":"Bonn"}"#))")
    let again = try encrypted.again().collection(Placed.self)
    #expect(try again.filter(id: 3).fetchOne()?.address?.country == "IT")
    let version = try encrypted.database.writer.read { try $0.schemaVersion() }
    let changes = try encrypted.database.writer.writeWithoutTransaction { $0.totalChangesCount }
    _ = try encrypted.again().collection(Placed.self)
    #expect(try encrypted.database.writer.read { try $0.schemaVersion() } == version)
    let after = try encrypted.database.writer.writeWithoutTransaction { $0.totalChangesCount }
    #expect(after == changes)
  }

  // MARK: Closures

  fileprivate struct Cents: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    struct Address: Codable { var town: [String] }
    var id: Int
    var price: Int
    var address: Address?
    static var migrationRules: [MigrationRule<Cents>] {
      [
        .converted("cents", \.price, from: Double.self) { Int(($0 * 100).rounded()) },
        .converted("towns", \.address?.town, from: String.self) { [$0, $0] },
      ]
    }
  }

  @Test func `values are converted once`() throws {
    for _ in 0..<3 {
      let notes = try encrypted.again().collection(Cents.self)
      #expect(try notes.all().orderBy(\.id).fetchMany(\.price) == [125, 300])
      #expect(try notes.filter(id: 1).fetchOne()?.address?.town == ["Rome", "Rome"])
      #expect(try notes.filter(id: 2).fetchOne()?.address == nil)
    }
    #expect(
      try sql([String].self, "SELECT typeof(price) FROM Note") == ["integer", "integer"])
  }

  @Test func `a table of the new form has nothing to convert`() throws {
    let encrypted = try EncryptedStore()
    try encrypted.store.collection(Cents.self).insert(Cents(id: 1, price: 5))
    #expect(try encrypted.again().collection(Cents.self).all().fetchMany(\.price) == [5])
  }

  @Test func `a store that can only read says that values are to be converted`() throws {
    let encrypted = try EncryptedPool()
    try DocumentStore(encrypted.pool).collection(Old.Note.self)
      .insert(Old.Note(id: 1, text: "a", price: 1))
    var configuration = encrypted.configuration
    configuration.readonly = true
    let reader = try DatabasePool(path: encrypted.path, configuration: configuration)
    #expect(documentError { try DocumentStore(reader).collection(Cents.self) } != nil)
  }

  fileprivate struct Titled: Codable, Identifiable, CustomCollectionName, MigratingDocument,
    Equatable
  {
    static let collectionName = "Note"
    var id: Int
    var title: String
    var isCheap: Bool
    static var migrationRules: [MigrationRule<Titled>] {
      [
        .migrated("halves", from: Old.Note.self) { old in
          Half(id: old.id, half: old.text + "!", price: old.price)
        },
        .migrated("titles", from: Half.self) { half in
          Titled(id: half.id, title: half.half.uppercased(), isCheap: half.price < 2)
        },
      ]
    }
  }

  fileprivate struct Half: Codable {
    var id: Int
    var half: String
    var price: Double
  }

  @Test func `documents are made anew from those of older types, step by step, once`() throws {
    for _ in 0..<2 {
      let notes = try encrypted.again().collection(Titled.self)
      #expect(
        try notes.all().orderBy(\.id).fetchMany() == [
          Titled(id: 1, title: "MILK!", isCheap: true),
          Titled(id: 2, title: "BREAD!", isCheap: false),
        ])
      // What the new type doesn't have stays.
      #expect(try sql([String].self, "SELECT text FROM Note ORDER BY id") == ["milk", "bread"])
    }
  }

  private struct Refusal: Error {}

  fileprivate struct Refusing: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    var title: String
    static var migrationRules: [MigrationRule<Refusing>] {
      [
        .migrated("titles", from: Old.Note.self) { old in
          guard old.id < 2 else { throw Refusal() }
          return Refusing(id: old.id, title: old.text)
        }
      ]
    }
  }

  @Test func `a closure that throws loses nothing, and is called again`() throws {
    for _ in 0..<2 {
      #expect(throws: Refusal.self) { try encrypted.again().collection(Refusing.self) }
      #expect(try encrypted.columns("Note") == ["id", "text", "price", "address"])
    }
    try encrypted.store.execute("DELETE FROM Note WHERE id = 2")
    let notes = try encrypted.again().collection(Refusing.self)
    #expect(try notes.all().fetchMany(\.title) == ["milk"])
  }

  @Test func `an old document that can't be decoded is an error with its identifier`() throws {
    try encrypted.store.execute("UPDATE Note SET price = 'x' WHERE id = 2")
    let error = #expect(throws: RowDecodingError.self) {
      try encrypted.again().collection(Titled.self)
    }
    #expect(error?.recordKey == 2.databaseValue)
    #expect(try encrypted.columns("Note") == ["id", "text", "price", "address"])
  }

  fileprivate struct Twice: Codable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    static var migrationRules: [MigrationRule<Twice>] {
      [
        .converted("a", \.id, from: Int.self) { $0 }, .converted("a", \.id, from: Int.self) { $0 },
      ]
    }
  }

  @Test func `two rules of one name are an error`() throws {
    #expect(documentError { try encrypted.again().collection(Twice.self) } != nil)
  }

  // MARK: What can't be decoded

  @Test func `documents that can't be decoded are reported beside the others`() throws {
    try encrypted.store.execute("UPDATE Note SET price = 'secret' WHERE id = 2")
    let notes = try encrypted.store.collection(Old.Note.self)
    let results = try notes.all().orderBy(\.id).fetchResults()
    #expect(results.count == 2)
    #expect(try results[0].get().text == "milk")
    let error = #expect(throws: RowDecodingError.self) { try results[1].get() }
    #expect(error?.recordKey == 2.databaseValue)
    #expect(error?.columnName == "price")
    #expect(error.map { "\($0)".contains("secret") } == false)
  }

  @Test func `errors of decoding carry the identifier`() throws {
    try encrypted.store.execute("UPDATE Note SET price = 'x' WHERE id = 2")
    let notes = try encrypted.store.collection(Old.Note.self)
    struct Priced: Codable { var price: Double }
    let fetches: [() throws -> Void] = [
      { _ = try notes.all().fetchMany() },
      { _ = try notes.filter(id: 2).fetchOne() },
      { _ = try notes.all().orderBy(\.id, .descending).fetchOne() },
      { _ = try notes.all().fetchMany(\.price) },
      { _ = try notes.all().fetchMany(Priced.self) },
    ]
    for fetch in fetches {
      let error = #expect(throws: RowDecodingError.self) { try fetch() }
      #expect(error?.recordKey == 2.databaseValue)
      #expect(error?.columnName == "price")
    }
  }

  // MARK: Older types

  fileprivate struct New: Codable, Identifiable, CustomCollectionName, Equatable {
    static let collectionName = "Note"
    struct Geo: Codable, Equatable {
      var lat: Double
      var height: Double?
    }
    struct Address: Codable, Equatable {
      var town: String
      var street: String?
      var country: String?
      var geo: Geo?
    }
    var id: Int
    var text: String
    var price: Double
    var stars: Int?
    var address: Address?
    var tags: [String: String]?
  }

  fileprivate struct Older: Codable, Identifiable, CustomCollectionName {
    static let collectionName = "Note"
    struct Geo: Codable { var lat: Double }
    struct Address: Codable {
      var town: String
      var street: String?
      var geo: Geo?
    }
    var id: Int
    var text: String
    var price: Double
    var address: Address?
    var tags: [String: String]?
  }

  @Test func `what an older type doesn't know stays when it saves`() throws {
    let new = try encrypted.again().collection(New.self)
    let address = New.Address(
      town: "Rome", street: "b", country: "IT", geo: New.Geo(lat: 1, height: 2))
    try new.save(
      New(id: 1, text: "a", price: 1, stars: 5, address: address, tags: ["a": "1", "b": "2"]))
    let older = try encrypted.again().collection(Older.self)
    var document = try #require(try older.filter(id: 1).fetchOne())
    document.address?.town = "Oslo"
    document.address?.street = nil
    document.address?.geo?.lat = 9
    document.tags = ["b": "3"]
    try older.save(document)
    let expected = New.Address(
      town: "Oslo", street: nil, country: "IT", geo: New.Geo(lat: 9, height: 2))
    #expect(
      try new.filter(id: 1).fetchOne()
        == New(id: 1, text: "a", price: 1, stars: 5, address: expected, tags: ["b": "3"]))
    try older.filter(id: 1).update(\.address, Older.Address(town: "Bonn", street: "c", geo: nil))
    let updated = New.Address(town: "Bonn", street: "c", country: "IT", geo: nil)
    #expect(try new.filter(id: 1).fetchOne()?.address == updated)
    document.address = nil
    try older.save(document)
    #expect(try new.filter(id: 1).fetchOne()?.address == nil)
  }

  fileprivate struct Open: Codable, Identifiable, Equatable {
    struct Values: Codable, Equatable {
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      var kind: String
      var extra: [String: String]

      init(kind: String, extra: [String: String]) { (self.kind, self.extra) = (kind, extra) }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        kind = try container.decode(String.self, forKey: Key(stringValue: "kind"))
        extra = [:]
        for key in container.allKeys where key.stringValue != "kind" {
          extra[key.stringValue] = try container.decode(String.self, forKey: key)
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: Key(stringValue: "kind"))
        for (key, value) in extra {
          try container.encode(value, forKey: Key(stringValue: key))
        }
      }
    }
    var id: Int
    var any: Values
  }

  @Test func `keys of a type that takes all keys can be removed`() throws {
    let open = try encrypted.store.collection(Open.self)
    try open.insert(Open(id: 1, any: .init(kind: "k", extra: ["a": "1", "b": "2"])))
    let less = Open(id: 1, any: .init(kind: "k", extra: ["b": "2"]))
    try open.save(less)
    #expect(try open.filter(id: 1).fetchOne() == less)
  }

  // MARK: Indexes

  @Test(arguments: [
    "CREATE INDEX \"Note-index-mine\" ON Note (text)",
    "CREATE UNIQUE INDEX \"Note-unique-text\" ON Note (text)",
    "CREATE INDEX \"Note-index-text\" ON \"Note\" (\"text\") WHERE id > 1",
    "CREATE INDEX \"Note-index-text,price\" ON \"Note\" (\"text\")",
    "CREATE INDEX \"note-index-text\" ON Note(\"text\" DESC)",
  ])
  func `an index of one's own is never dropped`(_ definition: String) throws {
    try encrypted.store.execute("\(literal: definition)")
    let indexes = try encrypted.indexes("Note")
    #expect(indexes.count == 2)
    _ = try encrypted.again().collection(Old.Note.self)
    #expect(try encrypted.indexes("Note") == indexes)
  }

  @Test func `indexes of EasyDB are taken for those of the collection`() throws {
    try encrypted.store.execute("CREATE TABLE Plain (id, name)")
    try encrypted.store.execute(
      "CREATE INDEX `Plain-index-name` ON `Plain` ( `name` COLLATE `NOCASE` )")
    struct Plain: Codable { var id: Int, name: String }
    _ = try encrypted.again().collection(Plain.self)
    #expect(try encrypted.indexes("Plain") == [])
  }

  fileprivate struct Shelved: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    var text: String
    var price: Double
    static var migrationRules: [MigrationRule<Shelved>] {
      [.unique(\.text, \.price), .index(\.price, \.id)]
    }
  }

  @Test func `several properties have an index together, and are unique together`() throws {
    let notes = try encrypted.again().collection(Shelved.self)
    #expect(
      try encrypted.indexes("Note") == [
        "Note-index-price,id", "Note-unique-id", "Note-unique-text,price",
      ])
    try notes.insert(Shelved(id: 3, text: "milk", price: 9))
    let error = databaseError { try notes.insert(Shelved(id: 4, text: "milk", price: 9)) }
    #expect(error.map { "\($0)".contains("text, price of Shelved are unique together") } == true)
    try notes.insert(Shelved(id: 4, text: "milk", price: 9), onConflict: .replace)
    #expect(try notes.filter(\.price, equalTo: 9).fetchMany(\.id) == [4])
    let version = try encrypted.database.writer.read { try $0.schemaVersion() }
    _ = try encrypted.again().collection(Shelved.self)
    #expect(try encrypted.database.writer.read { try $0.schemaVersion() } == version)
    // Without the rules they go.
    _ = try encrypted.again().collection(Old.Note.self)
    #expect(try encrypted.indexes("Note") == ["Note-unique-id"])
  }

  @Test func `properties can't become unique together over duplicates`() throws {
    try encrypted.store.execute("INSERT INTO Note (id, text, price) VALUES (3, 'milk', 1.25)")
    let error = documentError { try encrypted.again().collection(Shelved.self) }
    #expect(error?.contains("text, price") == true)
    #expect(try encrypted.indexes("Note") == ["Note-unique-id"])
  }

  // MARK: Expiry

  fileprivate struct Session: Codable, Identifiable, MigratingDocument {
    var id: Int
    var until: Date?
    static var migrationRules: [MigrationRule<Session>] { [.expires(\.until)] }
  }

  @Test func `expired documents are found no more, and deleted when they are to be`() throws {
    let sessions = try encrypted.store.collection(Session.self)
    try sessions.insert([
      Session(id: 1, until: Date(timeIntervalSinceNow: -1000)), Session(id: 2, until: nil),
      Session(id: 3, until: Date(timeIntervalSinceNow: 100_000)),
    ])
    #expect(try sessions.all().orderBy(\.id).fetchMany(\.id) == [2, 3])
    #expect(try sessions.filter(id: 1).fetchOne() == nil)
    #expect(try sessions.filter { $0.id == 1 || $0.id == 2 }.fetchCount() == 1)
    #expect(try sessions.all().includingExpired().fetchCount() == 3)
    #expect(try sessions.all().update(\.until, nil) == 2)
    #expect(try sessions.deleteExpired() == 1)
    #expect(try sessions.deleteExpired() == 0)
    #expect(try sessions.all().includingExpired().orderBy(\.id).fetchMany(\.id) == [2, 3])
    try sessions.save(Session(id: 2, until: Date(timeIntervalSinceNow: -5)))
    #expect(try sessions.filter(id: 2).fetchOne() == nil)
    try sessions.save(Session(id: 2, until: nil))
    #expect(try sessions.filter(id: 2).fetchOne() != nil)
  }

  fileprivate struct Visit: Codable, Identifiable, MigratingDocument {
    var id: Int
    var at: Date
    static var migrationRules: [MigrationRule<Visit>] { [.expires(\.at, after: 3600)] }
  }

  @Test func `documents expire some time after a date`() throws {
    let visits = try encrypted.store.collection(Visit.self)
    try visits.insert([
      Visit(id: 1, at: Date(timeIntervalSinceNow: -7200)), Visit(id: 2, at: Date()),
    ])
    #expect(try visits.all().fetchMany(\.id) == [2])
    #expect(try visits.deleteExpired() == 1)
    let notes = try encrypted.store.collection(Old.Note.self)
    #expect(documentError { try notes.deleteExpired() }?.contains(".expires") == true)
  }
}
