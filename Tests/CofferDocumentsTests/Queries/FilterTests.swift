import Coffer
import Foundation
import Testing

@Suite("Filters") struct FilterTests {
  fileprivate struct Address: Codable, Equatable {
    var city: String
    var since: Date?
    var number: Int
  }

  fileprivate struct Person: Codable, Identifiable, Equatable {
    var id: Int
    var name: String
    var nickname: String?
    var score: Double?
    var born: Date?
    var isActive: Bool
    var tags: [String]
    var address: Address?
  }

  private let encrypted: EncryptedStore
  private let people: DocumentCollection<Person>
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws {
    encrypted = try EncryptedStore()
    people = try encrypted.store.collection(Person.self)
    try people.insert([
      Person(
        id: 1, name: "Arthur", nickname: nil, score: 1.5, born: Self.date, isActive: true,
        tags: ["a", "b"], address: Address(city: "Paris", since: Self.date, number: 3)),
      Person(
        id: 2, name: "barbara", nickname: "Barb", score: nil, born: nil, isActive: false, tags: [],
        address: nil),
      Person(
        id: 3, name: "Étienne", nickname: "É%", score: -3, born: Self.date.addingTimeInterval(60),
        isActive: true, tags: ["c"], address: Address(city: "Łódź", since: nil, number: 12)),
    ])
  }

  private func ids(_ query: QueryBuilder<Person>) throws -> [Int] {
    try query.orderBy(\.id).fetchMany(\.id)
  }

  @Test func `documents come back as they were`() throws {
    let all = try people.all().orderBy(\.id).fetchMany()
    #expect(all.count == 3)
    #expect(all[0].tags == ["a", "b"])
    #expect(all[0].born == Self.date)
    #expect(all[1].address == nil)
    #expect(all[2].address == Address(city: "Łódź", since: nil, number: 12))
  }

  @Test func `equality takes nil for equal to nil`() throws {
    #expect(try ids(people.filter(\.name, equalTo: "Arthur")) == [1])
    #expect(try ids(people.filter(\.nickname, equalTo: nil)) == [1])
    #expect(try ids(people.filter(\.nickname, notEqualTo: nil)) == [2, 3])
    #expect(try ids(people.filter(\.nickname, notEqualTo: "Barb")) == [1, 3])
    #expect(try ids(people.filter(\.nickname, isNull: true)) == [1])
    #expect(try ids(people.filter(\.nickname, isNull: false)) == [2, 3])
  }

  @Test func `comparisons leave out nil`() throws {
    #expect(try ids(people.filter(\.score, greaterThan: 0)) == [1])
    #expect(try ids(people.filter(\.score, lessThan: 1.5)) == [3])
    #expect(try ids(people.filter(\.score, lessThanOrEqualTo: 1.5)) == [1, 3])
    #expect(try ids(people.filter(\.score, greaterThanOrEqualTo: -3)) == [1, 3])
    #expect(try ids(people.filter(\.born, greaterThan: Self.date)) == [3])
    #expect(try ids(people.filter(\.isActive, equalTo: true)) == [1, 3])
    #expect(try ids(people.filter(\.tags, equalTo: ["c"])) == [3])
  }

  @Test func `patterns match`() throws {
    #expect(try ids(people.filter(\.name, like: "%AR%")) == [1, 2])
    #expect(try ids(people.filter(\.name, notLike: "a%")) == [2, 3])
    #expect(try ids(people.filter(\.nickname, like: "B_rb")) == [2])
    #expect(try ids(people.filter(\.nickname, notLike: "B%")) == [3])
  }

