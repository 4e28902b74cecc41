import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct RecordColumnsTests {
  struct Address: Codable, Equatable { var city: String }

  struct Player: Codable {
    var id: Int64?
    var name: String
    var `default`: Int
    let fixed: Bool
    var address: Address
    var cache = 3
    var computed: Int { cache * 2 }

    enum CodingKeys: String, CodingKey {
      case id, `default`, fixed, address
      case name = "full_name"
    }
  }

  @Test func `stored properties are typed columns, named by their coding keys`() {
    let id: TypedColumn<Int64?> = RecordColumns<Player>.id
    let name: TypedColumn<String> = RecordColumns<Player>.name
    let address: TypedColumn<Address> = RecordColumns<Player>.address
    #expect(id.name == "id")
    #expect(name.name == "full_name")
    #expect(address.name == "address")
    #expect(RecordColumns<Player>.default.name == "default")
    #expect(RecordColumns<Player>.fixed.name == "fixed")
  }

  @Test func `a property without a coding key is named as itself`() {
    #expect(RecordColumns<Player>.cache.name == "cache")
  }

  @Test func `a query of a computed property throws with advice`() throws {
    try EncryptedQueue.with("CREATE TABLE player (name, computed, shouted)") { db throws in
      let column = RecordColumns<Player>.computed
      let request = Table("player")
      for query in [
        request.filter(column == 1), request.order(column), request.select(column),
        request.filter(column + 1 > 2 || column == nil), request.group(column),
      ] {
        let error = #expect(throws: DatabaseError.self) { _ = try Row.fetchAll(db, query) }
        #expect(error?.message?.contains("is no stored property of Player") == true)
        #expect(error?.hint?.contains("enum Columns") == true)
      }
      #expect(throws: DatabaseError.self) { try request.updateAll(db, column.set(to: 1)) }
    }
  }

  @Test func `a query of a property of a property throws`() throws {
    try EncryptedQueue.with("CREATE TABLE player (city)") { db throws in
      let column = RecordColumns<Player>[dynamicMember: \.address.city]
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, Table("player").filter(column == "Paris"))
      }
    }
  }

  struct Plain {
    var name = ""
    var pair = (1, 2)
  }

  struct Sent: Encodable {
    var name = ""
    enum CodingKeys: String, CodingKey { case name = "full_name" }
  }

  @Test func `a type that can't be decoded has its properties' names`() {
    #expect(RecordColumns<Plain>.name.name == "name")
    #expect(RecordColumns<Sent>.name.name == "name")
  }

  struct Generic<Value: Codable>: Codable {
    var value: Value
    var label: String
    enum CodingKeys: String, CodingKey { case value = "v", label = "l" }
  }

  private func names<Value: Codable>(_: Value.Type) -> [String] {
    [RecordColumns<Generic<Value>>.value.name, RecordColumns<Generic<Value>>.label.name]
  }

  @Test func `generic records have columns`() {
    for _ in 1...2 {
      #expect(names(Int.self) == ["v", "l"])
      #expect(names([String: Int].self) == ["v", "l"])
    }
  }

  // MARK: Key paths without names

  @propertyWrapper struct Wrapper<Value: Codable>: Codable {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  enum Kind: String, Codable { case good, bad, ugly }

  struct Observed: Codable {
    var id: Int { didSet {} }
    var name: String { didSet {} }
    var other: String { willSet {} }
    var flag: Bool { didSet {} }
    var kind: Kind { didSet {} }
    var address: Address { didSet {} }
    var tags: [String] { didSet {} }
    var date: Date? { didSet {} }
    var count: Int? { didSet {} }
    @Wrapper var wrapped: String
    @Wrapper var maybe: Int?
    var doubled: Int { id * 2 }
    var size: Int { abs(id) }
    var shouted: String { name.uppercased() }
    var either: Bool { flag || wrapped.isEmpty }
    enum CodingKeys: String, CodingKey {
      case id = "observed_id"
      case name, other, flag, kind, address, tags, date, count, wrapped, maybe
    }
  }

  @Test func `properties with observers and wrappers are found by their values`() {
    typealias Columns = RecordColumns<Observed>
    #expect(Columns.id.name == "observed_id")
    #expect(Columns.name.name == "name")
    #expect(Columns.other.name == "other")
    #expect(Columns.flag.name == "flag")
    #expect(Columns.kind.name == "kind")
    #expect(Columns.address.name == "address")
    #expect(Columns.tags.name == "tags")
    #expect(Columns.date.name == "date")
    #expect(Columns.count.name == "count")
    #expect(Columns.wrapped.name == "wrapped")
    #expect(Columns.maybe.name == "maybe")
  }

  @Test func `computed values that follow a stored one are told apart from it`() throws {
    typealias Columns = RecordColumns<Observed>
    let columns: [any SQLExpressible] = [
      Columns.doubled, Columns.size, Columns.shouted, Columns.either,
    ]
    try EncryptedQueue.with("CREATE TABLE t (doubled, size, shouted, either)") { db throws in
      for column in columns {
        #expect(throws: DatabaseError.self) {
          try Row.fetchAll(db, Table("t").filter(column.sqlExpression == 1))
        }
      }
    }
  }

  class Base: Codable {
    var id = 1
    var name = ""
    let fixed: Int?
    enum CodingKeys: String, CodingKey { case id = "base_id", name, fixed }
    init() { fixed = 3 }
  }

  final class Derived: Base {
    var score: Int
    enum DerivedKeys: String, CodingKey { case score = "points" }
    required init(from decoder: any Decoder) throws {
      score = try decoder.container(keyedBy: DerivedKeys.self).decode(Int.self, forKey: .score)
      try super.init(from: decoder)
    }
  }

  @Test func `classes have columns, inherited ones too`() {
    #expect(RecordColumns<Base>.id.name == "base_id")
    #expect(RecordColumns<Base>.name.name == "name")
    #expect(RecordColumns<Base>.fixed.name == "fixed")
    #expect(RecordColumns<Derived>.score.name == "points")
    #expect(RecordColumns<Derived>.id.name == "base_id")
    #expect(RecordColumns<Derived>.name.name == "name")
  }

  @Test func `a protocol's property is the stored one of the record`() {
    func id<Record: Codable & Identifiable>(_: Record.Type) -> String {
      RecordColumns<Record>.id.name
    }
    struct Plain: Codable, Identifiable { var name: String, id: Int }
    struct Renamed: Codable, Identifiable {
      var name: String, id: Int
      enum CodingKeys: String, CodingKey { case name, id = "renamed_id" }
    }
    struct Computing: Codable, Identifiable {
      var name: String, isbn: String
      var id: String { isbn }
    }
    #expect(id(Plain.self) == "id")
    #expect(id(Renamed.self) == "renamed_id")
    #expect(id(Computing.self) == "isbn")
  }

  @Test func `names are found from many threads at once`() async {
    await withTaskGroup(of: [String].self) { group in
      for _ in 0..<16 {
        group.addTask {
          struct Local: Codable {
            var a: Int { didSet {} }
            var b: String
            var c: Double?
          }
          typealias Columns = RecordColumns<Local>
          return [Columns.a.name, Columns.b.name, Columns.c.name]
        }
      }
      for await names in group { #expect(names == ["a", "b", "c"]) }
    }
  }
}
