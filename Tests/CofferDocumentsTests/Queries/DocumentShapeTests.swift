import Coffer
@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

/// Queries whose SQL is taken from an earlier query of the same shape.
@Suite struct DocumentShapeTests {
  fileprivate struct Person: Codable, Identifiable, Equatable {
    var id: Int
    var name: String
    var nickname: String?
    var score: Double?
    var tags: [String]
  }

  private struct Name: Codable {
    var name: String
  }

  private let encrypted: EncryptedStore
  private let people: DocumentCollection<Person>

  init() throws {
    encrypted = try EncryptedStore()
    people = try encrypted.store.collection(Person.self)
    try people.insert(
      (1...40).map { id in
        Person(
          id: id, name: id % 4 == 0 ? "\(id)" : "name \(id % 7)",
          nickname: id % 3 == 0 ? nil : "nick \(id % 5)",
          score: id % 5 == 0 ? nil : Double(id % 6), tags: id % 2 == 0 ? [] : ["a"])
      })
  }

  private func condition(
    _ query: QueryBuilder<Person>, _ random: inout SeededGenerator
  ) -> QueryBuilder<Person> {
    let number = Int.random(in: 0...6, using: &random)
    let nickname: String? = number == 0 ? nil : "nick \(number)"
    let score: Double? = number == 1 ? nil : Double(number)
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return query.filter(\.id, equalTo: number)
    case 1:
      return query.filter(\.name, equalTo: number % 2 == 0 ? "name \(number)" : "\(4 * number)")
    case 2: return query.filter(\.nickname, equalTo: nickname)
    case 3: return query.filter(\.nickname, notEqualTo: nickname)
    case 4: return query.filter(\.score, greaterThan: score)
    case 5: return query.filter(\.name, equalTo: "NAME \(number)", collation: .caseInsensitive)
    case 6: return query.filter(\.tags, equalTo: number % 2 == 0 ? [] : ["a"])
    case 7: return query.filter(\.score, isNull: number % 2 == 0)
    case 8: return query.filter("\(\.id) % \(number + 1) == 0")
    case 9: return query.filter("\(\.id) IN \(Array(0..<number * 3))")
    case 10: return query.filter(\.name, like: number % 2 == 0 ? "name%" : "%\(number)")
    case 11: return query.filter { $0.nickname == nickname }
    case 12: return query.filter { $0.id < number * 5 && !($0.name == "name \(number)") }
    default: return query.filter(id: number + 1)
    }
  }

  private func randomQuery(_ random: inout SeededGenerator) -> QueryBuilder<Person> {
    var query = people.all()
    for _ in 0..<Int.random(in: 0...2, using: &random) { query = condition(query, &random) }
    let number = Int.random(in: 0...9, using: &random)
    query = number % 2 == 0 ? query.orderBy(\.id) : query.orderBy(\.name, .descending).orderBy(\.id)
    if number == 3 { query = query.offset(number % 4) }
    return number > 6 ? query.limit(number) : query
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random queries find what a fresh rendering finds`(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    var shapeCount = 0
    for _ in 0..<300 {
      let query = randomQuery(&random)
      let (all, first) = (try query.fetchMany(), try query.fetchOne())
      let expected = try rendered(query)
      #expect(all == expected && first == expected.first)
      #expect(try query.fetchCount() == expected.count)
      #expect(try query.fetchMany(\.nickname) == expected.map(\.nickname))
      #expect(try query.fetchMany(Name.self).map(\.name) == expected.map(\.name))
      #expect(try query.fetchResults().map { try $0.get() } == expected)
      shapeCount = try encrypted.store.read { $0.queryShapes.known.count }
    }
    #expect(shapeCount > 20)
  }

  /// The documents of a query on a connection that knows no shape.
  private func rendered(_ query: QueryBuilder<Person>) throws -> [Person] {
    try encrypted.store.read { db in
      let known = db.queryShapes.known
      db.queryShapes.removeAll()
      defer { db.queryShapes.known = known }
      return try query.fetchMany()
    }
  }

  @Test func `queries that differ in values share a shape, which holds none`() throws {
    let secret = "a secret that is long enough to be on the heap"
    try encrypted.store.read { db in
      db.queryShapes.removeAll()
      for suffix in ["", " 1", " 2"] {
        _ = try people.filter(\.name, equalTo: secret + suffix).fetchOne()
        _ = try people.filter { $0.name == secret + suffix }.fetchMany()
      }
      #expect(db.queryShapes.known.count == 2)
      for known in db.queryShapes.known.values {
        let text = String(decoding: known.bytes, as: UTF8.self) + known.entry.sql
        #expect(!text.contains("secret"))
      }
    }
  }

  @Test func `NaN is refused by a comparison`() {
    #expect(throws: DocumentError.self) {
      try people.filter(\.score, equalTo: Double.nan).fetchOne()
    }
    #expect(throws: DocumentError.self) {
      try people.filter(\.score, greaterThan: Double.nan).fetchOne()
    }
  }
}
