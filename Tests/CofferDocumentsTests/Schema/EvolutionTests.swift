import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("Evolution of documents") struct EvolutionTests {
  private typealias Old = EvolvedNotes

  private let encrypted: EncryptedStore

  init() throws { encrypted = try EvolvedNotes().encrypted }

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

  @Test func `asynchronous forms report missing values and broken documents, too`() async throws {
    await #expect(throws: DocumentError.self) {
      try await encrypted.again().collection(Rated.self)
    }
    try await encrypted.store.execute("UPDATE Note SET price = 'secret' WHERE id = 2")
    let notes = try await encrypted.store.collection(Old.Note.self)
    #expect(try await notes.all().fetchResults().count == 2)
    let error = await #expect(throws: RowDecodingError.self) { try await notes.all().fetchMany() }
    #expect(error?.recordKey == 2.databaseValue)
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
      // Columns that the new type doesn't have stay.
      #expect(try sql([String].self, "SELECT text FROM Note ORDER BY id") == ["milk", "bread"])
    }
  }

  fileprivate struct Refusing: Codable, Identifiable, CustomCollectionName, MigratingDocument {
    static let collectionName = "Note"
    var id: Int
    var title: String
    static var migrationRules: [MigrationRule<Refusing>] {
      [
        .migrated("titles", from: Old.Note.self) { old in
          guard old.id < 2 else { throw TestError() }
          return Refusing(id: old.id, title: old.text)
        }
      ]
    }
  }

  @Test func `a closure that throws loses nothing, and is called again`() throws {
    for _ in 0..<2 {
      #expect(throws: TestError.self) { try encrypted.again().collection(Refusing.self) }
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

  // MARK: Documents that can't be decoded

  @Test func `documents that can't be decoded are reported together with the others`() throws {
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
}
