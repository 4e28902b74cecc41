import Coffer
import CofferTestSupport
import Foundation
import Testing

/// The document of the suites about results.
struct Item: Codable, Identifiable, Equatable, Sendable {
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var tags: [String]?
    var weights: [String: Double]
  }

  var id: Int
  var name: String
  var nickname: String?
  var price: Double
  var stars: Int?
  var day: Date
  var cost: Decimal
  var tags: [String]
  var extra: Set<Int>?
  var attributes: [String: String]
  var place: Place?

  static let day = Date(timeIntervalSince1970: 1_700_000_000)

  init(
    _ id: Int, _ name: String, nickname: String? = nil, price: Double = 0, stars: Int? = nil,
    tags: [String] = [], extra: Set<Int>? = nil, attributes: [String: String] = [:],
    place: Place? = nil
  ) {
    self.id = id
    self.name = name
    self.nickname = nickname
    self.price = price
    self.stars = stars
    day = Item.day.addingTimeInterval(Double(id) * 86_400)
    cost = Decimal(id) / 10
    self.tags = tags
    self.extra = extra
    self.attributes = attributes
    self.place = place
  }

  static let all = [
    Item(
      1, "Arthur", nickname: "Art", price: 1.5, stars: 3, tags: ["a", "b"], extra: [1, 2],
      attributes: ["color": "red", "two words": "x"],
      place: Place(city: "Paris", tags: ["x"], weights: ["kg": 2.5])),
    Item(2, "Barbara", price: 2.5, stars: nil, tags: [], attributes: ["color": "blue"]),
    Item(
      3, "Carl", nickname: "C", price: 4, stars: 5, tags: ["b", "ü", "a\"b"], extra: [],
      place: Place(city: "Oslo", tags: nil, weights: [:])),
    Item(4, "Dora", nickname: "C", price: 4, stars: 3, tags: ["c"], extra: [2]),
  ]
}

@Suite("Filters by lists, ranges and elements") struct ListFilterTests {
  private let encrypted: EncryptedStore
  private let items: DocumentCollection<Item>

  init() throws {
    encrypted = try EncryptedStore()
    items = try encrypted.store.collection(Item.self)
    try items.insert(Item.all)
  }

  private func ids(_ query: QueryBuilder<Item>) throws -> [Int] {
    try query.orderBy(\.id).fetchMany(\.id)
  }

  @Test func `a property has one of some values`() throws {
    #expect(try ids(items.filter(\.name, in: ["Arthur", "Dora", "nobody"])) == [1, 4])
    #expect(try ids(items.filter(\.name, in: [])) == [])
    #expect(try ids(items.filter(\.name, in: ["arthur"], collation: .caseInsensitive)) == [1])
    #expect(try ids(items.filter(\.stars, in: [5, nil])) == [2, 3])
    let stars: Set<Int> = [3, 5]
    #expect(try ids(items.filter(\.stars, in: stars)) == [1, 3, 4])
    #expect(try ids(items.filter(\.day, in: [Item.all[1].day])) == [2])
    #expect(try ids(items.filter(\.cost, in: [Item.all[2].cost])) == [3])
    #expect(try ids(items.filter(\.place?.city, in: ["Oslo", "Rome"])) == [3])
    let many = (0..<5000).map { "n\($0)" } + ["Carl"]
    #expect(try ids(items.filter(\.name, in: many)) == [3])
  }

  @Test func `a property has none of some values, as Swift says`() throws {
    #expect(try ids(items.filter(\.name, notIn: ["Arthur", "Dora"])) == [2, 3])
    #expect(try ids(items.filter(\.name, notIn: [])) == [1, 2, 3, 4])
    #expect(try ids(items.filter(\.stars, notIn: [3])) == [2, 3])
    #expect(try ids(items.filter(\.stars, notIn: [3, nil])) == [3])
    let none: [Int] = []
    #expect(try ids(items.filter(\.stars, notIn: none)) == [1, 2, 3, 4])
  }

  @Test func `a property is in a range`() throws {
    #expect(try ids(items.filter(\.id, between: 2...3)) == [2, 3])
    #expect(try ids(items.filter(\.id, between: 2..<3)) == [2])
    #expect(try ids(items.filter(\.id, in: 1...1_000_000_000_000)) == [1, 2, 3, 4])
    #expect(try ids(items.filter(\.price, between: 2.5...)) == [2, 3, 4])
    #expect(try ids(items.filter(\.price, between: ...2.5)) == [1, 2])
    #expect(try ids(items.filter(\.price, between: ..<2.5)) == [1])
    #expect(try ids(items.filter(\.stars, between: 3...4)) == [1, 4])
    #expect(try ids(items.filter(\.name, between: "B"..<"D")) == [2, 3])
    #expect(try ids(items.filter(\.day, in: Item.all[1].day...Item.all[2].day)) == [2, 3])
    #expect(try ids(items.filter(\.cost, between: Item.all[1].cost...)) == [2, 3, 4])
    #expect(try ids(items.filter(\.nickname, in: "B"..<"D")) == [3, 4])
  }

