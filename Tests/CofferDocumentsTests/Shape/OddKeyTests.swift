import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

/// Coding keys that aren't plain words.
@Suite struct OddKeyTests {
  struct Inner: Codable, Equatable {
    var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0
    enum CodingKeys: String, CodingKey {
      case a = "[0]"
      case b = ""
      case c = "a.b"
      case d = "a\"b"
      case e = "it's"
      case f = "a\\b"
      case g = "a\u{1}/"
      case h = "é"
      case i = "$"
      case j = "a[1]"
      case k = "[12]"
    }
  }

  struct Thing: Codable, Identifiable, Equatable {
    var id: Int
    var inner = Inner()
    var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0
    enum CodingKeys: String, CodingKey {
      case id, inner
      case a = "[0]"
      case b = "coffer_0"
      case c = "a.b"
      case d = "a\"b"
      case e = "it's"
      case f = "a\\b"
      case g = "a\u{1}/"
      case h = "é"
      case i = "$"
      case j = "a[1]"
      case k = "coffer_value"
    }
  }

  @Test func `properties with odd keys are found`() throws {
    let encrypted = try EncryptedStore(.queue)
    let things = try encrypted.store.collection(Thing.self)
    let own: [WritableKeyPath<Thing, Int>] = [
      \.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h, \.i, \.j, \.k,
    ]
    let inner: [WritableKeyPath<Thing, Int>] = [
      \.inner.a, \.inner.b, \.inner.c, \.inner.d, \.inner.e, \.inner.f, \.inner.g, \.inner.h,
      \.inner.i, \.inner.j, \.inner.k,
    ]
    for (id, path) in (own + inner).enumerated() {
      var thing = Thing(id: id)
      thing[keyPath: path] = 5
      try things.insert(thing)
      do {
        #expect(try things.filter(path, equalTo: 5).fetchMany() == [thing], "\(path)")
        #expect(try things.filter(path, equalTo: 5).update(path, 6) == 1, "\(path)")
        #expect(try things.max(path) == 6, "\(path)")
        #expect(try things.all().orderBy(path, .descending).fetchMany(\.id).first == id, "\(path)")
        #expect(try things.filter(path, equalTo: 6).fetchMany(path) == [6], "\(path)")
      } catch { Issue.record("\(path): \(error)") }
    }
  }

  struct Indexed: Codable, Identifiable, Equatable {
    struct Part: Codable, Equatable {
      @Index var a: Int
      @Index var b: String
      enum CodingKeys: String, CodingKey {
        case a = "it's \"a\", b"
        case b = "x\\y"
      }
    }
    var id: Int
    var part: Part
    @Unique var c: String
    enum CodingKeys: String, CodingKey {
      case id, part
      case c = "c'\",d"
    }
  }

  @Test func `indexes of properties with odd keys are known again`() throws {
    let encrypted = try EncryptedStore(.queue)
    let things = try encrypted.store.collection(Indexed.self)
    try things.insert(Indexed(id: 1, part: .init(a: 1, b: "b"), c: "c"))
    let again = try encrypted.again().collection(Indexed.self)
    #expect(try again.filter(\.part.b, equalTo: "b").fetchCount() == 1)
    #expect(try encrypted.indexes("Indexed").count == 4)
  }

  @Test func `JSON that is nested too deep is refused with the reason`() throws {
    indirect enum Tree: Codable, Equatable, SampleValueSource {
      case children([Tree])
      static let sampleValues = SampleValues(Tree.children([]), Tree.children([Tree.children([])]))
      init(from decoder: any Decoder) throws {
        self = .children(try decoder.singleValueContainer().decode([Tree].self))
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .children(let children) = self { try container.encode(children) }
      }
      static func depth(_ depth: Int) -> Tree {
        (1..<depth).reduce(Tree.children([])) { tree, _ in Tree.children([tree]) }
      }
    }
    struct Forest: Codable, Identifiable, Equatable {
      var id: Int
      var tree: Tree
    }
    let encrypted = try EncryptedStore(.queue)
    let forests = try encrypted.store.collection(Forest.self)
    for depth in [400, 511] {
      let forest = Forest(id: depth, tree: .depth(depth))
      try forests.insert(forest)
      #expect(try forests.fetch(id: depth) == forest)
    }
    let error = documentError { try forests.insert(Forest(id: 1, tree: .depth(512))) }
    #expect(error?.contains("511 levels") == true, "\(error ?? "")")
  }
}
