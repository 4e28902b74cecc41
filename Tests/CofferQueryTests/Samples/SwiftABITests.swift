import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferQuery

/// A failure here means that a new compiler has changed the ABI; see `SwiftABI`, which names the
/// sources.
@Suite("What is assumed about Swift's ABI") struct SwiftABITests {
  @Test(arguments: SwiftABI.Assumption.allCases)
  func `each assumption holds with this compiler`(assumption: SwiftABI.Assumption) {
    #expect(SwiftABI.holds(assumption))
  }

  // MARK: Enums

  enum Direction: String, Codable { case up, down }
  enum Only: String, Codable { case one }
  enum Figure: Codable { case circle(radius: Double), square(Double), nothing }
  enum Byte: UInt8 { case low = 10, high = 200 }
  class Base {}

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

  @Test func `a type that is no plain enum is refused`() {
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

  @Test func `an enum of more than 256 cases is stored in two bytes`() throws {
    let wide = try #require(PlainEnum(Wide.self))
    #expect(wide.count == 300)
    #expect(wide.values == Wide.allCases)
    #expect(enumCaseName(Wide.c299) == "c299")
  }

  @Test func `an enum that may be stored as its raw value isn't made by position`() {
    #expect(PlainEnum(Byte.self) == nil)
    #expect(SwiftABI.isEnum(Byte.self))
    #if compiler(>=6.3)
      #expect(PlainEnum(CByte.self) == nil)
    #endif
  }

  @Test func `enums are told from all other types`() {
    #expect(SwiftABI.isEnum(Direction.self))
    #expect(SwiftABI.isEnum(Figure.self))
    #expect(SwiftABI.isEnum(Result<Int, any Error>.self))
    for type: any Any.Type in [
      Int.self, Direction?.self, Base.self, (Int, Int).self, (any Error).self, String.self,
      (() -> Void).self,
    ] {
      #expect(!SwiftABI.isEnum(type), "\(type)")
    }
  }

  // MARK: Key paths

  private protocol Titled { var title: String { get } }

  struct Place {
    var city: String
    var watched: Int { didSet {} }
    var only: Only
    var last: Int
  }

  final class Node {
    var value = 0
    let next: Node? = nil
  }

  struct Shop {
    var place: Place
    var maybe: Place?
    var node: Node
    var pair: (Int, String)
    var tags: [String]
    var sizes: [String: Int]
    var computed: Int { 0 }
    subscript(index: Int, name: String) -> Place {
      get { place }
      set { place = newValue }
    }
  }

  @Test func `the parts of key paths are read`() throws {
    func parts(_ keyPath: AnyKeyPath) throws -> [[Bool]] {
      let parts = try #require(KeyPathParts(keyPath))
      return parts.computed.map { [$0.isSettable, $0.hasArguments] }
    }
    #expect(try parts(\Shop.place.city) == [])
    #expect(try parts(\Shop.maybe?.city) == [])
    #expect(try parts(\Shop.node.next?.value) == [])
    #expect(try parts(\Shop.pair.1) == [])
    #expect(try parts(\Shop.maybe?.watched) == [[true, false]])
    #expect(try parts(\Shop.computed) == [[false, false]])
    #expect(try parts(\Shop.tags[3]) == [[true, true]])
    #expect(try parts(\Shop.sizes["x"]?.description) == [[true, true], [false, false]])
    #expect(
      try parts(\Shop[1, "a long name that isn't stored in place"].watched.description)
        == [[true, true], [true, false], [false, false]])
    #expect(try #require(KeyPathParts(\Shop.tags.first)).computed.first?.base == [String].self)
    #expect(try #require(KeyPathParts(\Shop.maybe!.city)).isForced)
    #expect(try !#require(KeyPathParts(\Shop.maybe?.city)).isForced)
  }

  @Test func `a part that a protocol requires is one`() throws {
    func title<T: Titled>(_ type: T.Type) -> AnyKeyPath { \T.title }
    struct Item: Titled { var title: String }
    #expect(try #require(KeyPathParts(title(Item.self))).computed.first?.isRequirement == true)
  }

  @Test func `the names in key paths are read`() {
    #expect(SwiftABI.names(of: \Shop.place.city) == "place.city")
    #expect(SwiftABI.names(of: \Shop.maybe?.city) == "maybe?.city?")
    #expect(SwiftABI.names(of: \Place.last) == "last")
    #expect(SwiftABI.names(of: \Place.only) == nil)
    #expect(SwiftABI.names(of: \Place.watched) == nil)
    #expect(SwiftABI.names(of: \Shop.tags[3]) == nil)
  }

  // MARK: Where an assumption doesn't hold

  struct Watched: Codable, Equatable {
    var id: Int
    var name: String
    var watched: Int { didSet {} }
    var note: String?
    enum CodingKeys: String, CodingKey {
      case id, note
      case name = "full_name"
      case watched = "seen"
    }
  }