  @Test func `collations decide what is equal`() throws {
    #expect(try ids(people.filter(\.name, equalTo: "BARBARA")).isEmpty)
    #expect(try ids(people.filter(\.name, equalTo: "BARBARA", collation: .caseInsensitive)) == [2])
    #expect(try ids(people.filter(\.name, equalTo: "E\u{301}tienne")) == [3])
    #expect(try ids(people.filter { $0.name == "E\u{301}tienne" }) == [3])
    #expect(try ids(people.filter("\(\.name) = \("E\u{301}tienne")")) == [3])
    #expect(try ids(people.filter(\.name, equalTo: "E\u{301}tienne", collation: .string)) == [3])
    #expect(try ids(people.filter(\.name, equalTo: "E\u{301}tienne", collation: .binary)).isEmpty)
    let byLength = Collation("byLength") { lhs, rhs in
      lhs.count < rhs.count
        ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
    }
    #expect(try ids(people.filter(\.name, equalTo: "123456", collation: byLength)) == [1])
    #expect(try ids(people.filter("\(\.name) COLLATE \(byLength) = 'xxxxxx'")) == [1])
    let order = people.all().orderBy(\.name, .descending, collation: byLength).orderBy(\.id)
    #expect(try order.fetchMany(\.id) == [2, 3, 1])
  }

  @Test func `nested properties are compared in their JSON`() throws {
    #expect(try ids(people.filter(\.address?.city, equalTo: "Łódź")) == [3])
    #expect(try ids(people.filter(\.address?.number, greaterThan: 3)) == [3])
    #expect(try ids(people.filter(\.address?.since, equalTo: Self.date)) == [1])
    #expect(try ids(people.filter(\.address?.city, isNull: true)) == [2])
    let cities = try people.all().orderBy(\.address?.city, nulls: .last).fetchMany(\.address?.city)
    #expect(cities == ["Paris", "Łódź", nil])
    #expect(try people.filter(id: 1).fetchOne(\.address?.since) == .some(Self.date))
  }

  @Test func `conditions are combined, and documents found by identifier`() throws {
    let query = people.filter(\.isActive, equalTo: true).filter("\(\.id) = 1 OR \(\.id) = 2")
    #expect(try ids(query) == [1])
    #expect(try people.filter(id: 2).fetchOne()?.name == "barbara")
    #expect(try people.filter(id: 4).fetchOne() == nil)
    #expect(try people.filter(id: 2).fetchMany().count == 1)
    #expect(try people.filter(id: 2).filter(id: 3).fetchOne() == nil)
    #expect(try people.filter(id: 2).filter(\.isActive, equalTo: true).fetchOne() == nil)
    #expect(try people.filter(id: 2).fetchCount() == 1)
  }

  @Test func `closures have typed columns`() throws {
    #expect(try ids(people.filter { $0.id < 3 && $0.name.hasPrefix("A") }) == [1])
    #expect(try ids(people.filter { $0.score > 0 }) == [1])
    #expect(try ids(people.filter { $0.nickname == nil || $0.id == 3 }) == [1, 3])
    #expect(try ids(people.filter { [2, 3].contains($0.id) }) == [2, 3])
    #expect(try people.all().orderBy { $0.id.desc }.fetchMany(\.id) == [3, 2, 1])
    #expect(try ids(people.filter { ($0.score ?? 9) > 1 }) == [1, 2])
    #expect(try ids(people.filter { ($0.nickname ?? $0.name) == "Arthur" }) == [1])
  }

  fileprivate struct House: Codable {
    var address: Address
  }

  fileprivate struct Place: Codable {
    var city: String
    var zip: Int?
  }

  fileprivate struct Trip: Codable, Identifiable {
    var id: Int
    var start: Place?
    var stop: Stop?

    struct Stop: Codable {
      var place: Place?
      var days = 1
    }
  }

