import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Filters, orders and aggregates of documents, compared with Swift's on the fetched documents: for
/// properties of the document itself, of a struct in it, and for lists.
@Suite struct TypedValueTests {
  enum Rank: String, CaseIterable, Codable, DatabaseValueConvertible { case low, high, none }

  struct Values: Codable, Equatable {
    var price: Decimal, date: Date, token: UUID, ratio: Float, number: UInt64
    var rank: Rank, text: String, maybe: Decimal?
  }

  struct Lists: Codable, Equatable {
    var prices: [Decimal], numbers: [UInt64], texts: [String], tokens: [UUID], ratios: [Float]
    var byText: [String: Int]
  }

  struct Thing: Codable, Identifiable, Equatable {
    var id: Int
    @Index var price: Decimal
    var date: Date, token: UUID, ratio: Float, number: UInt64
    var rank: Rank, text: String, maybe: Decimal?
    var inside: Values
    var lists: Lists
    var texts: [String], prices: [Decimal]
  }

  static let prices = [
    "-10", "-2", "0", "0.1", "9", "10", "100.5", "1234567890123456789.123456789",
    "1234567890123456789.12345678", "1e-30", "1e40", "-1e40", "0.30000000000000004",
    "0.300000000000000041",
  ].map { Decimal(string: $0)! }
  static let dates = [0, -5, 1.6e9, 1e12, -1e11, 253_402_300_800, -62_167_219_201, 2e12, -2e11]
    .map { Date(timeIntervalSinceReferenceDate: $0) }
  static let ratios: [Float] = [-1.5, 0, 0.1, 0.2, 1e-20, 3e30]
  static let numbers: [UInt64] = [0, 1, 1 << 53, 1 << 53 + 1, UInt64(Int64.max)]
  static let bigNumbers =
    numbers + [1 << 63, 1 << 63 + 1, .max, .max - 1, 10_000_000_000_000_000_000]
  static let texts = [
    "", "a", "a\0", "a\0b", "ab", "é", "e\u{301}", "éa", "z", "👍", "10", "\u{301}", "[1]",
  ]

