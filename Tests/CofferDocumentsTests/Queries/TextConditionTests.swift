import Coffer
import CofferExpectations
import Foundation
import Testing

@testable import CofferCore
@testable import CofferDocuments

@Suite("Parts of texts, by collation") struct TextConditionTests {
  fileprivate struct Texts: Codable, Identifiable {
    var id: Int
    @Index var plain: String
    @CollateBinary @Index var bytes: String
    @CollateCaseInsensitive @Index var folded: String
    @CollateLocalized var localized: String?
  }

  private let encrypted: EncryptedStore
  private let texts: DocumentCollection<Texts>
  private let words = [
    "Moby-Dick", "moby", "MOBY DICK", "Élan", "E\u{301}lan", "élan", "a*b", "50%", "", "Mo", "日本語",
    "Zebra", "\u{10FFFF}x",
  ]

  init() throws {
    encrypted = try EncryptedStore(.queue)
    texts = try encrypted.store.collection(Texts.self)
    try texts.insert(
      words.enumerated().map {
        Texts(
          id: $0.offset, plain: $0.element, bytes: $0.element, folded: $0.element,
          localized: $0.element)
      })
  }

  private func ids(_ query: QueryBuilder<Texts>) throws -> [Int] {
    try query.orderBy(\.id).fetchMany(\.id)
  }

  private func expected(_ condition: (String) -> Bool) -> [Int] {
    words.indices.filter { condition(words[$0]) }
  }

  @Test func `prefixes, suffixes and parts are Swift's where nothing else is declared`() throws {
    for part in ["Mo", "mo", "", "É", "E\u{301}", "E", "lan", "*", "%", "日", "x", "Moby-Dick!"] {
      #expect(try ids(texts.filter { $0.plain.hasPrefix(part) }) == expected { $0.hasPrefix(part) })
      #expect(try ids(texts.filter { $0.plain.hasSuffix(part) }) == expected { $0.hasSuffix(part) })
      #expect(
        try ids(texts.filter { $0.plain.contains(part) })
          == expected { part.isEmpty || $0.contains(part) }, "\(part)")
    }
  }

  @Test func `parts of texts are compared by bytes where that is declared`() throws {
    for part in ["Mo", "É", "E", "E\u{301}", ""] {
      #expect(
        try ids(texts.filter { $0.bytes.hasPrefix(part) })
          == expected { $0.utf8.starts(with: part.utf8) }, "\(part)")
    }
    #expect(try ids(texts.filter { $0.bytes.contains("E") }) == [4])
  }

  @Test func `parts of texts ignore the case where that is declared`() throws {
    for part in ["MO", "mo", "é", "É", "DICK", "lAN", "zebra", ""] {
      let low = part.lowercased()
      #expect(
        try ids(texts.filter { $0.folded.hasPrefix(part) })
          == expected { $0.lowercased().hasPrefix(low) }, "\(part)")
      #expect(
        try ids(texts.filter { $0.folded.hasSuffix(part) })
          == expected { $0.lowercased().hasSuffix(low) }, "\(part)")
      #expect(
        try ids(texts.filter { $0.folded.contains(part) })
          == expected { low.isEmpty || $0.lowercased().contains(low) }, "\(part)")
    }
    #expect(try ids(texts.filter { $0.localized.hasPrefix("Mo") }) == [0, 9])
  }

  @Test(arguments: ["plain", "bytes", "folded"])
  func `a prefix uses the index`(property: String) throws {
    let query =
      switch property {
      case "plain": texts.filter { $0.plain.hasPrefix("Mo") }
      case "bytes": texts.filter { $0.bytes.hasPrefix("Mo") }
      default: texts.filter { $0.folded.hasPrefix("Mo") }
      }
    let plan = try encrypted.database.writer.read { db in
      let (sql, arguments) = try query.query.selecting("id", from: texts.table).build(db)
      return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
        .map { "\($0["detail"] as String)" }.joined()
    }
    #expect(plan.contains("Texts-index-\(property)"), "\(plan)")
  }

  fileprivate struct Price: Codable, Identifiable {
    var id: Int
    @Index var price: Decimal
    @Unique var code: Decimal?
  }

  @Test func `an index of decimal numbers is used, and compares numbers`() throws {
    let prices = try encrypted.store.collection(Price.self)
    let values = ["9.5", "10", "-3", "10.25", "100", "0.1"].compactMap { Decimal(string: $0) }
    try prices.insert(values.enumerated().map { Price(id: $0.offset, price: $0.element) })
    let ten = Decimal(10)
    let queries = [
      prices.filter(\.price, greaterThan: ten), prices.filter(\.price, equalTo: ten),
      prices.filter { $0.price > ten }, prices.filter { $0.price == ten },
    ]
    for query in queries {
      let plan = try encrypted.database.writer.read { db in
        let (sql, arguments) = try query.query.selecting("id", from: prices.table).build(db)
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
          .map { "\($0["detail"] as String)" }.joined() + " of " + sql
      }
      #expect(plan.contains("Price-index-price"), "\(plan)")
    }
    #expect(
      try prices.filter(\.price, greaterThan: ten).orderBy(\.price).fetchMany(\.id) == [3, 4])
    #expect(try prices.all().orderBy(\.price).fetchMany(\.id) == [2, 5, 0, 1, 3, 4])
    try encrypted.store.execute("UPDATE Price SET code = '1.50' WHERE id = 0")
    #expect(
      databaseError { try prices.filter(id: 1).update(\.code, Decimal(string: "1.5")) } != nil)
  }
}
