import Coffer
import Foundation
import Testing

@testable import CofferDocuments

@Suite("The shape of a document type") struct DocumentTypeTests {
  @Test func `properties have the order, names and types of the declaration`() throws {
    struct Book: Codable, Identifiable {
      var id: UUID
      @Unique var name: String
      @Index @CollateCaseInsensitive var author: String?
      var price: Int
      var rating: Double?
      var address: Address?
    }
    let properties = try DocumentType<Book>.known().properties
    #expect(properties.map(\.name) == ["id", "name", "author", "price", "rating", "address"])
    #expect(properties.map(\.isOptional) == [false, false, true, false, true, true])
    #expect(
      properties.map { "\($0.type)" } == ["UUID", "String", "String", "Int", "Double", "Address"])
    #expect(properties.map(\.config.index) == [.none, .unique, .index, .none, .none, .none])
    #expect(
      properties.map(\.config.collation) == [nil, nil, .caseInsensitive, nil, nil, nil])
    #expect(properties[5].nested.map(\.column.description) == ["address.city"])
    #expect(properties[5].nested.map(\.config.index) == [.index])
  }

  @Test func `a type is looked at once`() throws {
    #expect(try DocumentType<Kinds>.known() === DocumentType<Kinds>.known())
  }

  @Test func `coding keys rename columns, and leave properties out`() throws {
    struct Renamed: Codable {
      var id: Int
      var title: String
      var cache = 5
      enum CodingKeys: String, CodingKey {
        case id = "_id"
        case title = "the title"
      }
    }
    let type = try DocumentType<Renamed>.known()
    #expect(type.properties.map(\.name) == ["_id", "the title"])
    #expect(try type.column(\.title).sqlText() == #""the title""#)
    let message = documentError { try type.column(\.cache) }
    #expect(message?.contains("stored property") == true)
  }

  @Test func `a generic document is a type for each argument`() throws {
    struct Box<Value: Codable>: Codable {
      var value: Value
      var other: Value
    }
    #expect(try DocumentType<Box<Int>>.path(\.other) == "other")
    #expect(try DocumentType<Box<String>>.path(\.value) == "value")
    #expect("\(try DocumentType<Box<String?>>.known().properties[0].type)" == "String")
    #expect(try DocumentType<Box<String?>>.known().properties[0].isOptional)
  }

  class Base: Codable {
    var name = ""
    init() {}
  }

  final class Derived: Base {
    var score = 0
    enum CodingKeys: CodingKey { case score }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      score = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .score)
      try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(score, forKey: .score)
    }
  }

  @Test func `a class is a document as a struct is, with its superclass's properties`() throws {
    final class Node: Codable {
      var name = ""
      let parent: Node?
      var score = 0
      init(parent: Node?) { self.parent = parent }
    }
    #expect(try DocumentType<Node>.path(\.score) == "score")
    #expect(try DocumentType<Node>.path(\.parent?.name) == "parent.name")
    #expect(try DocumentType<Base>.path(\.name) == "name")
    #expect(try DocumentType<Derived>.known().properties.map(\.name) == ["score", "name"])
    #expect(try DocumentType<Derived>.path(\.name) == "name")
    #expect(try DocumentType<Derived>.path(\.score) == "score")
  }

  @Test func `types that contain themselves come to an end`() throws {
    struct Tree: Codable {
      var name: String
      var children: [Tree]
      var named: [String: Tree]
      var favourite: [Tree]?
    }
    struct Left: Codable {
      var name: String
      var right: Right?
    }
    final class Right: Codable {
      var name = ""
      var left: [Left] = []
      var other: Right?
    }
    #expect(try DocumentType<Tree>.path(\.name) == "name")
    #expect(try DocumentType<Tree>.path(\.children) == "children")
    #expect(try DocumentType<Tree>.path(\.children.first?.name) == "children[0].name")
    #expect(try DocumentType<Tree>.path(\.named) == "named")
    #expect(try DocumentType<Tree>.path(\.favourite) == "favourite")
    #expect(try DocumentType<Left>.path(\.right?.name) == "right.name")
    #expect(try DocumentType<Left>.path(\.right?.other?.name) == "right.other.name")
  }

  struct Web<Tag: Codable>: Codable {
    final class Knot: Codable {
      var a: Web<Int>?, b: Web<String>?, c: Web<Bool>?, d: Web<Double>?, e: [Web<UInt8>] = []
    }
    var name: String
    var first: Knot?
    var second: [Knot]
    var tag: Tag
    var last: String
  }

  @Test func `types that contain each other in many ways come to an end`() throws {
    let type = try DocumentType<Web<Int>>.known()
    #expect(type.properties.map(\.name) == ["name", "first", "second", "tag", "last"])
    #expect(try type.column(\.last).name == "last")
    #expect(try type.column(\.first?.b?.name).description == "first.b.name")
  }

  @Test func `a document's own Codable is fine where it reads and writes the same keys`() throws {
    struct Lenient: Codable {
      var name: String
      var stars: Int
      enum CodingKeys: CodingKey { case name, stars }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        stars = try container.decodeIfPresent(Int.self, forKey: .stars) ?? 3
      }
    }
    let type = try DocumentType<Lenient>.known()
    #expect(type.properties.map(\.isOptional) == [false, true])
    #expect(try type.column(\.stars).name == "stars")
  }

  @Test func `the parts of a URL can be a property`() throws {
    struct Link: Codable { var name: String, parts: URLComponents, others: [URLComponents]? }
    #expect(try DocumentType<Link>.path(\.parts) == "parts")
    let links = try DocumentStore.inMemory().collection(Link.self)
    let parts = try #require(URLComponents(string: "https://example.com/a?b=c"))
    try links.insert(Link(name: "x", parts: parts, others: nil))
    #expect(try links.filter(\.parts, equalTo: parts).fetchMany(\.parts) == [parts])
  }

  @Test func `a thousand tasks find one shape`() async throws {
    struct Shared: Codable { var a: Int, b: Int, c: String }
    try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<1000 {
        group.addTask {
          let path: PartialKeyPath<Shared> = index % 2 == 0 ? \.a : \.b
          return try DocumentType<Shared>.path(path)
        }
      }
      var names: [String: Int] = [:]
      for try await name in group { names[name, default: 0] += 1 }
      #expect(names == ["a": 500, "b": 500])
    }
  }
}
