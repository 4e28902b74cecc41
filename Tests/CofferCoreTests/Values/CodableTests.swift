@testable import CofferCore
import FoundationEssentials
import Testing

private enum Color: String, DatabaseValueConvertible, StatementColumnConvertible {
  case red, green
}

private enum Level: Int, Codable, DatabaseValueConvertible, StatementColumnConvertible {
  case off = 0
  case low = 1
}

private struct Tag: RawRepresentable, Codable, Equatable, DatabaseValueConvertible {
  var rawValue: String
}

private struct Point: Codable, Equatable, DatabaseValueConvertible {
  var y: Double
  var x: Double
}

private struct Wrapper<Value: Codable & Equatable>: Codable, Equatable, DatabaseValueConvertible {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Value.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct List: Codable, Equatable, DatabaseValueConvertible {
  var items: [Int]
  init(_ items: [Int]) { self.items = items }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    items = []
    while !container.isAtEnd { items.append(try container.decode(Int.self)) }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for item in items { try container.encode(item) }
  }
}

private struct Empty: Codable, Equatable, DatabaseValueConvertible {}

private enum Shape: Codable, Equatable, DatabaseValueConvertible {
  case circle(radius: Double)
  case dot
}

private struct Snake: Codable, Equatable, DatabaseValueConvertible {
  var firstName: String
  var birth: Date

  static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    return encoder
  }

  static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .secondsSince1970
    return decoder
  }
}

@Suite struct RawRepresentableTests {
  @Test func `an enum is stored as its raw value`() throws {
    try expectRoundTrip(Color.red)
    try expectRoundTrip(Level.off)
    try expectRoundTrip(Level.low)
    #expect(try bound(Color.green).value.storage == .string("green"))
    #expect(try bound(Level.low).value.storage == .int64(1))
    #expect(Tag(rawValue: "a").databaseValue.storage == .string("a"))
    #expect(Tag.fromDatabaseValue("a".databaseValue) == Tag(rawValue: "a"))
  }

  @Test func `an unknown raw value is nil`() throws {
    #expect(try live(Color.self, "'blue'") == nil)
    #expect(try stored(Color.self, "'blue'") == nil)
    #expect(try live(Level.self, "2") == nil)
    #expect(try live(Level?.self, "2") == .none)
    #expect(try live(Level.self, "NULL") == nil)
    #expect(try live(Level?.self, "NULL") == .some(.none))
    #expect(try stored(Tag.self, "1") == nil)
  }
}

@Suite struct CodableTests {
  private func expectText<T: DatabaseValueConvertible & Equatable>(
    _ value: T, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(value.databaseValue.storage == .string(text), sourceLocation: sourceLocation)
    #expect(T.fromDatabaseValue(text.databaseValue) == value, sourceLocation: sourceLocation)
    #expect(
      T.fromDatabaseValue(Data(text.utf8).databaseValue) == value, sourceLocation: sourceLocation)
    #expect(try bound(value).value.storage == .string(text), sourceLocation: sourceLocation)
  }

  @Test func `several values are stored as JSON with sorted keys`() throws {
    try expectText(Point(y: 2, x: 1.5), #"{"x":1.5,"y":2}"#)
    try expectText(List([1, 2]), "[1,2]")
    try expectText(List([]), "[]")
    try expectText(Empty(), "{}")
    try expectText(Shape.circle(radius: 2), #"{"circle":{"radius":2}}"#)
    try expectText(Shape.dot, #"{"dot":{}}"#)
    try expectText(Wrapper([1, 2]), "[1,2]")
    try expectText(Wrapper(["a": 1]), #"{"a":1}"#)
    try expectText(Wrapper(Point(y: 2, x: 1)), #"{"x":1,"y":2}"#)
  }

  @Test func `a single value is stored as itself`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let cases: [(any DatabaseValueConvertible, DatabaseValue.Storage)] = [
      (Wrapper("a"), .string("a")), (Wrapper(1), .int64(1)), (Wrapper(1.5), .double(1.5)),
      (Wrapper(true), .int64(1)), (Wrapper(Data([1])), .blob(Data([1]))),
      (Wrapper(date), .string("2001-01-01 00:00:00.000")), (Wrapper(Int?.none), .null),
      (Wrapper(Int?.some(2)), .int64(2)), (Wrapper(Wrapper("b")), .string("b")),
    ]
    for (value, storage) in cases {
      #expect(value.databaseValue.storage == storage)
      func expectBack<T: DatabaseValueConvertible>(_ value: T) {
        #expect(T.fromDatabaseValue(DatabaseValue(value: value)!)?.databaseValue.storage == storage)
      }
      expectBack(value)
    }
  }

  @Test func `a value that can't be decoded is nil`() {
    #expect(Point.fromDatabaseValue(.null) == nil)
    #expect(Point.fromDatabaseValue(1.databaseValue) == nil)
    #expect(Point.fromDatabaseValue("".databaseValue) == nil)
    #expect(Point.fromDatabaseValue("{".databaseValue) == nil)
    #expect(Point.fromDatabaseValue(#"{"x":1}"#.databaseValue) == nil)
    #expect(List.fromDatabaseValue(#"["a"]"#.databaseValue) == nil)
    #expect(Wrapper<Int>.fromDatabaseValue("a".databaseValue) == nil)
    #expect(Wrapper<Int?>.fromDatabaseValue("a".databaseValue) == nil)
    #expect(Shape.fromDatabaseValue(#"{"square":{}}"#.databaseValue) == nil)
  }

  @Test func `infinity and NaN survive JSON`() throws {
    try expectText(Point(y: -.infinity, x: .infinity), #"{"x":"Infinity","y":"-Infinity"}"#)
    let text = Point(y: .nan, x: 0).databaseValue
    #expect(text.storage == .string(#"{"x":0,"y":"NaN"}"#))
    #expect(Point.fromDatabaseValue(text)?.y.isNaN == true)
  }

  @Test func `dates are milliseconds and data is Base64 in JSON`() throws {
    let date = Date(timeIntervalSince1970: 1.5)
    try expectText(Wrapper([date]), "[1500]")
    try expectText(Wrapper([Data([1, 2])]), #"["AQI="]"#)
  }

  @Test func `a type chooses its own JSON`() throws {
    let value = Snake(firstName: "A", birth: Date(timeIntervalSince1970: 3))
    try expectText(value, #"{"birth":3,"first_name":"A"}"#)
    #expect(value.databaseValue == Snake?.some(value).databaseValue)
    #expect(Snake?.fromDatabaseValue(value.databaseValue) == .some(.some(value)))
  }
}