  @Test func `a list has an element`() throws {
    #expect(try ids(items.filter(\.tags, contains: "b")) == [1, 3])
    #expect(try ids(items.filter(\.tags, contains: "a\"b")) == [3])
    #expect(try ids(items.filter(\.tags, contains: "ü")) == [3])
    #expect(try ids(items.filter(\.extra, contains: 2)) == [1, 4])
    #expect(try ids(items.filter { $0.tags.contains("b") }) == [1, 3])
    #expect(try ids(items.filter { !$0.tags.contains("b") }) == [2, 4])
    #expect(try ids(items.filter { $0.extra.contains(1) }) == [1])
    #expect(try ids(items.filter { !$0.extra.contains(1) }) == [2, 3, 4])
    #expect(try ids(items.filter { $0.tags.contains("a") && $0.id < 3 }) == [1])
    #expect(try ids(items.filter(\.place?.tags, contains: "x")) == [1])
  }

  fileprivate struct Doc: Codable, Identifiable {
    struct Part: Codable, Equatable { var a: Int, b: String? }
    enum Kind: String, Codable { case one, two }
    var id: Int
    var dates: [Date]
    var uuids: [UUID]
    var parts: [Part]
    var kinds: [Kind]
    var numbers: [Double]
    var maybe: [Int?]
  }

  @Test func `elements of all types are found`() throws {
    let docs = try encrypted.store.collection(Doc.self)
    let uuid = UUID.seeded()
    let date = Item.day.addingTimeInterval(0.25)
    try docs.insert(
      Doc(
        id: 1, dates: [date], uuids: [uuid], parts: [Doc.Part(a: 1, b: nil)], kinds: [.two],
        numbers: [1, 2.5], maybe: [1, nil]))
    #expect(try docs.filter(\.dates, contains: date).fetchCount() == 1)
    #expect(try docs.filter(\.dates, contains: Item.day).fetchCount() == 0)
    #expect(try docs.filter(\.uuids, contains: uuid).fetchCount() == 1)
    #expect(try docs.filter(\.uuids, contains: UUID.seeded()).fetchCount() == 0)
    #expect(try docs.filter(\.parts, contains: Doc.Part(a: 1, b: nil)).fetchCount() == 1)
    #expect(try docs.filter(\.parts, contains: Doc.Part(a: 1, b: "")).fetchCount() == 0)
    #expect(try docs.filter(\.kinds, contains: .two).fetchCount() == 1)
    #expect(try docs.filter(\.kinds, contains: .one).fetchCount() == 0)
    #expect(try docs.filter(\.numbers, contains: 1).fetchCount() == 1)
    #expect(try docs.filter(\.numbers, contains: 2.5).fetchCount() == 1)
    #expect(try docs.filter(\.maybe, contains: nil).fetchCount() == 1)
    #expect(try docs.filter(\.maybe, contains: 2).fetchCount() == 0)
  }

  @Test func `elements are counted`() throws {
    #expect(try ids(items.filter { $0.tags.count >= 2 }) == [1, 3])
    #expect(try ids(items.filter { $0.tags.isEmpty }) == [2])
    #expect(try ids(items.filter { !$0.tags.isEmpty }) == [1, 3, 4])
    #expect(try ids(items.filter { $0.extra.count == 0 }) == [3])
    #expect(try ids(items.filter { $0.attributes.count == 2 }) == [1])
    #expect(try ids(items.filter { $0.place.tags.count == 1 }) == [1])
    let byCount = items.all().orderBy { $0.tags.count.desc }.orderBy(\.id)
    #expect(try byCount.fetchMany(\.id) == [3, 1, 4, 2])
  }

  @Test func `dictionaries are asked for keys`() throws {
    #expect(try ids(items.filter { $0.attributes["color"] == "red" }) == [1])
    #expect(try ids(items.filter { $0.attributes["two words"] == "x" }) == [1])
    #expect(try ids(items.filter { $0.attributes["color"] == nil }) == [3, 4])
    #expect(try ids(items.filter { $0.attributes["color"] != nil }) == [1, 2])
    #expect(try ids(items.filter { $0.place.weights["kg"] > 2 }) == [1])
    #expect(try items.filter { $0.attributes["[0]"] == nil }.count() == items.count())
    let byColor = items.filter { $0.attributes["color"] != nil }
      .orderBy { $0.attributes["color"] }
    #expect(try byColor.fetchMany(\.id) == [2, 1])
    let error = documentError {
      try items.filter(\.attributes["color"], equalTo: "red").fetchMany()
    }
    #expect(error?.contains("closure") == true)
  }

  @Test func `documents are ordered by several properties`() throws {
    let order = items.all().orderBy(\.nickname, \.price, \.name)
    #expect(try order.fetchMany(\.id) == [2, 1, 3, 4])
    let mixed = items.all().orderBy(\.price, .descending).orderBy(\.stars, \.id)
    #expect(try mixed.fetchMany(\.id) == [4, 3, 2, 1])
  }
}
