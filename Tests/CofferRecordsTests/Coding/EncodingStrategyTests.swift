import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct EncodingStrategyTests {
  protocol Strategy { static var strategy: DatabaseDateEncodingStrategy { get } }

  struct Dated<S: Strategy>: Encodable, EncodableRecord {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      S.strategy
    }
  }

  struct OptionallyDated<S: Strategy>: Encodable, EncodableRecord {
    var date: Date? = nil
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      S.strategy
    }
  }

  static let dates = [
    Date(timeIntervalSince1970: -987654.321), Date(timeIntervalSince1970: 123456.789),
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 123456.789),
  ]

  func check<S: Strategy>(
    _ strategy: S.Type, _ expected: [any DatabaseValueConvertible]
  ) throws {
    for (date, value) in zip(Self.dates, expected) {
      let stored = try Dated<S>(date: date).databaseDictionary["date"]
      #expect(stored?.storage == value.databaseValue.storage)
      let optional = try OptionallyDated<S>(date: date).databaseDictionary["date"]
      #expect(optional?.storage == value.databaseValue.storage)
    }
    #expect(try OptionallyDated<S>().databaseDictionary == ["date": .null])
  }

  @Test func `dates are stored by strategy`() throws {
    enum Deferred: Strategy { static let strategy = DatabaseDateEncodingStrategy.deferredToDate }
    try check(
      Deferred.self,
      [
        "1969-12-20 13:39:05.679", "1970-01-02 10:17:36.789", "2001-01-01 00:00:00.000",
        "2001-01-02 10:17:36.789",
      ])
    enum Reference: Strategy {
      static let strategy = DatabaseDateEncodingStrategy.timeIntervalSinceReferenceDate
    }
    try check(Reference.self, [-979294854.321, -978183743.211, 0.0, 123456.789])
    enum Epoch: Strategy {
      static let strategy = DatabaseDateEncodingStrategy.timeIntervalSince1970
    }
    try check(Epoch.self, [-987654.32099997997, 123456.78900003433, 978307200.0, 978430656.789])
    enum Seconds: Strategy { static let strategy = DatabaseDateEncodingStrategy.secondsSince1970 }
    try check(Seconds.self, [-987655, 123456, 978_307_200, 978_430_656])
    enum Milliseconds: Strategy {
      static let strategy = DatabaseDateEncodingStrategy.millisecondsSince1970
    }
    try check(
      Milliseconds.self, [-987_654_321, 123_456_789, 978_307_200_000, 978_430_656_789])
    enum ISO: Strategy { static let strategy = DatabaseDateEncodingStrategy.iso8601 }
    try check(
      ISO.self,
      [
        "1969-12-20T13:39:05Z", "1970-01-02T10:17:36Z", "2001-01-01T00:00:00Z",
        "2001-01-02T10:17:36Z",
      ])
    enum Formatted: Strategy {
      static let strategy: DatabaseDateEncodingStrategy = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy MMM d"
        return .formatted(formatter)
      }()
    }
    try check(Formatted.self, ["1969 Dec 20", "1970 Jan 2", "2001 Jan 1", "2001 Jan 2"])
    enum Custom: Strategy { static let strategy = DatabaseDateEncodingStrategy.custom { _ in "x" } }
    try check(Custom.self, ["x", "x", "x", "x"])
    enum Null: Strategy { static let strategy = DatabaseDateEncodingStrategy.custom { _ in nil } }
    try check(Null.self, [DatabaseValue.null])
  }

  @Test func `a date that no integer can tell is an error`() throws {
    enum Milliseconds: Strategy {
      static let strategy = DatabaseDateEncodingStrategy.millisecondsSince1970
    }
    let far = Dated<Milliseconds>(date: Date(timeIntervalSince1970: 1e300))
    #expect(throws: EncodingError.self) { try far.databaseDictionary }
  }

  @Test func `data is stored by strategy`() throws {
    struct Record: Encodable, EncodableRecord {
      var blob: Data, text: Data, custom: Data, optional: Data? = nil
      static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        switch column {
        case "text", "optional": .text
        case "custom": .custom { $0.count }
        default: .deferredToData
        }
      }
    }
    let data = Data("foo".utf8)
    let stored = try Record(blob: data, text: data, custom: data).databaseDictionary
    #expect(
      stored == [
        "blob": data.databaseValue, "text": "foo".databaseValue, "custom": 3.databaseValue,
        "optional": .null,
      ])
    let error = #expect(throws: EncodingError.self) {
      try Record(blob: data, text: Data([0xFF]), custom: data).databaseDictionary
    }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.debugDescription.contains("\"text\""))
  }

  @Test func `UUIDs are stored by strategy`() throws {
    struct Record: Encodable, EncodableRecord {
      var blob: UUID, upper: UUID, lower: UUID?
      static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        switch column {
        case "upper": .uppercaseString
        case "lower": .lowercaseString
        default: .deferredToUUID
        }
      }
    }
    let uuid = UUID(uuidString: "56e7d8d3-e9e4-48b6-968e-8d102833af00")!
    let stored = try Record(blob: uuid, upper: uuid, lower: uuid).databaseDictionary
    #expect(stored["blob"] == uuid.databaseValue)
    #expect(stored["upper"] == "56E7D8D3-E9E4-48B6-968E-8D102833AF00".databaseValue)
    #expect(stored["lower"] == "56e7d8d3-e9e4-48b6-968e-8d102833af00".databaseValue)
  }

  @Test func `JSON has its own encoder for each column`() throws {
    struct Record: Encodable, EncodableRecord {
      var plain = [Date(timeIntervalSince1970: 128)], own = [Date(timeIntervalSince1970: 128)]
      var data = [Data("foo".utf8), nil]
      static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = column == "own" ? .secondsSince1970 : .millisecondsSince1970
        return encoder
      }
    }
    #expect(
      try Record().databaseDictionary == [
        "plain": "[128000]".databaseValue, "own": "[128]".databaseValue,
        "data": #"["Zm9v",null]"#.databaseValue,
      ])
  }

  @Test func `keys become columns by strategy`() throws {
    struct Snake: Encodable, EncodableRecord {
      var recordID = 1, myURLProperty = 2, plain = 3
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .convertToSnakeCase
      }
    }
    #expect(
      try Set(Snake().databaseDictionary.keys) == ["record_id", "my_url_property", "plain"])
    struct Custom: Encodable, EncodableRecord {
      var id = 1
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .custom { "c_\($0.stringValue)" }
      }
    }
    #expect(try Custom().databaseDictionary == ["c_id": 1.databaseValue])
  }

  @Test func `snake case is what JSON coders make of keys`() throws {
    struct AnyKeys: Codable {
      var names: [String]
      init(_ names: [String]) { self.names = names }
      init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: TextKey.self).allKeys.map(\.stringValue)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TextKey.self)
        for name in names { try container.encode(1, forKey: TextKey(stringValue: name)) }
      }
    }
    struct Record: Encodable, EncodableRecord {
      var keys: AnyKeys
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .convertToSnakeCase
      }
      func encode(to encoder: any Encoder) throws { try keys.encode(to: encoder) }
    }
    struct Decoded: Decodable, FetchableRecord {
      var keys: AnyKeys
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .convertFromSnakeCase
      }
      init(from decoder: any Decoder) throws { keys = try AnyKeys(from: decoder) }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    for name in [
      "teamId", "recordID", "myURLProperty", "aURLb", "URL", "ABCd", "A", "a", "aB1C2De", "aB1C",
      "x2Y", "already_snake", "_leading", "__twoLeading", "trailing_", "mixed_CaseName", "ÉtéHiver",
    ] {
      let json = try encoder.encode(AnyKeys([name]))
      let text = String(decoding: json, as: UTF8.self)
      let column = try #require(try Record(keys: AnyKeys([name])).databaseDictionary.keys.first)
      #expect(text == "{\"\(column)\":1}", "\(name)")
    }
    for name in [
      "team_id", "record_ID", "_leading_one", "trailing_one__", "plain", "Upper", "_", "__", "",
      "a__b", "http_url_x", "one_TWO_three", "snake_éte",
    ] {
      let json = Data("{\"\(name)\":1}".utf8)
      let expected = try decoder.decode(AnyKeys.self, from: json).names
      #expect(try Decoded(row: Row([name: 1])).keys.names == expected, "\(name)")
    }
  }

  @Test func `typed columns follow the strategies`() throws {
    struct Both: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Int, teamId: Int
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .convertToSnakeCase
      }
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .convertFromSnakeCase
      }
    }
    struct ReadOnly: Decodable, FetchableRecord, TableRecord {
      var id: Int, teamId: Int
      static let databaseTableName = "both"
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .convertFromSnakeCase
      }
    }
    struct Custom: Encodable, PersistableRecord {
      var id: Int
      static let databaseTableName = "both"
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .custom { $0.stringValue == "id" ? "team_id" : $0.stringValue }
      }
    }
    try EncryptedQueue.with("CREATE TABLE both (id INTEGER PRIMARY KEY, team_id INT)") {
      db throws in
      try Both(id: 1, teamId: 7).insert(db)
      try Both(id: 2, teamId: 8).insert(db)
      #expect(try Both.filter { $0.teamId == 7 }.fetchAll(db) == [Both(id: 1, teamId: 7)])
      #expect(try ReadOnly.filter { $0.teamId == 8 }.fetchOne(db)?.id == 2)
      #expect(try Custom.filter { $0.id == 8 }.fetchCount(db) == 1)
    }
  }
}
