import Coffer
@testable import CofferDocuments
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("SQL fragments") struct SQLFragmentTests {
  fileprivate struct Item: Codable, Identifiable {
    var id: Int
    var name: String
    var bin: UUID?
  }

  fileprivate struct Odd: Codable {
    var quoted: Int
    var unicode: String

    enum CodingKeys: String, CodingKey {
      case quoted = "a \"quoted\" 'key'; DROP TABLE Item --"
      case unicode = "größe`]"
    }
  }

  private let encrypted: EncryptedStore
  private let items: DocumentCollection<Item>

  init() throws {
    encrypted = try EncryptedStore()
    items = try encrypted.store.collection(Item.self)
    try items.insert([Item(id: 1, name: "one"), Item(id: 2, name: "two"), Item(id: 3, name: "'")])
  }

  @Test(arguments: [
    "1) OR (1 = 1", "id = 1 --", "id = 1 /* ", "id = 1 /* x */", "name = 'x", "name = \"x",
    "(id = 1",
    "id = 1)", "id = 1; DELETE FROM Item", "1 ORDER BY id LIMIT 1", "id = 1 LIMIT 1", "[id = 1",
    "`id = 1", "id = 1 UNION SELECT 1", "1\0) OR (1",
  ])
  func `a fragment can't leave its place`(_ sql: String) throws {
    let fragment: SQLFragment<Item> = "\(literal: sql)"
    for query in [items.filter(fragment), items.filter(id: 2).filter(fragment)] {
      #expect(documentError { try query.fetchMany() }?.contains("a fragment of SQL") == true)
      #expect(documentError { try query.delete() } != nil)
      #expect(documentError { try query.update(\.name, "x") } != nil)
    }
    #expect(documentError { try items.all().orderBy(fragment).fetchMany() } != nil)
    #expect(documentError { try items.all().update("name = 'x' AND \(literal: sql)") } != nil)
    #expect(try items.all().orderBy(\.id).fetchMany(\.name) == ["one", "two", "'"])
  }

  @Test func `a fragment may be any expression`() throws {
    let fragments: [SQLFragment<Item>] = [
      "id = 1 OR id = 1", "(id) IN (SELECT max(1, 1) WHERE 1 ORDER BY 1 LIMIT 1)",
      "name = 'one' AND name <> '--' AND name <> '('", "\(\.id) = \(1)",
      "CASE WHEN id = 1 THEN 1 ELSE 0 END",
    ]
    for fragment in fragments {
      #expect(try items.filter(fragment).filter(\.id, lessThan: 3).fetchMany(\.id) == [1])
    }
    #expect(try items.filter("id = 1 OR id = 3").filter(id: 2).fetchCount() == 0)
  }

  @Test(arguments: ["' OR 1 = 1 --", "x'; DROP TABLE Item; --", "\" OR \"\"=\"", "\0", "?", ":a"])
  func `a value is never SQL`(_ attack: String) throws {
    #expect(try items.filter("\(\.name) = \(attack)").fetchCount() == 0)
    #expect(try items.filter(\.name, equalTo: attack).fetchCount() == 0)
    #expect(try items.filter(\.name, like: attack).fetchCount() == 0)
    try items.filter(id: 1).update(\.name, attack)
    #expect(try items.filter("\(\.name) = \(attack)").fetchMany(\.id) == [1])
    #expect(try items.all().fetchCount() == 3)
    #expect(
      try encrypted.store.execute([Int].self, "SELECT id FROM Item WHERE name = \(attack)") == [1])
  }

  @Test func `names are quoted`() throws {
    let odd = try encrypted.store.collection(Odd.self)
    try odd.insert(Odd(quoted: 1, unicode: "ü"))
    try odd.save(Odd(quoted: 2, unicode: "日本"))
    #expect(try odd.filter(\.quoted, equalTo: 2).fetchOne()?.unicode == "日本")
    #expect(try odd.all().orderBy(\.unicode).fetchMany(\.quoted) == [1, 2])
    try odd.filter { $0.quoted == 2 }.update(\.unicode, "x")
    #expect(try odd.filter("\(name: "größe`]") = 'x'").fetchCount() == 1)
    #expect(try items.all().fetchCount() == 3)
  }

  @Test func `arrays after IN are lists of any length`() throws {
    #expect(try items.filter("\(\.id) IN \([1, 3])").fetchCount() == 2)
    #expect(try items.filter("\(\.id) in \([Int]())").fetchCount() == 0)
    #expect(try items.filter("\(\.id) NOT IN \([Int]())").fetchCount() == 3)
    #expect(try items.filter("\(\.id) IN \(Array(-50_000..<3))").fetchCount() == 2)
    #expect(try items.filter("\(\.name) IN \(["one", "' OR 1=1"])").fetchCount() == 1)
    let bin = UUID.seeded()
    try items.save(Item(id: 9, name: "nine", bin: bin))
    #expect(try items.filter("\(\.bin) IN \([UUID.seeded(), bin])").fetchMany(\.id) == [9])
  }

  @Test func `arrays in parentheses after IN are lists too`() throws {
    #expect(try items.filter("\(\.id) IN (\([1, 3]))").fetchCount() == 2)
    #expect(try items.filter("\(\.id) NOT IN ( \([1, 3]) )").fetchMany(\.id) == [2])
    #expect(try items.filter("\(\.id) IN (\([1]), 3)").fetchCount() == 2)
    #expect(try items.filter("\(\.id) in(\([Int]()))").fetchCount() == 0)
    #expect(try items.filter("\(\.id) IN (\(Array(-50_000..<3)))").fetchCount() == 2)
    // A function whose name ends in "IN" takes one argument.
    #expect(throws: (any Error).self) { try items.filter("join(\([1]))").fetchCount() }
  }

  @Test func `text is inserted only where it is labelled as SQL`() throws {
    let order = "DESC"
    #expect(try items.all().orderBy("\(\.id) \(raw: order)").fetchMany(\.id) == [3, 2, 1])
    #expect(try items.filter("\(\.id) \(literal: ">") 2").fetchCount() == 1)
    #expect(try items.filter("\(\.bin) IS \(nil as UUID?)").fetchCount() == 3)
    #expect(
      try encrypted.store.execute(Int.self, "SELECT count(*) FROM \(items) WHERE \(\Item.id) > 1")
        == 2)
  }

  @Test func `wrong SQL throws when it is executed, and shows no value`() throws {
    let secret = "hunter2"
    let error = databaseError { try items.filter("\(\.name) = \(secret) AND nothing").fetchMany() }
    #expect(error.map { "\($0)".contains(secret) } == false)
    let unknown = documentError { try items.filter("\(\.name.count) = \(secret)").fetchMany() }
    #expect(unknown.map { "\($0)".contains(secret) } == false)
  }
}
