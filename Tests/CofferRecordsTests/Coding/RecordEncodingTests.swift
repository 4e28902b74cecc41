import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct RecordEncodingTests {
  /// What a record stores, with the classes of the values.
  func stored(_ record: some EncodableRecord) throws -> [String: String] {
    try record.databaseDictionary.mapValues { value in
      switch value.storage {
      case .null: "null"
      case .int64(let value): "int \(value)"
      case .double(let value): "real \(value)"
      case .string(let value): "text \(value)"
      case .blob(let value): "blob \(value.map { String($0) }.joined(separator: " "))"
      }
    }
  }

  @Test func `properties of all types are stored as their database values`() throws {
    let values = try stored(EncodableEverything(RecordDecodingTests.everything))
    #expect(values["bool"] == "int 1" && values["int8"] == "int -8")
    #expect(values["uint64"] == "int 64" && values["double"] == "real 1.5")
    #expect(values["float"] == "real 0.25" && values["string"] == "text é")
    #expect(values["date"] == "text 2024-05-31 08:15:00.500" && values["data"] == "blob 1 2")
    #expect(values["uuid"] == "blob 86 231 216 211 233 228 72 182 150 142 141 16 40 51 175 0")
    #expect(values["url"] == "text https://example.org/a" && values["decimal"] == "text 12.5")
    #expect(values["suit"] == "text spades" && values["level"] == "int 2")
    #expect(values["list"] == "text [1,2]" && values["dictionary"] == #"text {"a":true}"#)
    #expect(values.count == 23)
  }

  struct EncodableEverything: Encodable, EncodableRecord {
    var value: RecordDecodingTests.Everything
    init(_ value: RecordDecodingTests.Everything) { self.value = value }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  struct Player: Codable, PersistableRecord, FetchableRecord, Equatable {
    struct Medal: Codable, Equatable {
      var type: String?
      var name: String
    }
    var id: Int64, name: String
    var score: Int?
    var medal: Medal?
    var medals: [Medal]
    static func table(_ db: Database) throws {
      try db.execute(
        sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT, medal, medals)")
    }
  }

  @Test func `records are stored and fetched again, nested values as JSON with sorted keys`() throws
  {
    try EncryptedQueue.with { db throws in
      try Player.table(db)
      let gold = Player.Medal(type: "gold", name: "First")
      let players = [
        Player(id: 1, name: "Arthur", score: nil, medal: nil, medals: []),
        Player(id: 2, name: "Barbara", score: 7, medal: gold, medals: [gold, gold]),
        Player(id: 3, name: "", score: 0, medal: gold, medals: []),
      ]
      for player in players { try player.insert(db) }
      #expect(try Player.order(Column("id")).fetchAll(db) == players)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 2"))
      #expect(row["medal"] == #"{"name":"First","type":"gold"}"#)
      let null = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 1"))
      #expect(null.hasNull(atIndex: 2) && null.hasNull(atIndex: 3) && null["medals"] == "[]")
      var changed = players[1]
      #expect(try changed.updateChanges(db) { $0.medals = [] })
      #expect(try Player.filter(Column("id") == 2).fetchOne(db) == changed)
    }
  }

  @Test func `nil is NULL, and each key has its column`() throws {
    struct Optionals: Encodable, EncodableRecord {
      var bool: Bool? = nil, int: Int? = nil, uint: UInt? = nil, string: String? = nil
      var double: Double? = nil, date: Date? = nil, uuid: UUID? = nil, data: Data? = nil
      var list: [Int]? = nil, suit: RecordDecodingTests.Suit? = nil
    }
    let values = try stored(Optionals())
    #expect(values.count == 10)
    #expect(values.values.allSatisfy { $0 == "null" })
    let some = try stored(Optionals(bool: false, int: 1, uint: 2, suit: .hearts))
    #expect(some["bool"] == "int 0" && some["uint"] == "int 2" && some["suit"] == "text hearts")
  }

  @Test func `types that encode one value are stored as it`() throws {
    struct Inner: Encodable {
      var text: String? = nil
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text { try container.encode(text) } else { try container.encodeNil() }
      }
    }
    struct Outer: Encodable {
      var inner: Inner
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(inner)
      }
    }
    enum Either: Encodable {
      case number(Int), pair([String: Int])
      func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let number):
          var container = encoder.singleValueContainer()
          try container.encode(number)
        case .pair(let pair): try pair.encode(to: encoder)
        }
      }
    }
    struct Record: Encodable, EncodableRecord { var outer: Outer, null: Inner, either: Either }
    for _ in 1...2 {
      let number = Record(outer: Outer(inner: Inner(text: "a")), null: Inner(), either: .number(3))
      #expect(try stored(number) == ["outer": "text a", "null": "null", "either": "int 3"])
      let pair = Record(
        outer: Outer(inner: Inner(text: "a")), null: Inner(), either: .pair(["b": 1, "a": 2]))
      #expect(try stored(pair)["either"] == #"text {"a":2,"b":1}"#)
    }
  }

  @Test func `a type's own database value comes before encode(to:)`() throws {
    struct Value: Encodable, DatabaseValueConvertible {
      var databaseValue: DatabaseValue { "own".databaseValue }
      static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Value? { nil }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("encoded")
      }
    }
    struct Record: Encodable, EncodableRecord { var value: Value, optional: Value? }
    #expect(
      try stored(Record(value: Value(), optional: Value()))
        == ["value": "text own", "optional": "text own"])
  }

  @Test func `superclasses share the row, nested containers and superEncoder(forKey:) are JSON`()
    throws
  {
    class Base: Encodable {
      var id = 1
    }
    final class Derived: Base, EncodableRecord {
      var name = "a"
      enum CodingKeys: CodingKey { case name, nested, list, single, content, empty }
      enum NestedKeys: CodingKey { case y, x, inner }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        var nested = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try nested.encode(1, forKey: .y)
        try nested.encodeNil(forKey: .x)
        var inner = nested.nestedContainer(keyedBy: NestedKeys.self, forKey: .inner)
        try inner.encode(Date(timeIntervalSince1970: 1), forKey: .x)
        try list.encode("one")
        try list.encode(2)
        #expect(list.count == 2)
        try "text".encode(to: container.superEncoder(forKey: .single))
        try [1: 2].encode(to: container.superEncoder(forKey: .content))
        _ = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .empty)
        try super.encode(to: container.superEncoder())
      }
    }
    for _ in 1...2 {
      #expect(
        try stored(Derived()) == [
          "id": "int 1", "name": "text a", "nested": #"text {"inner":{"x":1000},"x":null,"y":1}"#,
          "list": #"text ["one",2]"#, "single": "text text", "content": #"text {"1":2}"#,
          "empty": "text {}",
        ])
    }
  }

  @Test func `a value without keys can't be stored`() throws {
    struct Single: Encodable, EncodableRecord {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
    }
    struct List: Encodable, EncodableRecord {
      func encode(to encoder: any Encoder) throws { try [1, 2].encode(to: encoder) }
    }
    for error in [
      #expect(throws: EncodingError.self) { try stored(Single()) },
      #expect(throws: EncodingError.self) { try stored(List()) },
    ] {
      guard case .invalidValue(_, let context) = error else { continue }
      #expect(context.debugDescription.contains("has to encode keys"))
    }
  }

  @Test func `integers beyond SQLite's are an error that names the column`() throws {
    struct Record: Encodable, EncodableRecord { var a: UInt64, b: UInt? = nil }
    for record in [Record(a: .max), Record(a: 0, b: .max)] {
      let error = #expect(throws: EncodingError.self) { try stored(record) }
      guard case .invalidValue(_, let context) = error else { continue }
      #expect(context.debugDescription.contains("SQLite's largest integer is"))
      #expect(context.debugDescription.contains(record.a == 0 ? "\"b\"" : "\"a\""))
    }
    #expect(try stored(Record(a: UInt64(Int64.max))) == ["a": "int \(Int64.max)", "b": "null"])
  }

  @Test func `an error thrown by encode(to:) reaches the caller, and the next record is stored`()
    throws
  {
    struct Record: Codable, PersistableRecord {
      var id: Int, refuses: Bool
      enum CodingKeys: CodingKey { case id }
      init(id: Int, refuses: Bool) { (self.id, self.refuses) = (id, refuses) }
      init(from decoder: any Decoder) throws { self.init(id: 0, refuses: false) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        if refuses { throw TestError() }
      }
    }
    try EncryptedQueue.with("CREATE TABLE record (id INTEGER PRIMARY KEY)") { db throws in
      for id in 1...4 {
        let record = Record(id: id, refuses: id % 2 == 0)
        if record.refuses {
          #expect(throws: TestError.self) { try record.insert(db) }
        } else {
          try record.insert(db)
        }
      }
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM record") == [1, 3])
    }
  }

  @Test func `userInfo reaches columns and JSON`() throws {
    struct Leaf: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let name = encoder.userInfo[CodingUserInfoKey(rawValue: "name")!] as? String
        try container.encode(name ?? "none")
      }
    }
    struct Record: Encodable, EncodableRecord {
      var leaf = Leaf(), leaves = [Leaf()]
      static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] {
        [CodingUserInfoKey(rawValue: "name")!: "Barbara"]
      }
    }
    #expect(try stored(Record()) == ["leaf": "text Barbara", "leaves": #"text ["Barbara"]"#])
  }

  @Test func `a container that is kept takes nothing any more`() throws {
    final class Keeper: Encodable, EncodableRecord {
      enum CodingKeys: CodingKey { case a }
      nonisolated(unsafe) var container: KeyedEncodingContainer<CodingKeys>?
      func encode(to encoder: any Encoder) throws {
        container = encoder.container(keyedBy: CodingKeys.self)
        try container?.encode(1, forKey: .a)
      }
    }
    let keeper = Keeper()
    #expect(try stored(keeper) == ["a": "int 1"])
    #expect(throws: DatabaseError.self) { try keeper.container?.encode(2, forKey: .a) }
    #expect(throws: DatabaseError.self) { try keeper.container?.encode([2], forKey: .a) }
  }
}