  @Test func `closures reach through optionals as Swift does`() throws {
    let trips = try encrypted.store.collection(Trip.self)
    try trips.insert([
      Trip(id: 1, start: Place(city: "Paris", zip: 75), stop: nil),
      Trip(id: 2, start: nil, stop: Trip.Stop(place: Place(city: "Rome", zip: nil))),
      Trip(id: 3, start: Place(city: "Pisa", zip: nil), stop: Trip.Stop(place: nil, days: 2)),
    ])
    func ids(
      _ condition: (DocumentColumns<Trip>.Type) throws -> any SQLExpressible
    ) throws -> [Int] {
      try trips.filter(condition).orderBy(\.id).fetchMany(\.id)
    }
    #expect(try ids { $0.start?.city == "Paris" } == [1])
    #expect(try ids { $0.start?.city != "Paris" } == [2, 3])
    #expect(try ids { "Paris" == $0.start?.city } == [1])
    #expect(try ids { !($0.start?.city == "Paris") } == [2, 3])
    #expect(try ids { $0.start == nil } == [2])
    #expect(try ids { $0.start != nil } == [1, 3])
    #expect(try ids { $0.start?.city == nil } == [2])
    #expect(try ids { nil == $0.start?.city } == [2])
    #expect(try ids { $0.start?.zip == nil } == [2, 3])
    #expect(try ids { $0.start?.zip != nil } == [1])
    #expect(try ids { nil != $0.start?.zip } == [1])
    #expect(try ids { $0.start?.zip == 75 && $0.start?.city == "Paris" } == [1])
    #expect(try ids { $0.start?.zip == 75 || $0.stop?.place?.city == "Rome" } == [1, 2])
    #expect(try ids { $0.start?.city.hasPrefix("P") } == [1, 3])
    #expect(try ids { !$0.start?.city.hasPrefix("Pi") } == [1, 2])
    #expect(try ids { $0.start?.city > "Pb" } == [3])
    #expect(try ids { $0.stop?.place?.zip == nil && $0.stop?.days == 2 } == [3])
    #expect(try ids { $0.stop?.place == nil } == [1, 3])
    #expect(try ids { ["Rome", "Oslo"].contains($0.stop?.place?.city) } == [2])
    let city: String? = nil
    #expect(try ids { $0.start?.city == city } == [2])
    #expect(
      try trips.all().orderBy { $0.start?.city }.orderBy(\.id).fetchMany(\.id) == [2, 1, 3])
    #expect(
      try trips.all().orderBy { $0.start?.city.desc }.orderBy(\.id).fetchMany(\.id) == [3, 1, 2])
  }

  fileprivate struct Event: Codable, Identifiable {
    struct Meeting: Codable { var date: Int, time: String, round: Int?, trim: Bool }
    var id: Int
    var start: Date
    var end: Date?
    var name: String
    var meeting: Meeting
    var other: Meeting?
  }

  @Test func `nested properties are found under the names of SQL's functions`() throws {
    let events = try encrypted.store.collection(Event.self)
    let meeting = Event.Meeting(date: 1, time: "noon", round: 2, trim: true)
    try events.insert(
      Event(
        id: 1, start: Self.date, end: Self.date + 0.000_4, name: " a ", meeting: meeting,
        other: meeting))
    func count(
      _ condition: (DocumentColumns<Event>.Type) throws -> any SQLExpressible
    ) throws -> Int {
      try events.filter(condition).fetchCount()
    }
    #expect(try count { $0.meeting.date == 1 && $0.meeting.time == "noon" } == 1)
    #expect(try count { $0.meeting.round == 2 && $0.meeting.trim } == 1)
    #expect(try count { $0.other?.date == 1 && $0.other?.time == "noon" } == 1)
    #expect(try count { $0.meeting.time.replace("noon", with: "night") == "night" } == 1)
    #expect(try count { ($0.end ?? Date.distantPast) > Self.date + 0.000_1 } == 1)
    #expect(try count { $0.name.trim() == "a" && $0.start.date() < "2100-01-01" } == 1)
  }

  @Test func `closures reach into stored structs`() throws {
    let houses = try encrypted.store.collection(House.self)
    try houses.insert([
      House(address: Address(city: "Paris", since: Self.date, number: 1)),
      House(address: Address(city: "Rome", since: nil, number: 2)),
    ])
    #expect(try houses.filter { $0.address.city == "Rome" }.fetchMany(\.address.number) == [2])
    #expect(try houses.filter { $0.address.number < 2 }.fetchCount() == 1)
    #expect(documentError { try houses.filter { $0.address.since != nil }.fetchCount() } != nil)
    #expect(documentError { try houses.filter { $0.address.city.count > 2 }.fetchCount() } != nil)
  }

  fileprivate enum Color: String, Codable { case red, green }
  fileprivate enum Finish: Codable { case matt, glossy }

  fileprivate struct Paint: Codable, Equatable {
    var id: Int
    var color: Color
    var second: Color?
    var finish: Finish
    var address: Address
    var other: Address?
    @Index var price: Decimal
    var value: Int
  }

  private func paints() throws -> DocumentCollection<Paint> {
    let paints = try encrypted.store.collection(Paint.self)
    let address = Address(city: "Paris", since: Self.date, number: 1)
    try paints.insert([
      Paint(
        id: 1, color: .red, second: .green, finish: .matt, address: address, other: nil,
        price: 10, value: 3),
      Paint(
        id: 2, color: .green, second: nil, finish: .glossy,
        address: Address(city: "Rome", since: nil, number: 2), other: address, price: 9.5,
        value: 1),
      Paint(
        id: 3, color: .green, second: .red, finish: .glossy, address: address,
        other: Address(city: "Rome", since: nil, number: 2), price: -100, value: 2),
    ])
    return paints
  }

  @Test func `closures compare enums and structs`() throws {
    let paints = try paints()
    func ids(
      _ condition: (DocumentColumns<Paint>.Type) -> any SQLExpressible
    ) throws -> [Int] {
      try paints.filter(condition).orderBy(\.id).fetchMany(\.id)
    }
    #expect(try ids { $0.color == .green } == [2, 3])
    #expect(try ids { $0.color != .green && $0.id > 0 } == [1])
    #expect(try ids { $0.second == .red } == [3])
    #expect(try ids { $0.second == nil } == [2])
    #expect(try ids { $0.finish == .matt || $0.second == .red } == [1, 3])
    #expect(try ids { [.red].contains($0.color) } == [1])
    #expect(try ids { ([] as [Color]).contains($0.color) } == [])
    #expect(try ids { [Color.red, .green].contains($0.second) } == [1, 3])
    #expect(try ids { $0.address == Address(city: "Rome", since: nil, number: 2) } == [2])
  }

  @Test func `closures reach into structs that may be nil`() throws {
    let paints = try paints()
    #expect(try paints.filter { $0.other.city == "Rome" }.fetchMany(\.id) == [3])
    #expect(try paints.filter { $0.other.number < 2 }.fetchMany(\.id) == [2])
    #expect(try paints.filter { $0.other.city == nil }.fetchMany(\.id) == [1])
    #expect(try people.filter { $0.address.city.hasPrefix("Ł") }.fetchMany(\.id) == [3])
  }

  @Test func `decimal numbers are compared and ordered as numbers`() throws {
    let paints = try paints()
    #expect(try paints.filter(\.price, lessThan: 10).orderBy(\.id).fetchMany(\.id) == [2, 3])
    #expect(try paints.filter(\.price, greaterThan: 9.6).fetchMany(\.id) == [1])
    #expect(try paints.filter(\.price, equalTo: 9.5).fetchMany(\.id) == [2])
    let high = paints.filter { $0.price >= 9.5 }
    #expect(try high.orderBy { $0.price.asc }.fetchMany(\.id) == [2, 1])
    #expect(try paints.all().orderBy(\.price).fetchMany(\.id) == [3, 2, 1])
    // The index has the order of the filters.
    let sql = "SELECT sql FROM sqlite_master WHERE name = 'Paint-index-price'"
    #expect(try encrypted.store.execute(String.self, "\(raw: sql)").contains("coffer_decimal"))
  }

  fileprivate struct Bag: Codable {
    struct Content: Codable { var numbers: Set<Int>, names: [String: Int] }
    var numbers: Set<Int>
    var content: Content
  }

  @Test func `sets are compared, and refused where they can't be`() throws {
    let bags = try encrypted.store.collection(Bag.self)
    let numbers = Set(1...20)
    try bags.insert(
      Bag(numbers: numbers, content: Bag.Content(numbers: numbers, names: ["a": 1, "b": 2])))
    var others = Set<Int>(minimumCapacity: 500)
    for number in (1...20).reversed() { others.insert(number) }
    #expect(try bags.filter(\.numbers, equalTo: others).fetchCount() == 1)
    #expect(try bags.filter(\.content.names, equalTo: ["b": 2, "a": 1]).fetchCount() == 1)
    let error = documentError { try bags.filter(\.content.numbers, equalTo: others).fetchCount() }
    #expect(error?.contains("content.numbers") == true)
  }

  @Test func `a property of any name orders what is fetched of another`() throws {
    let paints = try paints()
    #expect(try paints.all().orderBy(\.value).fetchMany(\.id) == [2, 3, 1])
    #expect(try paints.all().orderBy { $0.value.desc }.fetchOne(\.id) == 1)
  }

  @Test func `nil is first or last, as it is asked for`() throws {
    typealias Query = QueryBuilder<Person>
    func order(_ direction: Query.Direction?, _ nulls: Query.Nulls?) throws -> [Int] {
      try people.all().orderBy(\.score, direction, nulls: nulls).fetchMany(\.id)
    }
    #expect(try order(nil, nil) == [2, 3, 1])
    #expect(try order(.ascending, .first) == [2, 3, 1])
    #expect(try order(.ascending, .last) == [3, 1, 2])
    #expect(try order(.descending, nil) == [1, 3, 2])
    #expect(try order(.descending, .last) == [1, 3, 2])
    #expect(try order(.descending, .first) == [2, 1, 3])
  }

  @Test func `limits and offsets choose documents by position`() throws {
    let all = people.all().orderBy(\.id)
    #expect(try all.limit(2).fetchMany(\.id) == [1, 2])
    #expect(try all.limit(2).offset(1).fetchMany(\.id) == [2, 3])
    #expect(try all.offset(2).fetchMany(\.id) == [3])
    #expect(try all.limit(0).fetchMany().isEmpty)
    #expect(try all.limit(0).fetchOne() == nil)
    #expect(try all.offset(1).fetchOne()?.id == 2)
    #expect(try all.limit(2).fetchCount() == 2)
    #expect(try all.offset(1).fetchCount() == 2)
    #expect(documentError { try all.limit(-1).fetchMany() } != nil)
    #expect(documentError { try all.offset(-1).fetchCount() } != nil)
  }

  @Test func `a limit holds for changes too`() throws {
    #expect(try people.all().orderBy(\.id, .descending).limit(1).update(\.name, "last") == 1)
    #expect(try people.filter(\.name, equalTo: "last").fetchMany(\.id) == [3])
    #expect(try people.all().orderBy(\.id).offset(1).limit(1).delete() == 1)
    #expect(try ids(people.all()) == [1, 3])
    #expect(try people.filter(id: 9).delete() == 0)
    #expect(try people.all().update(\.address, nil) == 2)
    #expect(try people.all().fetchMany(\.address) == [nil, nil])
    #expect(try people.all().delete() == 2)
  }

  fileprivate struct RowIDs: Codable { var rowid: Int, oid: Int, _rowid_: Int }

  @Test func `a limit that can't hold for changes is an error`() throws {
    let rows = try encrypted.store.collection(RowIDs.self)
    try rows.insert([RowIDs(rowid: 1, oid: 1, _rowid_: 1), RowIDs(rowid: 1, oid: 1, _rowid_: 1)])
    #expect(documentError { try rows.all().limit(1).delete() }?.contains("rowid") == true)
    #expect(try rows.all().fetchCount() == 2)
  }

  @Test func `an impossible query is an error that says what to do`() throws {
    #expect(documentError { try people.all().update() } != nil)
    #expect(documentError { try people.filter(\.name.count, equalTo: 1).fetchMany() } != nil)
    struct Other: Codable { var name: String, weight: Int }
    let error = documentError { try people.all().fetchMany(Other.self) }
    #expect(error?.contains("weight") == true)
    // A query with an error has no effect at all.
    #expect(documentError { try people.filter(\.name.count, equalTo: 1).delete() } != nil)
    #expect(try people.all().fetchCount() == 3)
  }
}