  private static func thing(_ id: Int, _ random: inout SeededGenerator) -> Thing {
    func some<T>(_ values: [T]) -> [T] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in values.randomElement(using: &random)! }
    }
    func one<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
    let values = (0..<2).map { round in
      Values(
        price: one(prices), date: one(dates), token: .seeded(using: &random), ratio: one(ratios),
        number: one(round == 0 ? numbers : bigNumbers), rank: one(Rank.allCases),
        text: one(texts), maybe: Bool.random(using: &random) ? one(prices) : nil)
    }
    let own = values[0]
    return Thing(
      id: id, price: own.price, date: own.date, token: own.token, ratio: own.ratio,
      number: own.number, rank: own.rank, text: own.text, maybe: own.maybe, inside: values[1],
      lists: Lists(
        prices: some(prices), numbers: some(bigNumbers), texts: some(texts),
        tokens: [values[0].token], ratios: some(ratios),
        byText: Dictionary(some(texts).map { ($0, id) }) { one, _ in one }),
      texts: some(texts), prices: some(prices))
  }

  /// Swift's order, which must not see two normal forms: it finds "e\u{301}" neither less nor
  /// greater than "éa".
  private static func isLess(_ lhs: String, _ rhs: String) -> Bool {
    lhs.precomposedStringWithCanonicalMapping < rhs.precomposedStringWithCanonicalMapping
  }

  private func check<Value: Codable & Hashable>(
    _ things: DocumentCollection<Thing>, _ property: KeyPath<Thing, Value>, _ values: [Value],
    _ isLess: (Value, Value) -> Bool
  ) throws {
    let all = try things.all().orderBy(\.id).fetchMany()
    func expect(
      _ query: QueryBuilder<Thing>, _ name: String, _ value: Value, _ holds: (Value) -> Bool
    ) throws {
      #expect(
        try query.orderBy(\.id).fetchMany().map(\.id)
          == all.filter { holds($0[keyPath: property]) }.map(\.id), "\(property) \(name) \(value)")
      #expect(
        try query.fetchCount() == all.count { holds($0[keyPath: property]) }, "\(property) \(name)")
    }
    for value in values {
      try expect(things.filter(property, equalTo: value), "==", value) { $0 == value }
      try expect(things.filter(property, notEqualTo: value), "!=", value) { $0 != value }
      try expect(things.filter(property, lessThan: value), "<", value) { isLess($0, value) }
      try expect(things.filter(property, greaterThan: value), ">", value) { isLess(value, $0) }
      try expect(things.filter(property, lessThanOrEqualTo: value), "<=", value) {
        !isLess(value, $0)
      }
      let some = [value, values[0]]
      try expect(things.filter(property, in: some), "in", value) { some.contains($0) }
      try expect(things.filter(property, notIn: some), "not in", value) { !some.contains($0) }
    }
    let sorted = all.sorted { isLess($0[keyPath: property], $1[keyPath: property]) }
    #expect(
      try things.all().orderBy(property).orderBy(\.id).fetchMany().map(\.id) == sorted.map(\.id),
      "\(property)")
    let ordered = sorted.map { $0[keyPath: property] }
    #expect(try things.all().orderBy(property).fetchMany(property) == ordered)
    #expect(try things.min(property) == ordered.first)
    #expect(try things.max(property) == ordered.last)
    var distinct: [Value] = []
    for value in ordered where distinct.last != value { distinct.append(value) }
    #expect(try things.distinct(property) == distinct)
    let groups = Dictionary(grouping: all) { $0[keyPath: property] }.mapValues(\.count)
    #expect(try things.all().grouped(by: property).count() == groups)
  }

  private func check<Value: Codable & DatabaseValueConvertible & Equatable>(
    closures things: DocumentCollection<Thing>, _ property: KeyPath<Thing, Value>,
    _ values: [Value], _ isLess: (Value, Value) -> Bool
  ) throws where Value._Base == Value {
    let all = try things.all().orderBy(\.id).fetchMany()
    let column = DocumentColumns<Thing>[dynamicMember: property]
    for value in values {
      func expect(_ condition: TypedPredicate, _ name: String, _ holds: (Value) -> Bool) throws {
        #expect(
          try things.filter { _ in condition }.orderBy(\.id).fetchMany().map(\.id)
            == all.filter { holds($0[keyPath: property]) }.map(\.id),
          "\(property) \(name) \(value)")
      }
      try expect(column == value, "==") { $0 == value }
      try expect(column != value, "!=") { $0 != value }
      try expect(column < value, "<") { isLess($0, value) }
      try expect(!(column < value), "not <") { !isLess($0, value) }
      try expect(value < column, "reversed <") { isLess(value, $0) }
      try expect([value, values[0]].contains(column), "in") { [value, values[0]].contains($0) }
      try expect(![value].contains(column), "not in") { ![value].contains($0) }
    }
    let sorted = all.sorted { isLess($0[keyPath: property], $1[keyPath: property]) }
    let ordered = try things.all().orderBy { _ in column.asc }.orderBy(\.id).fetchMany()
    #expect(ordered.map(\.id) == sorted.map(\.id), "\(property)")
  }

  private func with(_ body: (DocumentCollection<Thing>, [Thing]) throws -> Void) throws {
    var random = SeededGenerator()
    for _ in 0..<trialCount(1) {
      let encrypted = try EncryptedStore(.queue)
      let things = try encrypted.store.collection(Thing.self)
      let all = (0..<40).map { Self.thing($0, &random) }
      try things.insert(all)
      #expect(try things.all().orderBy(\.id).fetchMany() == all)
      try body(things, all)
    }
  }

  @Test func `conditions on a document's own properties mean what they mean in Swift`() throws {
    try with { things, all throws in
      try check(things, \.price, Self.prices, <)
      try check(things, \.date, Self.dates, <)
      try check(things, \.token, all.prefix(5).map(\.token), <)
      try check(things, \.ratio, Self.ratios, <)
      try check(things, \.number, Self.numbers, <)
      try check(things, \.rank, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(things, \.text, Self.texts, Self.isLess)
      try check(closures: things, \.price, Self.prices, <)
      try check(closures: things, \.date, Self.dates, <)
      try check(closures: things, \.token, all.prefix(5).map(\.token), <)
      try check(closures: things, \.ratio, Self.ratios, <)
      try check(closures: things, \.number, Self.numbers + [.max], <)
      try check(closures: things, \.rank, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(closures: things, \.text, Self.texts, Self.isLess)
      // Numbers whose sum has no more digits than a Decimal, in whatever order they are added.
      let exact = things.filter(\.price, greaterThan: -11).filter(\.price, lessThan: 101)
        .filter(\.price, notIn: [Decimal(string: "1e-30")!])
      #expect(
        try exact.sum(\.price) == exact.fetchMany().reduce(Decimal.zero) { $0 + $1.price })
    }
  }

  @Test func `conditions on properties of a stored struct mean what they mean in Swift`() throws {
    try with { things, all throws in
      try check(things, \.inside.price, Self.prices, <)
      try check(things, \.inside.date, Self.dates, <)
      try check(things, \.inside.token, all.prefix(5).map(\.inside.token)) {
        $0.uuidString < $1.uuidString
      }
      try check(things, \.inside.ratio, Self.ratios, <)
      try check(things, \.inside.number, Self.bigNumbers, <)
      try check(things, \.inside.rank, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(things, \.inside.text, Self.texts, Self.isLess)
      try check(closures: things, \.inside.price, Self.prices, <)
      try check(closures: things, \.inside.ratio, Self.ratios, <)
      try check(closures: things, \.inside.number, Self.bigNumbers, <)
      try check(closures: things, \.inside.rank, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(closures: things, \.inside.text, Self.texts, Self.isLess)
      #expect(try things.sum(\.inside.price) == all.reduce(0) { $0 + $1.inside.price })
      for price in Self.prices {
        #expect(
          try things.filter(\.inside.maybe, equalTo: price).fetchCount()
            == all.count { $0.inside.maybe == price })
        #expect(
          try things.filter { $0.inside.maybe == price }.fetchCount()
            == all.count { $0.inside.maybe == price })
      }
      for text in Self.texts {
        #expect(
          try things.filter { $0.inside.text.hasPrefix(text) }.orderBy(\.id).fetchMany()
            == all.filter { $0.inside.text.hasPrefix(text) })
        #expect(
          try things.filter { $0.inside.text.hasSuffix(text) }.orderBy(\.id).fetchMany()
            == all.filter { $0.inside.text.hasSuffix(text) })
      }
    }
  }

  @Test func `lists and dictionaries have the members that they have in Swift`() throws {
    try with { things, all throws in
      func check<Element: Codable & Equatable>(
        _ list: KeyPath<Thing, [Element]>, _ elements: [Element]
      ) throws {
        for element in elements {
          let right = all.filter { $0[keyPath: list].contains(element) }.map(\.id)
          let found = try things.filter(list, contains: element).orderBy(\.id).fetchMany()
          #expect(found.map(\.id) == right, "\(list) \(element)")
          let column = DocumentColumns<Thing>[dynamicMember: list]
          let others = try things.filter { _ in !column.contains(element) }.fetchCount()
          #expect(others == all.count - right.count, "\(list) \(element)")
        }
        #expect(try things.all().orderBy(\.id).fetchMany(list) == all.map { $0[keyPath: list] })
      }
      try check(\.prices, Self.prices)
      try check(\.texts, Self.texts)
      try check(\.lists.prices, Self.prices)
      try check(\.lists.numbers, Self.bigNumbers)
      try check(\.lists.texts, Self.texts)
      try check(\.lists.ratios, Self.ratios)
      try check(\.lists.tokens, all.prefix(5).map(\.token))
      for text in Self.texts where !text.contains("\0") {
        let found = try things.filter { $0.lists.byText[text] != nil }.orderBy(\.id).fetchMany()
        #expect(found.map(\.id) == all.filter { $0.lists.byText[text] != nil }.map(\.id), "\(text)")
      }
    }
  }

  @Test func `a number of a stored struct keeps its digits where documents are changed by it`()
    throws
  {
    struct Account: Codable, Identifiable, Equatable {
      struct Details: Codable, Equatable {
        @Unique var code: Decimal
        var count: UInt64
      }
      var id: Int
      var details: Details
    }
    let encrypted = try EncryptedStore(.queue)
    let accounts = try encrypted.store.collection(Account.self)
    let codes = ["0.30000000000000004", "0.300000000000000041"].map { Decimal(string: $0)! }
    let both = codes.enumerated().map {
      Account(id: $0, details: .init(code: $1, count: .max - UInt64($0)))
    }
    try accounts.insert(both)
    try accounts.insert(
      Account(id: 3, details: .init(code: codes[1], count: 0)), onConflict: .replace)
    #expect(try accounts.all().orderBy(\.id).fetchMany().map(\.id) == [0, 3])
    func count(_ code: Decimal, _ count: UInt64) throws -> Int {
      try accounts.filter(\.details.code, equalTo: code).update(\.details.count, count)
    }
    #expect(try count(codes[0], 7) == 1)
    #expect(try accounts.filter(\.details.count, equalTo: 7).fetchMany().map(\.id) == [0])
    #expect(try count(codes[1], .max) == 1)
    #expect(try accounts.all().orderBy(\.details.count).fetchMany(\.details.count) == [7, .max])
    #expect(try accounts.all().orderBy(\.id).fetchMany(\.details.code) == codes)
    #expect(throws: (any Error).self) {
      try accounts.insert(Account(id: 4, details: .init(code: .nan, count: 0)))
    }
  }

  @Test func `a value of a property that was a number once is found in lists, too`() throws {
    struct Old: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "Thing"
      var id: Int
      var code: Int
    }
    struct New: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "Thing"
      var id: Int
      var code: String
    }
    let encrypted = try EncryptedStore(.queue)
    try encrypted.store.collection(Old.self).insert([Old(id: 1, code: 5), Old(id: 2, code: 6)])
    let things = try encrypted.again().collection(New.self)
    try things.insert(New(id: 3, code: "5"))
    #expect(try things.filter(\.code, equalTo: "5").orderBy(\.id).fetchMany(\.id) == [1, 3])
    #expect(try things.filter(\.code, in: ["5", "x"]).orderBy(\.id).fetchMany(\.id) == [1, 3])
    #expect(try things.filter(\.code, notIn: ["5", "x"]).fetchMany(\.id) == [2])
    #expect(try things.filter { ["5"].contains($0.code) }.orderBy(\.id).fetchMany(\.id) == [1, 3])
    #expect(try things.filter { !["5"].contains($0.code) }.fetchMany(\.id) == [2])
    let many = (0..<40).map { "\($0)" }
    #expect(try things.filter { many.contains($0.code) }.fetchCount() == 3)
  }

  @Test func `a text that looks like a list is told from the list`() throws {
    enum Anything: Codable, Equatable, SampleValueSource {
      case text(String), list([Int]), object([String: Int]), number(Double)

      static let sampleValues = SampleValues(Anything.text("a"), Anything.list([1]))

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
          self = .number(number)
        } else if let text = try? container.decode(String.self) {
          self = .text(text)
        } else if let list = try? container.decode([Int].self) {
          self = .list(list)
        } else {
          self = .object(try container.decode([String: Int].self))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        case .number(let number): try container.encode(number)
        }
      }
    }
    struct Thing: Codable, Identifiable, Equatable {
      var id: Int
      var value: Anything
    }
    let encrypted = try EncryptedStore(.queue)
    let things = try encrypted.store.collection(Thing.self)
    let values: [Anything] = [
      .text("[1]"), .list([1]), .text("{\"a\":1}"), .object(["a": 1]), .text("\"[1]\""),
      .text("\"x\""), .text("x"), .text(""), .number(1.5), .text("\"\\\"[1]\\\"\""), .text("[x"),
      .text("\"{"), .list([]), .text("[]"),
    ]
    try things.insert(values.enumerated().map { Thing(id: $0, value: $1) })
    #expect(try things.all().orderBy(\.id).fetchMany().map(\.value) == values)
    #expect(try things.all().orderBy(\.id).fetchMany(\.value) == values)
    for (id, value) in values.enumerated() {
      #expect(try things.filter(\.value, equalTo: value).fetchMany(\.id) == [id], "\(value)")
    }
  }
}
