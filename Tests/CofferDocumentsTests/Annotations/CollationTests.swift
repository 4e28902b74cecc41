import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Collations of documents") struct CollationTests {
  static let byLength = Collation("byLength") { lhs, rhs in
    lhs.count < rhs.count
      ? .orderedAscending : lhs.count == rhs.count ? .orderedSame : .orderedDescending
  }

  static let standard: [Collation] = [
    .string, .binary, .caseInsensitive, .localized, .localizedCaseInsensitive,
  ]

  @Test(arguments: standard)
  func `every connection knows the standard collations`(collation: Collation) throws {
    #expect(collation.isStandard)
    try EncryptedQueue.with("CREATE TABLE t(a COLLATE \(collation.name))") { db in
      try db.execute(sql: "INSERT INTO t VALUES ('b'), ('a')")
      #expect(try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") == ["a", "b"])
    }
  }

  @Test func `each collation has the equality that it promises`() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let expected: [Collation: [Bool]] = [
      .string: [true, false], .binary: [false, false], .caseInsensitive: [true, true],
    ]
    try EncryptedQueue.with { db throws in
      for (collation, results) in expected {
        let sql = "SELECT ? = ? COLLATE \(collation.name)"
        let forms = try Bool.fetchOne(db, sql: sql, arguments: [composed, decomposed])
        let cases = try Bool.fetchOne(db, sql: sql, arguments: ["ÄPFEL", "äpfel"])
        #expect([forms, cases] == results, "\(collation)")
      }
    }
  }

  private struct Texts: Codable, Identifiable {
    var id: String
    @Unique var name: String
    @Index @CollateBinary var code: String?
    var inner: Inner
    struct Inner: Codable { @Index var text: String? }
  }

  @Test func `texts are equal as in Swift where nothing else is declared, but for identifiers`()
    throws
  {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    let encrypted = try EncryptedStore()
    let texts = try encrypted.store.collection(Texts.self)
    try texts.insert(
      Texts(id: composed, name: composed, code: composed, inner: .init(text: composed)))
    #expect(try texts.filter(\.name, equalTo: decomposed).fetchCount() == 1)
    #expect(try texts.filter { $0.name == decomposed }.fetchCount() == 1)
    #expect(try texts.filter(\.inner.text, equalTo: decomposed).fetchCount() == 1)
    #expect(try texts.filter(\.inner.text, equalTo: composed).fetchCount() == 1)
    #expect(try texts.filter(\.code, equalTo: decomposed).fetchCount() == 0)
    #expect(try texts.filter(\.id, equalTo: decomposed).fetchCount() == 0)
    #expect(try texts.filter(id: decomposed).fetchOne() == nil)
    #expect(try texts.filter(id: composed).fetchOne() != nil)
    // The index is of the same opinion, and used.
    let error = databaseError {
      try texts.insert(Texts(id: "2", name: decomposed, inner: .init(text: nil)))
    }
    #expect(error.map { "\($0)".contains("property name of Texts is unique") } == true)
    let indexes = try texts.store.execute(
      [String].self,
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%swiftCompare%'")
    #expect(indexes == ["Texts-unique-name", "Texts-index-inner.text"])
  }

  @Test func `a custom collation sorts once a connection has it`() throws {
    #expect(!Self.byLength.isStandard)
    let collation = try #require(Self.byLength.databaseCollation)
    try EncryptedQueue.with { db throws in
      db.add(collation: collation)
      let sql = """
        SELECT * FROM (SELECT 'ccc' AS a UNION ALL SELECT 'a' UNION ALL SELECT 'bb')
        ORDER BY a COLLATE byLength
        """
      #expect(try String.fetchAll(db, sql: sql) == ["a", "bb", "ccc"])
    }
  }

  @Test func `collations are the same if their names are, in either case`() {
    #expect(Collation("BYLENGTH") == Self.byLength)
    #expect(Set([Collation("x"), Collation("X"), Collation("y")]).count == 2)
    #expect(Collation("binary") == .binary)
    #expect(Collation("anything").isStandard)
    #expect("\(Collation.string)" == "swiftCompare")
  }
}