  private func message(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? SampleError)?.message }
    return nil
  }

  @Test func `without the parts of key paths, stored properties are told, and others throw`() throws
  {
    try SwiftABI.$broken.withValue([.keyPathParts]) { () throws in
      #expect(try KeyPathSearch(\Watched.name, for: .document).place().key == "full_name")
      for path: PartialKeyPath<Watched> in [\.watched, \.name.count, \.note?.count, \.name.first] {
        let text = message { _ = try KeyPathSearch(path, for: .document).place() }
        #expect(text?.contains("declare the column, or write the condition in SQL") == true)
      }
      struct Item: Codable, Identifiable { var name: String, id: Int }
      let identifier = try #require(KeyPathSearch<Item>.identifier)
      #expect(try KeyPathSearch(identifier, for: .document).place().key == "id")
      struct Fresh: Codable { var name: String }
      #expect(RecordColumns<Fresh>.name.name == "name")
    }
  }

  @Test(arguments: [SwiftABI.Assumption.keyPathNames, .caseNames, .enums])
  func `without names, samples tell the columns alone`(broken: SwiftABI.Assumption) throws {
    try SwiftABI.$broken.withValue([broken]) { () throws in
      for use in [SampleRun.Use.document, .record] {
        #expect(try KeyPathSearch(\Watched.id, for: use).place().key == "id")
        #expect(try KeyPathSearch(\Watched.name, for: use).place().key == "full_name")
        #expect(try KeyPathSearch(\Watched.watched, for: use).place().key == "seen")
        #expect(try KeyPathSearch(\Watched.note, for: use).place().key == "note")
        #expect(message { _ = try KeyPathSearch(\Watched.name.count, for: use).place() } != nil)
      }
      struct Fresh: Codable {
        var a: Int
        var b: Int
        enum CodingKeys: String, CodingKey { case a = "b", b = "a" }
      }
      #expect(RecordColumns<Fresh>.a.name == "b")
      #expect(RecordColumns<Fresh>.b.name == "a")
    }
  }

  @Test func `a query of a column that can't be told throws with advice`() {
    SwiftABI.$broken.withValue([.keyPathParts]) {
      let column = RecordColumns<Watched>.watched
      let error = #expect(throws: DatabaseError.self) {
        try EncryptedQueue.with("CREATE TABLE t (watched)") { db in
          _ = try Row.fetchAll(db, Table("t").filter(column == 1))
        }
      }
      #expect(error?.message?.contains("is no stored property of Watched") == true)
      #expect(error?.hint?.contains("enum Columns") == true)
    }
  }

  @Test func `without the metadata of enums, an error asks for sample values`() throws {
    struct Compass: Codable { var direction: Direction }
    SwiftABI.$broken.withValue([.enums]) {
      #expect(PlainEnum(Direction.self) == nil)
      #expect(enumCaseName(Direction.up) == nil)
      let text = message { _ = try SampleRun.sample(of: Compass.self, round: 0) }
      #expect(text?.contains("extension Direction: SampleValueSource {") == true)
    }
    _ = try SampleRun.sample(of: Compass.self, round: 0)
  }
}

#if compiler(>=6.3)
  @c enum CByte: UInt8 { case low = 10, high = 200 }
#endif

private enum Wide: CaseIterable {
  case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18
  case c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34, c35
  case c36, c37, c38, c39, c40, c41, c42, c43, c44, c45, c46, c47, c48, c49, c50, c51, c52
  case c53, c54, c55, c56, c57, c58, c59, c60, c61, c62, c63, c64, c65, c66, c67, c68, c69
  case c70, c71, c72, c73, c74, c75, c76, c77, c78, c79, c80, c81, c82, c83, c84, c85, c86
  case c87, c88, c89, c90, c91, c92, c93, c94, c95, c96, c97, c98, c99, c100, c101, c102
  case c103, c104, c105, c106, c107, c108, c109, c110, c111, c112, c113, c114, c115, c116
  case c117, c118, c119, c120, c121, c122, c123, c124, c125, c126, c127, c128, c129, c130
  case c131, c132, c133, c134, c135, c136, c137, c138, c139, c140, c141, c142, c143, c144
  case c145, c146, c147, c148, c149, c150, c151, c152, c153, c154, c155, c156, c157, c158
  case c159, c160, c161, c162, c163, c164, c165, c166, c167, c168, c169, c170, c171, c172
  case c173, c174, c175, c176, c177, c178, c179, c180, c181, c182, c183, c184, c185, c186
  case c187, c188, c189, c190, c191, c192, c193, c194, c195, c196, c197, c198, c199, c200
  case c201, c202, c203, c204, c205, c206, c207, c208, c209, c210, c211, c212, c213, c214
  case c215, c216, c217, c218, c219, c220, c221, c222, c223, c224, c225, c226, c227, c228
  case c229, c230, c231, c232, c233, c234, c235, c236, c237, c238, c239, c240, c241, c242
  case c243, c244, c245, c246, c247, c248, c249, c250, c251, c252, c253, c254, c255, c256
  case c257, c258, c259, c260, c261, c262, c263, c264, c265, c266, c267, c268, c269, c270
  case c271, c272, c273, c274, c275, c276, c277, c278, c279, c280, c281, c282, c283, c284
  case c285, c286, c287, c288, c289, c290, c291, c292, c293, c294, c295, c296, c297, c298
  case c299
}
