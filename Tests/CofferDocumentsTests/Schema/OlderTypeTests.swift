import Coffer
import Foundation
import Testing

@Suite("Types that know less than what is stored") struct OlderTypeTests {
  private typealias Old = EvolvedNotes

  private let encrypted: EncryptedStore

  init() throws { encrypted = try EvolvedNotes().encrypted }

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

  @Test func `properties that an older type doesn't know stay when it saves`() throws {
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
}
