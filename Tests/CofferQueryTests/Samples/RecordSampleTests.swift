import Foundation
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite("Samples of records") struct RecordSampleTests {
  /// The stored fields of a type, as far as samples show them.
  private struct Shape {
    let fields: [String]
    /// The fields that are decoded, and those that are declared.
    let keys: [String]
    let properties: [String]
    /// Whether the type takes a sample.
    let isComplete: Bool
  }

  private func shape<T: Decodable>(_ type: T.Type) -> Shape {
    let run = SampleRun.fullest(type)
    let nodes = run.root.children
    let declared = run.keys.filter { key in !nodes.contains { $0.key == key.key } }
    return Shape(
      fields: nodes.map(description), keys: nodes.map(\.key) + declared.map(\.key),
      properties: nodes.map { $0.properties[0] } + declared.map(\.property),
      isComplete: run.isComplete)
  }

  private func description(_ node: SampleNode) -> String {
    var (type, isOptional) = (node.types.first, node.isOptional)
    while let optional = type as? any AnyOptional.Type {
      (type, isOptional) = (optional.wrappedType, true)
    }
    let name = node.properties[0] == node.key ? "" : "\(node.properties[0])="
    return "\(name)\(node.key): \(type.map { "\($0)" } ?? "…")\(isOptional ? "?" : "")"
  }

  private func fields<T: Decodable>(_ type: T.Type) -> [String] { shape(type).fields }

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
    #expect(shape(Standard.self).isComplete)
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
    #expect(SampleRun.key(ofProperty: "name", in: Mapped.self) == "full_name")
    #expect(SampleRun.key(ofProperty: "cache", in: Mapped.self) == nil)
    #expect(shape(Mapped.self).keys == ["player_id", "full_name"])
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
    #expect(shape(Collections.self).isComplete)
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

  @Test func `enums with unknown raw values make the sample incomplete, and don't trap`() {
    #expect(
      fields(Enums.self) == [
        "direction: Direction", "level: Level", "only: Only", "listed: Listed",
        "figure: Figure", "tree: Tree", "odd: Odd", "last: Int",
      ])
    #expect(shape(Enums.self).isComplete)
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
    #expect(shape(Node.self).isComplete)
    let endless = shape(Endless.self)
    #expect(!endless.isComplete)
    #expect(endless.fields.map { String($0.prefix { $0 != ":" }) } == ["id", "link"])
    #expect(endless.keys == ["id", "link", "last"])
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
    #expect(fields(Wrapping.self) == ["name: Wrapped<String>", "flag: Wrapped<Optional<Bool>>?"])
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
    let shape = shape(Validating.self)
    #expect(shape.isComplete)
    #expect(shape.fields == ["score: Int", "name=full_name: String"])
    #expect(shape.keys == ["score", "full_name", "other"])
  }

  @Test func `a type that refuses all is incomplete, and its keys are known`() {
    let shape = shape(Refusing.self)
    #expect(!shape.isComplete)
    #expect(shape.fields == ["score: Int"])
    #expect(shape.properties == ["score", "name"])
    #expect(shape.keys == ["score", "full_name"])
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
        "maybe: Int", "nullable: String?", "nested: …", "list: …", "date: Date?",
      ])
  }

  struct Money: Decodable {
    let cents: Int
    init(from decoder: any Decoder) throws {
      cents = try decoder.singleValueContainer().decode(Int.self)
    }
  }

  struct Holding: Decodable {
    let mapped: Mapped
    init(from decoder: any Decoder) throws {
      mapped = try decoder.singleValueContainer().decode(Mapped.self)
    }
  }

  @Test func `single values and lists have no keys`() {
    #expect(!SampleRun.isKeyed(Money.self))
    #expect(!SampleRun.isKeyed([Int].self))
    #expect(!SampleRun.isKeyed(Direction.self))
    #expect(!SampleRun.isKeyed(Holding.self))
    #expect(SampleRun.isKeyed(Mapped.self))
    #expect(SampleRun.isKeyed(Figure.self))
    #expect(shape(Money.self).fields.isEmpty)
    #expect(shape(Money.self).isComplete)
  }

  // MARK: Key paths

  /// What samples have to find alone: its `init(from:)` refuses most.
  struct Watched: Codable {
    var figure: Figure
    var tree: Tree
    var age: Int { didSet {} }
    var token: String { didSet {} }
    var name: String { didSet {} }
    var nested: Collections.Point { didSet {} }
    var alias: String { name }
    var tags: [String] { didSet {} }

    enum CodingKeys: String, CodingKey {
      case figure, tree, nested, tags, age
      case token = "_token"
      case name = "full_name"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      figure = try container.decode(Figure.self, forKey: .figure)
      tree = try container.decode(Tree.self, forKey: .tree)
      age = try container.decode(Int.self, forKey: .age)
      token = try container.decode(String.self, forKey: .token)
      name = try container.decode(String.self, forKey: .name)
      nested = try container.decode(Collections.Point.self, forKey: .nested)
      tags = try container.decode([String].self, forKey: .tags)
      guard age >= 18, !name.isEmpty else { throw CocoaError(.coderInvalidValue) }
    }
  }

  private func column<T: Decodable>(_ keyPath: PartialKeyPath<T>) throws -> String {
    try KeyPathSearch(keyPath, for: .record).place().description
  }

  @Test func `a record that refuses most samples is told by the others`() throws {
    #expect(try column(\Watched.age) == "age")
    #expect(try column(\Watched.token) == "_token")
    #expect(try column(\Watched.name) == "full_name")
    #expect(try column(\Watched.nested) == "nested")
    #expect(try column(\Watched.nested.x) == "nested.x")
    #expect(try column(\Watched.tags) == "tags")
  }

  @Test func `computed properties and elements are refused`() {
    let paths: [PartialKeyPath<Watched>] = [
      \.alias, \.age.magnitude, \.name.count, \.tags[0], \.tags[5], \.tags[0].count,
    ]
    for path in paths { #expect(throws: SampleError.self) { try column(path) } }
  }
}
