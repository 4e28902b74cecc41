import Coffer
import CofferExpectations
import Foundation
import Testing

@Suite("Indexes of collections") struct IndexRuleTests {
  private typealias Old = EvolvedNotes

  private let encrypted: EncryptedStore

  init() throws { encrypted = try EvolvedNotes().encrypted }

  @Test(arguments: [
    "CREATE INDEX \"Note-index-mine\" ON Note (text)",
    "CREATE UNIQUE INDEX \"Note-unique-text\" ON Note (text)",
    "CREATE INDEX \"Note-index-text\" ON \"Note\" (\"text\") WHERE id > 1",
    "CREATE INDEX \"Note-index-text,price\" ON \"Note\" (\"text\")",
    "CREATE INDEX \"note-index-text\" ON Note(\"text\" DESC)",
  ])
  func `an index of the application is never dropped`(_ definition: String) throws {
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
    // Without the rules, the indexes are dropped.
    _ = try encrypted.again().collection(Old.Note.self)
    #expect(try encrypted.indexes("Note") == ["Note-unique-id"])
  }

  @Test func `properties can't become unique together over duplicates`() throws {
    try encrypted.store.execute("INSERT INTO Note (id, text, price) VALUES (3, 'milk', 1.25)")
    let error = documentError { try encrypted.again().collection(Shelved.self) }
    #expect(error?.contains("text, price") == true)
    #expect(try encrypted.indexes("Note") == ["Note-unique-id"])
  }
}
