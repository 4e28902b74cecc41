import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct RecordDecodingTests {
  enum Suit: String, Codable { case hearts, spades }
  enum Level: Int, Codable { case low = 1, high = 2 }

  struct Everything: Codable, FetchableRecord, Equatable {
    var bool: Bool
    var int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64
    var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
    var double: Double, float: Float
    var string: String
    var date: Date, data: Data, uuid: UUID, url: URL, decimal: Decimal
    var suit: Suit, level: Level
    var list: [Int], dictionary: [String: Bool]
  }

  struct Optionals: Codable, FetchableRecord, Equatable {
    var bool: Bool? = nil
    var int: Int? = nil
    var int8: Int8? = nil
    var int16: Int16? = nil
    var int32: Int32? = nil
    var int64: Int64? = nil
    var uint: UInt? = nil
    var uint8: UInt8? = nil
    var uint16: UInt16? = nil
    var uint32: UInt32? = nil
    var uint64: UInt64? = nil
    var double: Double? = nil
    var float: Float? = nil
    var string: String? = nil
    var date: Date? = nil
    var data: Data? = nil
    var uuid: UUID? = nil
    var url: URL? = nil
    var decimal: Decimal? = nil
    var suit: Suit? = nil
    var level: Level? = nil
    var list: [Int]? = nil
    var dictionary: [String: Bool]? = nil
  }

  static let sql = """
    SELECT 1 AS bool, -1 AS int, -8 AS int8, -16 AS int16, -32 AS int32, -64 AS int64,
      1 AS uint, 8 AS uint8, 16 AS uint16, 32 AS uint32, 64 AS uint64,
      1.5 AS double, 0.25 AS float, 'é' AS string, '2024-05-31 08:15:00.500' AS date,
      x'0102' AS data, '56E7D8D3-E9E4-48B6-968E-8D102833AF00' AS uuid,
      'https://example.org/a' AS url, '12.50' AS decimal, 'spades' AS suit, 2 AS level,
      '[1,2]' AS list, '{"a":true}' AS dictionary
    """

  static let everything = Everything(
    bool: true, int: -1, int8: -8, int16: -16, int32: -32, int64: -64, uint: 1, uint8: 8,
    uint16: 16, uint32: 32, uint64: 64, double: 1.5, float: 0.25, string: "é",
    date: Date(timeIntervalSince1970: 1_717_143_300.5), data: Data([1, 2]),
    uuid: UUID(uuidString: "56E7D8D3-E9E4-48B6-968E-8D102833AF00")!,
    url: URL(string: "https://example.org/a")!, decimal: Decimal(string: "12.5")!,
    suit: .spades, level: .high, list: [1, 2], dictionary: ["a": true])

  /// Decodes the row of a cursor and a copy of it.
  func decode<R: FetchableRecord & Decodable>(
    _ type: R.Type, _ db: Database, _ sql: String, _ arguments: StatementArguments = []
  ) throws -> (live: R, copy: R) {
    let live = try #require(try R.fetchOne(db, sql: sql, arguments: arguments))
    let copy = try #require(try Row.fetchOne(db, sql: sql, arguments: arguments))
    return (live, try R(row: copy))
  }

  @Test func `properties of all types are read, from statements and from copies`() throws {
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Everything.self, db, Self.sql)
      #expect(live == Self.everything)
      #expect(copy == Self.everything)
      let many = "\(Self.sql) UNION ALL \(Self.sql) UNION ALL \(Self.sql)"
      #expect(
        try Everything.fetchAll(db, sql: many) == [
          Self.everything, Self.everything, Self.everything,
        ])
    }
  }

  @Test func `optional properties are read, and nil for NULL and for missing columns`() throws {
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Optionals.self, db, Self.sql)
      #expect(live == copy)
      #expect(live.bool == true && live.int == -1 && live.int8 == -8 && live.int16 == -16)
      #expect(live.int32 == -32 && live.int64 == -64 && live.uint == 1 && live.uint8 == 8)
      #expect(live.uint16 == 16 && live.uint32 == 32 && live.uint64 == 64)
      #expect(live.double == 1.5 && live.float == 0.25 && live.string == "é")
      #expect(live.date == Self.everything.date && live.data == Data([1, 2]))
      #expect(live.uuid == Self.everything.uuid && live.url == Self.everything.url)
      #expect(live.decimal == Self.everything.decimal && live.suit == .spades)
      #expect(live.level == .high && live.list == [1, 2] && live.dictionary == ["a": true])
      let names = try Row.fetchOne(db, sql: Self.sql)!.columnNames
      let nulls = "SELECT " + names.map { "NULL AS \($0)" }.joined(separator: ", ")
      for sql in [nulls, "SELECT 1 AS other"] {
        let (live, copy) = try decode(Optionals.self, db, sql)
        #expect(live == Optionals())
        #expect(copy == Optionals())
      }
    }
  }

  @Test func `values alternate with NULL from row to row`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "VALUES (1, 'a', '[1]'), (NULL, NULL, NULL), (2, 'b', '[2]'), (NULL, '', '[]')"
      let records = try Optionals.fetchAll(
        db, sql: "WITH t(int, string, list) AS (\(sql)) SELECT * FROM t")
      #expect(records.map(\.int) == [1, nil, 2, nil])
      #expect(records.map(\.string) == ["a", nil, "b", ""])
      #expect(records.map(\.list) == [[1], nil, [2], []])
    }
  }

  @Test func `columns are found in either case, and others are passed over`() throws {
    struct Player: Decodable, FetchableRecord { var id: Int, name: String }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(
        Player.self, db, "SELECT 0 AS x, 'Arthur' AS NAME, 1 AS y, 7 AS Id")
      #expect(live.id == 7 && live.name == "Arthur")
      #expect(copy.id == 7 && copy.name == "Arthur")
    }
  }

  @Test func `a record with a hundred properties finds all of them`() throws {
    struct Wide: Decodable, FetchableRecord {
      enum CodingKeys: Int, CodingKey, CaseIterable {
        case a0 = 1, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9
        case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9
        case e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9
        case g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1, h2, h3, h4, h5, h6, h7, h8, h9
      }
      var values: [Int]
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        values = try CodingKeys.allCases.map { try container.decode(Int.self, forKey: $0) }
      }
    }
    try EncryptedQueue.with { db throws in
      let columns = Wide.CodingKeys.allCases.enumerated().map { "\($0) AS \($1.stringValue)" }
      let (live, copy) = try decode(
        Wide.self, db, "SELECT \(columns.reversed().joined(separator: ", "))")
      #expect(live.values == Array(0..<80))
      #expect(copy.values == Array(0..<80))
    }
  }

  @Test func `keys that are made of text are found too`() throws {
    struct Bag: Decodable, FetchableRecord, Equatable {
      var values: [String: Int]
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: TextKey.self)
        values = [:]
        for key in container.allKeys {
          #expect(container.contains(key))
          if try container.decodeNil(forKey: key) { continue }
          values[key.stringValue] = try container.decode(Int.self, forKey: key)
        }
        let missing = TextKey(stringValue: "missing")
        #expect(!container.contains(missing))
        #expect(try container.decodeNil(forKey: missing))
        #expect(try container.decodeIfPresent(Int.self, forKey: missing) == nil)
      }
    }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Bag.self, db, "SELECT 1 AS a, NULL AS b, 3 AS c")
      #expect(live.values == ["a": 1, "c": 3])
      #expect(copy == live)
    }
  }

  @Test func `superclasses read the same row`() throws {
    class Base: Decodable {
      var id: Int
      enum CodingKeys: CodingKey { case id }
      required init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
      }
    }
    final class Derived: Base, FetchableRecord {
      var name: String
      enum CodingKeys: CodingKey { case name, json }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
      }
    }
    try EncryptedQueue.with { db throws in
      let sql = "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'"
      let all = try Derived.fetchAll(db, sql: sql)
      #expect(all.map(\.id) == [1, 2])
      #expect(all.map(\.name) == ["a", "b"])
    }
  }

  @Test func `nested containers and superDecoder(forKey:) read JSON in a column`() throws {
    struct Record: Decodable, FetchableRecord {
      var x: Int, names: [String], single: String, content: Content
      struct Content: Codable, Equatable { var a: Int, b: String }
      enum CodingKeys: CodingKey { case nested, list, single, content }
      enum NestedKeys: CodingKey { case x }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        x = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
          .decode(Int.self, forKey: .x)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        names = []
        while !list.isAtEnd { names.append(try list.decode(String.self)) }
        single = try String(from: container.superDecoder(forKey: .single))
        content = try Content(from: container.superDecoder(forKey: .content))
      }
    }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(
        Record.self, db,
        """
        SELECT '{"x":5}' AS nested, '["a","b"]' AS list, 's' AS single, '{"a":1,"b":"c"}' AS content
        """)
      #expect(live.x == 5 && live.names == ["a", "b"] && live.single == "s")
      #expect(live.content == Record.Content(a: 1, b: "c"))
      #expect(copy.x == 5 && copy.names == ["a", "b"] && copy.content == live.content)
    }
  }

  @Test func `types that wrap one value read the column, or JSON where they want more`() throws {
    struct Inner: Decodable, Equatable {
      var text: String
      init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
      }
    }
    struct Outer: Decodable, Equatable {
      var inner: Inner
      init(from decoder: any Decoder) throws {
        inner = try decoder.singleValueContainer().decode(Inner.self)
      }
    }
    enum Either: Decodable, Equatable {
      case number(Int), pair([Int])
      init(from decoder: any Decoder) throws {
        if let number = try? decoder.singleValueContainer().decode(Int.self), number > 0 {
          self = .number(number)
        } else {
          self = .pair(try [Int](from: decoder))
        }
      }
    }
    struct Record: Decodable, FetchableRecord, Equatable {
      var outer: Outer, either: Either, optional: Outer?
    }
    try EncryptedQueue.with { db throws in
      let sql =
        "SELECT 'a' AS outer, 1 AS either, NULL AS optional UNION ALL SELECT 'b', '[1,2]', 'c'"
      for _ in 1...2 {
        let records = try Record.fetchAll(db, sql: sql)
        #expect(records.map(\.outer.inner.text) == ["a", "b"])
        #expect(records.map(\.either) == [.number(1), .pair([1, 2])])
        #expect(records.map(\.optional?.inner.text) == [nil, "c"])
      }
      let copies = try Row.fetchAll(db, sql: sql).map(Record.init(row:))
      #expect(copies == (try Record.fetchAll(db, sql: sql)))
    }
  }

  @Test func `a type's own conversion of database values comes before init(from:)`() throws {
    struct Value: Decodable, DatabaseValueConvertible {
      var text: String
      init(_ text: String) { self.text = text }
      init(from decoder: any Decoder) throws { text = "decoded" }
      var databaseValue: DatabaseValue { text.databaseValue }
      static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Value? {
        String.fromDatabaseValue(dbValue).map { Value($0 + "!") }
      }
    }
    struct Record: Decodable, FetchableRecord { var value: Value, optional: Value? }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Record.self, db, "SELECT 'a' AS value, 'b' AS optional")
      #expect([live.value.text, live.optional?.text, copy.value.text] == ["a!", "b!", "a!"])
      #expect(try decode(Record.self, db, "SELECT 'a' AS value").live.optional == nil)
    }
  }

  @Test func `property wrappers pass optionals and strategies on`() throws {
    @propertyWrapper struct Wrapped<Value: Decodable>: Decodable {
      var wrappedValue: Value
      init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
      }
    }
    struct Record: Decodable, FetchableRecord {
      @Wrapped var date: Date
      @Wrapped var note: String?
      @Wrapped var list: [Int]
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "date" ? .millisecondsSince1970 : .deferredToDate
      }
    }
    try EncryptedQueue.with { db throws in
      let (live, _) = try decode(
        Record.self, db, "SELECT 1500 AS date, NULL AS note, '[3]' AS list")
      #expect(live.date == Date(timeIntervalSince1970: 1.5))
      #expect(live.note == nil && live.list == [3])
      #expect(try decode(Record.self, db, "SELECT 0 AS date, '[]' AS list").copy.note == nil)
    }
  }

  @Test func `FetchableRecordDecoder does the work of init(row:)`() throws {
    struct Player: Decodable, FetchableRecord {
      var name: String
      var isCached: Bool
      enum CodingKeys: CodingKey { case name }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        isCached = false
      }
      init(row: Row) throws {
        self = try FetchableRecordDecoder().decode(Self.self, from: row)
        isCached = row["isCached"]
      }
    }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Player.self, db, "SELECT 'a' AS name, 1 AS isCached")
      #expect(live.isCached && copy.isCached && live.name == "a")
    }
    #expect(try Player(row: ["name": "b", "isCached": false]).name == "b")
  }

  @Test func `userInfo reaches columns, JSON and nested decoders`() throws {
    let key = CodingUserInfoKey(rawValue: "name")!
    struct Leaf: Decodable {
      var name: String
      init(from decoder: any Decoder) throws {
        name = decoder.userInfo[CodingUserInfoKey(rawValue: "name")!] as? String ?? "none"
        _ = try decoder.singleValueContainer().decode(Int.self)
      }
    }
    struct Record: Decodable, FetchableRecord {
      var leaf: Leaf, leaves: [Leaf]
      static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] {
        [CodingUserInfoKey(rawValue: "name")!: "Barbara"]
      }
    }
    try EncryptedQueue.with { db throws in
      let (live, copy) = try decode(Record.self, db, "SELECT 1 AS leaf, '[1,2]' AS leaves")
      #expect(live.leaf.name == "Barbara" && live.leaves.map(\.name) == ["Barbara", "Barbara"])
      #expect(copy.leaf.name == "Barbara")
      #expect(Record.databaseJSONDecoder(for: "x").userInfo[key] as? String == "Barbara")
    }
  }

  @Test func `records may fetch records of their type while they are decoded`() throws {
    struct Node: Decodable, FetchableRecord {
      nonisolated(unsafe) static var db: Database?
      var id: Int, next: Int?
      enum CodingKeys: CodingKey { case id, next }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        let inner =
          id < 3
          ? try Self.db.flatMap {
            try Node.fetchOne($0, sql: "SELECT ? AS id", arguments: [id + 1])
          }
          : nil
        next = inner?.id
        #expect(try container.decode(Int.self, forKey: .id) == id)
      }
    }
    try EncryptedQueue.with { db throws in
      // SAFETY: the test uses it alone.
      Node.db = db
      defer { Node.db = nil }
      let nodes = try Node.fetchAll(db, sql: "SELECT 1 AS id UNION ALL SELECT 2")
      #expect(nodes.map(\.next) == [2, 3])
    }
  }

  @Test func `a container that is kept finds no row any more, and throws`() throws {
    struct Record: Decodable, FetchableRecord {
      enum CodingKeys: CodingKey { case a, b }
      var container: KeyedDecodingContainer<CodingKeys>
      init(from decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: CodingKeys.self)
        #expect(try container.decode(Int.self, forKey: .a) == 1)
      }
    }
    let container = try EncryptedQueue.with { db throws in
      let record = try #require(try Record.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b"))
      #expect(throws: DatabaseError.self) { try record.container.decode(Int.self, forKey: .a) }
      return record.container
    }
    // The decoder has been released.
    #expect(throws: DatabaseError.self) { try container.decode(Int.self, forKey: .a) }
    #expect(throws: DatabaseError.self) { try container.decodeIfPresent(Int.self, forKey: .b) }
    #expect(throws: DatabaseError.self) { try container.decode([Int].self, forKey: .b) }
    #expect(container.allKeys.isEmpty && !container.contains(.a))
  }
}
