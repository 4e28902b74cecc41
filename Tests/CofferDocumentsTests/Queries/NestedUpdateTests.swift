import Coffer
import CofferExpectations
import Foundation
import Testing

@Suite("Updating properties of stored structs") struct NestedUpdateTests {
  private struct Place: Codable, Equatable {
    var city: String
    var zip: String?
    var opened: Date?
    var position: Position?
    enum CodingKeys: String, CodingKey { case city = "the city", zip, opened, position }
  }

  private struct Position: Codable, Equatable {
    var x: Double
    var tags: [String] = []
  }

  private struct Shop: Codable, Identifiable, Equatable {
    var id: Int
    @Index var place: Place
    var other: Place?
    var name = "n"
  }

  private let encrypted: EncryptedStore
  private let shops: DocumentCollection<Shop>
  private let first = Shop(id: 1, place: Place(city: "Rom", position: Position(x: 1)))
  private let second = Shop(id: 2, place: Place(city: "Oslo", zip: "0010"), other: Place(city: "B"))

  init() throws {
    encrypted = try EncryptedStore()
    shops = try encrypted.store.collection(Shop.self)
    try shops.insert([first, second])
  }

  private func all() throws -> [Shop] { try shops.all().orderBy(\.id).fetchMany() }

  @Test func `a property is changed, and the others stay`() throws {
    #expect(try shops.all().update(\.place.city, "O'Hara \"quoted\"") == 2)
    var (one, two) = (first, second)
    one.place.city = "O'Hara \"quoted\""
    two.place.city = "O'Hara \"quoted\""
    #expect(try all() == [one, two])
    #expect(try shops.filter(\.place.city, equalTo: one.place.city).fetchCount() == 2)
  }

  @Test func `a property that was nil gets a value, and becomes nil again`() throws {
    let date = Date(timeIntervalSince1970: 1_234_567_890.125)
    try shops.filter(id: 1).updating(\.place.zip, "00100").updating(\.place.opened, date).update()
    var one = first
    one.place.zip = "00100"
    one.place.opened = date
    #expect(try all() == [one, second])
    #expect(try shops.filter(\.place.opened, equalTo: date).fetchMany(\.id) == [1])
    try shops.all().updating(\.place.zip, nil).updating(\.place.opened, nil).update()
    var two = second
    two.place.zip = nil
    #expect(try all() == [first, two])
    #expect(try shops.filter(\.place.zip, isNull: true).fetchCount() == 2)
  }

  @Test func `an update inside of a struct that is nil changes nothing`() throws {
    #expect(try shops.all().update(\.other?.city, "Bern") == 2)
    #expect(try shops.all().update(\.place.position?.x, 7) == 2)
    var (one, two) = (first, second)
    one.place.position?.x = 7
    two.other?.city = "Bern"
    #expect(try all() == [one, two])
  }

  @Test func `several places of one column are changed together`() throws {
    let place = Place(city: "New", zip: "1")
    try shops.filter(id: 2)
      .updating(\.place, place).updating(\.place.city, "Newer").updating(\.name, "m")
      .updating(\.place.zip, "2").updating("\(\.name) = \(\.name) || 'x'").update()
    let updated = try shops.filter(id: 2).fetchOne()
    #expect(updated?.place == Place(city: "Newer", zip: "2"))
    #expect(updated?.name == "nx")
    // The whole after a part.
    try shops.filter(id: 2).updating(\.place.city, "part").updating(\.place, place).update()
    #expect(try shops.filter(id: 2).fetchOne()?.place == place)
  }

  @Test func `a struct in a struct is changed as a whole`() throws {
    try shops.filter(id: 2).update(\.place.position, Position(x: -2, tags: ["a", "b"]))
    let position = try shops.filter(id: 2).fetchOne()?.place.position
    #expect(position == Position(x: -2, tags: ["a", "b"]))
    try shops.filter(id: 2).update(\.place.position?.tags, ["c"])
    #expect(try shops.filter(id: 2).fetchOne()?.place.position == Position(x: -2, tags: ["c"]))
  }

  @Test func `a value that a property can't have is an error, and nothing is changed`() throws {
    let none = documentError { try shops.all().update(\.place.position?.x, nil) }
    #expect(none == "place.position.x of Shop can't become nil")
    let list = documentError { try shops.all().update(\.place.position?.tags.first, "x") }
    #expect(list?.contains("an element of a list") == true)
    let number = documentError { try shops.all().update(\.place.position?.x, .nan) }
    #expect(number?.contains("can't be stored") == true)
    #expect(try all() == [first, second])
  }

  @Test func `a unique place is kept unique, and named`() throws {
    struct Inner: Codable { @Unique var code: Int }
    struct Outer: Codable, Identifiable { var id: Int, inner: Inner }
    let outers = try encrypted.store.collection(Outer.self)
    try outers.insert([1, 2].map { Outer(id: $0, inner: Inner(code: $0)) })
    let error = databaseError { try outers.filter(id: 1).update(\.inner.code, 2) }
    #expect(error.map { "\($0)".contains("property inner.code of Outer is unique") } == true)
    try outers.filter(id: 1).update(\.inner.code, 3)
    #expect(try outers.filter(\.inner.code, equalTo: 3).fetchMany(\.id) == [1])
  }
}
