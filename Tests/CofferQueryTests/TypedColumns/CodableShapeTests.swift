import Foundation
import Testing

@testable import CofferQuery

@Suite struct CodableShapeTests {
  private func fields<T: Decodable>(_ type: T.Type) -> [String] {
    CodableShape.of(type).fields.map { field in
      let type = field.type.map { "\($0)" } ?? "…"
      let name = field.key.property == field.key.name ? "" : "\(field.key.property)="
      return "\(name)\(field.key.name): \(type)\(field.isOptional ? "?" : "")"
    }
  }

  // MARK: Synthesized

  struct Standard: Codable {
    var bool: Bool
    var int: Int
    var byte: UInt8
    var double: Double
    var float: Float?
    var string: String
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var zone: TimeZone
    var locale: Locale?
  }

  @Test func `all standard types are found in their order`() {
    #expect(
      fields(Standard.self) == [
        "bool: Bool", "int: Int", "byte: UInt8", "double: Double", "float: Float?",
        "string: String", "date: Date", "data: Data", "uuid: UUID", "url: URL",
        "decimal: Decimal", "zone: TimeZone", "locale: Locale?",
      ])
    #expect(CodableShape.of(Standard.self).isComplete)
  }

  struct Mapped: Codable {
    var id: Int
    var name: String
    let kind = "constant"
    var cache = 3

    enum CodingKeys: String, CodingKey {
      case id = "player_id"
      case name = "full_name"
    }
  }

  @Test func `coding keys name the fields, and leave others out`() {
    #expect(fields(Mapped.self) == ["id=player_id: Int", "name=full_name: String"])
    #expect(CodableShape.of(Mapped.self).key(ofProperty: "name")?.name == "full_name")
    #expect(CodableShape.of(Mapped.self).key(ofProperty: "cache") == nil)
    #expect(
      CodableShape.declaredKeys(Mapped.self).map(\.name) == ["player_id", "full_name"])
  }

  struct Collections: Codable {
    var list: [Int]
    var set: Set<String>
    var map: [String: Nested]
    var numbered: [Int: String]
    var nested: Nested
    var range: ClosedRange<Int>
    var optionals: [Int?]?
    struct Nested: Codable { var point: Point, next: [Nested] }
    struct Point: Codable { var x: Double, y: Double }
  }

  @Test func `collections and nested types are one field each`() {
    #expect(
      fields(Collections.self) == [
        "list: Array<Int>", "set: Set<String>", "map: Dictionary<String, Nested>",
        "numbered: Dictionary<Int, String>", "nested: Nested", "range: ClosedRange<Int>",
        "optionals: Array<Optional<Int>>?",
      ])
    #expect(CodableShape.of(Collections.self).isComplete)
  }

  struct Generic<Value: Codable>: Codable { var value: Value }

  @Test func `an optional behind a generic parameter is one`() {
    #expect(fields(Generic<Int?>.self) == ["value: Int?"])
    #expect(fields(Generic<[Int]>.self) == ["value: Array<Int>"])
  }

  // MARK: Enums

  enum Direction: String, Codable { case up, down }
  enum Level: Int, Codable { case low = 10, high = 20 }
  enum Only: String, Codable { case one }
  enum Listed: String, Codable, CaseIterable { case first, second }
  enum Figure: Codable { case circle(radius: Double), square(Double), nothing }
  indirect enum Tree: Codable { case node(Tree, Tree), leaf(Int) }
  struct Odd: RawRepresentable, Codable {
    let rawValue: Int
    init?(rawValue: Int) {
      guard rawValue % 2 == 1 else { return nil }
      self.rawValue = rawValue
    }
  }

  struct Enums: Codable {
    var direction: Direction
    var level: Level
    var only: Only
    var listed: Listed
    var figure: Figure
    var tree: Tree
    var odd: Odd
    var last: Int
  }

  @Test func `enums whose raw values nobody knows are survived`() {
    #expect(
      fields(Enums.self) == [
        "direction: Direction", "level: Level", "only: Only", "listed: Listed",
        "figure: Figure", "tree: Tree", "odd: Odd", "last: Int",
      ])
    #expect(CodableShape.of(Enums.self).isComplete)
  }

  @Test func `values of a plain enum are made by position`() throws {
    let plain = try #require(PlainEnum(Direction.self))
    #expect(plain.values == [.up, .down])
    #expect(plain.values.map(enumCaseName) == ["up", "down"])
    #expect(try #require(PlainEnum(Only.self)).values == [.one])
    let many = try #require(PlainEnum(Many.self))
    #expect(many.values == Many.allCases)
  }

  enum Many: String, CaseIterable {
    case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q
  }

  @Test func `what is no plain enum is refused`() {
    #expect(PlainEnum(Never.self) == nil)
    #expect(PlainEnum(Figure.self) == nil)
    #expect(PlainEnum(Int.self) == nil)
    #expect(PlainEnum(Bool.self) == nil)
    #expect(PlainEnum(Direction?.self) == nil)
    #expect(PlainEnum(Base.self) == nil)
    #expect(PlainEnum((any Error).self) == nil)
    #expect(PlainEnum(Result<Int, any Error>.self) == nil)
    #expect(enumCaseName(3) == nil)
  }

  // MARK: Classes, recursion, wrappers

  class Base: Codable {
    var id = 1
    var name: String?
  }

  class Derived: Base {
    var score: Int
    enum CodingKeys: String, CodingKey { case score = "points" }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      score = try container.decode(Int.self, forKey: .score)
      try super.init(from: decoder)
    }
  }

  final class Delegating: Base {
    var score: Int
    enum CodingKeys: String, CodingKey { case score }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      score = try container.decode(Int.self, forKey: .score)
      try super.init(from: container.superDecoder())
    }
  }

  @Test func `a superclass adds its fields`() {
    #expect(fields(Derived.self) == ["score=points: Int", "id: Int", "name: String?"])
    #expect(fields(Delegating.self) == ["score: Int", "id: Int", "name: String?"])
  }

  final class Node: Codable {
    var value: Int
    var next: Node?
    var children: [Node]
  }

  struct Endless: Decodable {
    final class Link: Decodable { var next: Link }
    var id: Int
    var link: Link
    var last: Int
  }

  @Test func `recursion ends`() {
    #expect(fields(Node.self) == ["value: Int", "next: Node?", "children: Array<Node>"])
    #expect(CodableShape.of(Node.self).isComplete)
    let endless = CodableShape.of(Endless.self)
    #expect(!endless.isComplete)
    #expect(endless.fields.map(\.key.name) == ["id", "link"])
    #expect(endless.keys.map(\.name) == ["id", "link", "last"])
  }

  @propertyWrapper struct Wrapped<Value: Codable>: Codable {
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

  struct Wrapping: Codable {
    @Wrapped var name: String
    @Wrapped var flag: Bool?
  }

  @Test func `property wrappers are the fields' types`() {
    #expect(fields(Wrapping.self) == ["name: Wrapped<String>", "flag: Wrapped<Optional<Bool>>"])
  }

  // MARK: Written by hand

  struct Validating: Decodable {
    var score: Int
    var name: String
    enum CodingKeys: String, CodingKey { case score, name = "full_name", other }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      score = try container.decode(Int.self, forKey: .score)
      guard score > 0 else { throw CocoaError(.coderInvalidValue) }
      name = try container.decode(String.self, forKey: .name)
      guard !name.isEmpty else { throw CocoaError(.coderInvalidValue) }
    }
  }

  struct Refusing: Decodable {
    var score: Int
    enum CodingKeys: String, CodingKey { case score, name = "full_name" }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      score = try container.decode(Int.self, forKey: .score)
      throw CocoaError(.coderInvalidValue)
    }
  }

  @Test func `a type that validates gets values that it takes`() {
    let shape = CodableShape.of(Validating.self)
    #expect(shape.isComplete)
    #expect(shape.fields.map(\.key.name) == ["score", "full_name"])
    #expect(shape.keys.map(\.name) == ["score", "full_name", "other"])
  }

  @Test func `a type that refuses all is incomplete, and its keys are known`() {
    let shape = CodableShape.of(Refusing.self)
    #expect(!shape.isComplete)
    #expect(shape.fields.map(\.key.name) == ["score"])
    #expect(shape.keys.map(\.property) == ["score", "name"])
    #expect(shape.keys.map(\.name) == ["score", "full_name"])
  }

  struct ByHand: Decodable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(_ string: String) { stringValue = string }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if container.contains(Key("maybe")) {
        _ = try container.decode(Int.self, forKey: Key("maybe"))
      }
      if try !container.decodeNil(forKey: Key("nullable")) {
        _ = try container.decode(String.self, forKey: Key("nullable"))
      }
      let nested = try container.nestedContainer(keyedBy: Key.self, forKey: Key("nested"))
      _ = try nested.decode(Int.self, forKey: Key("inside"))
      var list = try container.nestedUnkeyedContainer(forKey: Key("list"))
      while !list.isAtEnd { _ = try list.decode(Int.self) }
      _ = try container.decodeIfPresent(Date.self, forKey: Key("date"))
      _ = try container.decode(Int.self, forKey: Key("maybe"))
    }
  }

  @Test func `an initializer by hand is followed`() {
    #expect(
      fields(ByHand.self) == [
        "maybe: Int?", "nullable: String?", "nested: …", "list: …", "date: Date?",
      ])
  }

  struct Money: Decodable {
    let cents: Int
    init(from decoder: any Decoder) throws {
      cents = try decoder.singleValueContainer().decode(Int.self)
    }
  }

  @Test func `single values and lists have no fields`() {
    for shape in [CodableShape.of(Money.self), CodableShape.of([Int].self)] {
      #expect(shape.layout == .unkeyed)
      #expect(shape.fields.isEmpty)
      #expect(shape.isComplete)
    }
    #expect(CodableShape.of(Mapped.self).layout == .keyed)
  }

  @Test func `only decodable types have a shape`() {
    struct Plain {}
    #expect(CodableShape.of(any: Plain.self) == nil)
    #expect(CodableShape.of(any: Mapped.self)?.fields.count == 2)
  }
}
