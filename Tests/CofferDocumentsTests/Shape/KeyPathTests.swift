import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Key paths of documents") struct KeyPathTests {
  @Test(arguments: Kinds.paths.indices)
  func `a key path leads to its property, whatever its type`(index: Int) throws {
    let (keyPath, path) = Kinds.paths[index]
    #expect(try DocumentType<Kinds>.path(keyPath) == path)
  }

  @Test func `many properties of one type are distinguished`() throws {
    let type = try DocumentType<Hundred>.known()
    #expect(type.properties.count == 100)
    for (index, keyPath) in Hundred.paths.enumerated() {
      #expect(try type.column(keyPath).name == type.properties[index].name)
    }
  }

  @Test func `a wrapped property is found by its value and by its wrapper`() throws {
    struct Wrapped: Codable {
      @Unique var a: String
      @Unique @CollateBinary var b: String
      @Index var c: String?
      var d: String
      static var wrapper: PartialKeyPath<Wrapped> { \._b }
    }
    #expect(try DocumentType<Wrapped>.path(\.a) == "a")
    #expect(try DocumentType<Wrapped>.path(\.b) == "b")
    #expect(try DocumentType<Wrapped>.path(\.c) == "c")
    #expect(try DocumentType<Wrapped>.path(\.d) == "d")
    #expect(try DocumentType<Wrapped>.path(Wrapped.wrapper) == "b")
    #expect(try DocumentType<Wrapped>.known().column(\.b).collation == .binary)
  }

  @Test func `an observed property is found, though its key path is a computed one`() throws {
    struct Observed: Codable {
      var a: Int { didSet {} }
      var b: Int { didSet {} }
    }
    #expect(try DocumentType<Observed>.path(\.a) == "a")
    #expect(try DocumentType<Observed>.path(\.b) == "b")
  }

  private struct Computing: Codable, Identifiable {
    var isbn: String
    var a: Bool, b: Bool, c: Bool
    var count: Int, other: Int
    var tags: [String]
    var sizes: [String: Int]
    var id: String { isbn }
    var either: Bool { a || b }
    var both: Bool { a && b }
    var chosen: Bool { a ? b : c }
    var inverse: Bool { !a }
    var sum: Int { count + other }
    var larger: Int { max(count, other) }
    var constant: Int { 0 }
    var title: String { isbn + "!" }
    var copy: Int { count }
  }

  @Test func `a computed property is refused`() throws {
    let type = try DocumentType<Computing>.known()
    let paths: [PartialKeyPath<Computing>] = [
      \.either, \.both, \.chosen, \.inverse, \.sum, \.larger, \.constant, \.title, \.isbn.count,
      \.tags.count, \.tags.isEmpty, \.isbn.isEmpty, \.count.description, \.id, \.copy,
    ]
    for path in paths {
      let message = documentError { try type.column(path) }
      #expect(message?.contains("leads to no stored property of Computing") == true, "\(path)")
    }
  }

  @Test func `an identifier may be computed from a stored property as it is`() throws {
    #expect(try DocumentType<Computing>.known().identifier?.name == "isbn")
    struct Plain: Codable, Identifiable { var name: String, id: Int }
    func id<D: Codable & Identifiable>(of type: D.Type) throws -> String {
      try DocumentType<D>.path(\D.id)
    }
    #expect(try id(of: Plain.self) == "id")
    #expect(try id(of: Computing.self) == "isbn")
    struct Folded: Codable, Identifiable {
      var name: String
      var id: String { name.lowercased() }
    }
    struct Absolute: Codable, Identifiable {
      var number: Int
      var id: Int { abs(number) }
    }
    struct First: Codable, Identifiable {
      var names: [String]
      var name: String
      var id: String { names.first ?? name }
    }
    #expect(try DocumentType<Folded>.known().identifier == nil)
    #expect(try DocumentType<Absolute>.known().identifier == nil)
    #expect(try DocumentType<First>.known().identifier == nil)
  }

  @Test func `the whole document is no column`() throws {
    let message = documentError { try DocumentType<Computing>.known().column(\.self) }
    #expect(message?.contains("the whole document") == true)
  }

  @Test(arguments: [0, 1, 5000, -1])
  func `an element of an array or dictionary is refused, whatever its index`(index: Int) throws {
    struct Lists: Codable {
      var tags: [String]
      @Index var numbers: [Int]
      var addresses: [Address]?
      var sizes: [String: [Int]]
      var data: Data
    }
    let paths: [PartialKeyPath<Lists>] = [
      \.data[index],
      \.tags[index], \.numbers[index], \.addresses?[index].city, \.addresses![index].street.count,
      \.sizes["x"]!, \.sizes["x"]?[index],
    ]
    for path in paths {
      let message = documentError { try DocumentType<Lists>.known().column(path) }
      #expect(message?.contains("an element of an array") == true, "\(path)")
    }
  }

  @Test func `properties that always have one value can't be distinguished`() throws {
    struct Single: Codable {
      var a: Only, b: Only
      @Index var wrapped: Only
    }
    let paths: [PartialKeyPath<Single>] = [\.a, \.b, \.wrapped]
    for path in paths {
      let message = documentError { try DocumentType<Single>.known().column(path) }
      #expect(message?.contains("can't be told apart") == true)
      #expect(message?.contains("a, b, wrapped") == true)
    }
  }

  @Test func `a type whose equality looks at a part is told by all that is stored`() throws {
    struct Vague: Codable, Equatable {
      var x: Int
      static func == (lhs: Vague, rhs: Vague) -> Bool { true }
    }
    struct Holder: Codable { @Index var a: Vague; @Index var b: Vague }
    #expect(try DocumentType<Holder>.path(\.a) == "a")
    #expect(try DocumentType<Holder>.path(\.b.x) == "b.x")
  }

  @Test func `a nested key path leads to nothing where the value isn't stored as JSON`() throws {
    let message = documentError { try DocumentType<Kinds>.known().column(\.money.cents) }
    #expect(message?.contains("money.cents") == true)
    #expect(message?.contains("isn't stored under that name") == true)
  }

  @Test func `SQL names the column, or reads its JSON`() {
    #expect(DocumentColumn(name: "a\"b").sqlText() == #""a""b""#)
    #expect(DocumentColumn(name: "a").sqlText(of: "t.a") == "t.a")
    #expect(
      DocumentColumn(name: "a", path: ["b", "c d", "[0]", "e'f\"g\\h\n"]).sqlText(of: #""t"."a""#)
        == #"coffer_json("t"."a", '$.b."c d"[0]."e''f\"g\\h\u000a"')"#)
  }

  @Test func `a nested path reads what the records' coder writes`() throws {
    struct Odd: Codable {
      struct Inner: Codable {
        var a: Int, b: String
        enum CodingKeys: String, CodingKey {
          case a = "the \"a\".x"
          case b = "b\\é"
        }
      }
      var inner: Inner
    }
    let type = try DocumentType<Odd>.known()
    let document = Odd(inner: .init(a: 7, b: "x"))
    let stored = try StoredDocument(document).databaseDictionary
    try EncryptedQueue.with("CREATE TABLE t(inner)") { db in
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [stored["inner"]])
      let a = try type.column(\.inner.a).sqlText()
      let b = try type.column(\.inner.b).sqlText(of: "t.inner")
      #expect(try Int.fetchOne(db, sql: "SELECT \(a) FROM t") == 7)
      #expect(try String.fetchOne(db, sql: "SELECT \(b) FROM t") == "x")
    }
  }
}
