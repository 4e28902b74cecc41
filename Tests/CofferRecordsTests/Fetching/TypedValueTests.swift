import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Typed conditions, orders and extremes of records, compared with Swift's on the fetched records.
@Suite struct TypedValueTests {
  enum Rank: String, CaseIterable, Codable, DatabaseValueConvertible { case low, high, none }
  enum Level: Int, CaseIterable, Codable, DatabaseValueConvertible { case one = 1, two, ten = 10 }
  struct Money: RawRepresentable, Codable, Hashable, DatabaseValueConvertible {
    var rawValue: Decimal
  }

  struct Thing: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var price: Decimal, money: Money, date: Date, token: UUID, ratio: Float, number: UInt64
    var rank: Rank, level: Level, data: Data, text: String
    var maybe: Decimal?
  }

  struct Mapped: MappedRecord {
    var id: Int
    var price: Decimal, date: Date, token: UUID, ratio: Float, number: UInt64
    var rank: Rank, level: Level, data: Data, text: String

    static let mapping = Mapping(
      Mapped.init(id:price:date:token:ratio:number:rank:level:data:text:),
      Field("id", \.id), Field("price", \.price, .indexed), Field("date", \.date),
      Field("token", \.token), Field("ratio", \.ratio), Field("number", \.number),
      Field("rank", \.rank), Field("level", \.level), Field("data", \.data),
      Field("text", \.text))
  }

  static let prices = [
    "-10", "-2", "0", "0.1", "9", "10", "10.0", "100.5", "1234567890123456789.123456789",
    "1234567890123456789.12345678", "1e-30", "1e40", "-1e40",
  ].map { Decimal(string: $0)! }
  static let dates = [0, -0.5, 1.6e9, 1e12, -1e11, 253_402_300_800, -62_167_219_201, 2e12, -2e11]
    .map(Date.init(timeIntervalSinceReferenceDate:))
  static let ratios: [Float] = [-1.5, 0, 0.1, .leastNonzeroMagnitude, 3e38, -.infinity, .infinity]
  static let numbers: [UInt64] = [0, 1, 1 << 53, 1 << 53 + 1, UInt64(Int64.max)]
  static let texts = ["", "a", "a\0", "a\0b", "ab", "é", "e\u{301}", "z", "\u{FFFD}", "👍"]
  static let datas = [[], [0], [0, 1], [255], [0, 0]].map { Data($0) }

  private static func thing(_ id: Int, _ random: inout SeededGenerator) -> Thing {
    Thing(
      id: id, price: prices.randomElement(using: &random)!,
      money: Money(rawValue: prices.randomElement(using: &random)!),
      date: dates.randomElement(using: &random)!, token: .seeded(using: &random),
      ratio: ratios.randomElement(using: &random)!,
      number: numbers.randomElement(using: &random)!,
      rank: Rank.allCases.randomElement(using: &random)!,
      level: Level.allCases.randomElement(using: &random)!,
      data: datas.randomElement(using: &random)!, text: texts.randomElement(using: &random)!,
      maybe: Bool.random(using: &random) ? prices.randomElement(using: &random)! : nil)
  }

  private static func areBytesOrdered(_ lhs: String, _ rhs: String) -> Bool {
    lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
  }

  /// Compares the answers of SQLite and of Swift about a property.
  private func check<Record: TableRecord & FetchableRecord, Value: DatabaseValueConvertible>(
    _ db: Database, _ property: KeyPath<Record, Value>, id: KeyPath<Record, Int>,
    _ values: [Value], _ isLess: (Value, Value) -> Bool
  ) throws where Value._Base == Value, Record.DatabaseComponents == RecordColumns<Record>.Type {
    let column = RecordColumns<Record>[dynamicMember: property]
    let idColumn = RecordColumns<Record>[dynamicMember: id]
    let all = try Record.order(Column("id")).fetchAll(db)
    func isEqual(_ lhs: Value, _ rhs: Value) -> Bool { !isLess(lhs, rhs) && !isLess(rhs, lhs) }
    func expect(
      _ condition: TypedPredicate, _ name: String, _ value: Value, _ holds: (Value) -> Bool
    ) throws {
      let found = try Record.filter { _ in condition }.order(Column("id")).fetchAll(db)
      let right = all.filter { holds($0[keyPath: property]) }
      #expect(
        found.map { $0[keyPath: id] } == right.map { $0[keyPath: id] },
        "\(property) \(name) \(value)")
    }
    for value in values {
      try expect(column < value, "<", value) { isLess($0, value) }
      try expect(column <= value, "<=", value) { !isLess(value, $0) }
      try expect(column > value, ">", value) { isLess(value, $0) }
      try expect(column >= value, ">=", value) { !isLess($0, value) }
      try expect(value > column, "reversed >", value) { isLess($0, value) }
      try expect(column == value, "==", value) { isEqual($0, value) }
      try expect(column != value, "!=", value) { !isEqual($0, value) }
      let some = [value, values[0]]
      try expect(some.contains(column), "in", value) { one in
        some.contains { isEqual($0, one) }
      }
      let many = (0..<30).map { _ in value }
      try expect(many.contains(column), "in many", value) { isEqual($0, value) }
    }
    let sorted = all.sorted { isLess($0[keyPath: property], $1[keyPath: property]) }
    let ascending = try Record.order { _ in [column.asc, idColumn.asc] }.fetchAll(db)
    #expect(ascending.map { $0[keyPath: id] } == sorted.map { $0[keyPath: id] }, "\(property)")
    let descending = try Record.order { _ in [column.desc, idColumn.desc] }.fetchAll(db)
    #expect(
      descending.map { $0[keyPath: id] } == sorted.reversed().map { $0[keyPath: id] },
      "\(property)")
    let least = try #require(try Record.select { _ in min(column) }.fetchOne(db) ?? nil)
    #expect(isEqual(least, sorted[0][keyPath: property]), "least \(property)")
    let greatest = try #require(try Record.select { _ in max(column) }.fetchOne(db) ?? nil)
    #expect(isEqual(greatest, sorted.last![keyPath: property]), "greatest \(property)")
    var distinct: [Value] = []
    for one in sorted.map({ $0[keyPath: property] })
    where !(distinct.last.map { isEqual($0, one) } ?? false) {
      distinct.append(one)
    }
    let request = Record.select { _ in column }
    #expect(try request.distinct().fetchAll(db).count == distinct.count, "\(property)")
    #expect(try request.distinct().fetchCount(db) == distinct.count, "\(property)")
    #expect(
      try Record.select { _ in count(distinct: column) }.fetchOne(db) == distinct.count,
      "\(property)")
    let groups = try Record.select { _ in max(column) }.group { _ in column }.fetchAll(db)
    #expect(groups.count == distinct.count, "\(property)")
  }

  @Test(arguments: 0..<trialCount(1))
  func `conditions on a record's properties mean what they mean in Swift`(trial: Int) throws {
    var random = SeededGenerator(line: UInt(trial))
    let sql = """
      CREATE TABLE thing (
        id INTEGER PRIMARY KEY, price TEXT, money TEXT, date DATETIME, token BLOB, ratio REAL,
        number INTEGER, rank TEXT, level INTEGER, data BLOB, text TEXT, maybe TEXT)
      """
    try EncryptedQueue.with(sql) { db throws in
      let things = (0..<40).map { Self.thing($0, &random) }
      for thing in things { try thing.insert(db) }
      try db.execute(sql: "UPDATE thing SET price = '10.00' WHERE price = '10' AND id % 2 = 0")
      try check(db, \Thing.price, id: \.id, Self.prices, <)
      try check(db, \Thing.money, id: \.id, Self.prices.map(Money.init)) {
        $0.rawValue < $1.rawValue
      }
      try check(db, \Thing.date, id: \.id, Self.dates, <)
      try check(db, \Thing.token, id: \.id, things.prefix(5).map(\.token), <)
      try check(db, \Thing.ratio, id: \.id, Self.ratios, <)
      try check(db, \Thing.number, id: \.id, Self.numbers + [UInt64.max, 1 << 63], <)
      try check(db, \Thing.rank, id: \.id, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(db, \Thing.level, id: \.id, Level.allCases) { $0.rawValue < $1.rawValue }
      try check(db, \Thing.data, id: \.id, Self.datas) { $0.lexicographicallyPrecedes($1) }
      // Records' texts are compared by the column's collation.
      try check(db, \Thing.text, id: \.id, Self.texts, Self.areBytesOrdered)
      for price in Self.prices {
        let found = try Thing.filter { $0.maybe < price }.order { $0.id }.fetchAll(db).map(\.id)
        #expect(found == things.filter { $0.maybe.map { $0 < price } ?? false }.map(\.id))
        let range = Decimal(-5)...max(price, 0)
        let inside = try Thing.filter { range.contains($0.price) }.order { $0.id }.fetchAll(db)
        #expect(inside.map(\.id) == things.filter { range.contains($0.price) }.map(\.id))
        let other = try Thing.filter { ($0.maybe ?? price) >= $0.price }.fetchCount(db)
        #expect(other == things.count { ($0.maybe ?? price) >= $0.price })
      }
    }
  }

  @Test(arguments: 0..<trialCount(1))
  func `a mapped record's table keeps all digits, and compares them`(trial: Int) throws {
    var random = SeededGenerator(line: UInt(trial))
    try EncryptedQueue.with { db throws in
      try Mapped.createTable(db)
      let things = (0..<40).map { Self.thing($0, &random) }
      for one in things {
        let record = Mapped(
          id: one.id, price: one.price, date: one.date, token: one.token, ratio: one.ratio,
          number: one.number, rank: one.rank, level: one.level, data: one.data, text: one.text)
        _ = try record.inserted(db)
      }
      #expect(try Mapped.order(Column("id")).fetchAll(db).map(\.price) == things.map(\.price))
      try check(db, \Mapped.price, id: \.id, Self.prices, <)
      try check(db, \Mapped.date, id: \.id, Self.dates, <)
      try check(db, \Mapped.token, id: \.id, things.prefix(5).map(\.token), <)
      try check(db, \Mapped.ratio, id: \.id, Self.ratios, <)
      try check(db, \Mapped.number, id: \.id, Self.numbers + [UInt64.max, 1 << 63], <)
      try check(db, \Mapped.rank, id: \.id, Rank.allCases) { $0.rawValue < $1.rawValue }
      try check(db, \Mapped.level, id: \.id, Level.allCases) { $0.rawValue < $1.rawValue }
      try check(db, \Mapped.data, id: \.id, Self.datas) { $0.lexicographicallyPrecedes($1) }
      try check(db, \Mapped.text, id: \.id, Self.texts, Self.areBytesOrdered)
    }
  }

  @Test func `an index of decimal numbers serves their conditions and orders`() throws {
    let sql = "CREATE TABLE thing (id INTEGER PRIMARY KEY, price TEXT)"
    try EncryptedQueue.with(sql) { db throws in
      try db.execute(sql: "CREATE INDEX byPrice ON thing (price COLLATE coffer_decimal)")
      let request = Table<Price>("thing").filter { $0.price < 10 }.order { $0.price }
      let (query, arguments) = try request.makePreparedRequest(db, forSingleResult: false)
        .statement.parts
      let plan = try String.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN \(query)", arguments: arguments,
        adapter: SuffixRowAdapter(fromIndex: 3))
      #expect(plan.count == 1 && plan[0].contains("INDEX byPrice"), "\(plan)")
    }
  }

  private struct Price: Codable {
    var id: Int
    var price: Decimal
  }

  @Test func `a date of an earlier version, outside the years 0 to 9999, is found`() throws {
    struct Event: Codable, FetchableRecord, PersistableRecord {
      var id: Int
      var date: Date
    }
    try EncryptedQueue.with("CREATE TABLE event (id INTEGER PRIMARY KEY, date DATETIME)") {
      db throws in
      let far = Date(timeIntervalSince1970: 1e12)
      try db.execute(sql: "INSERT INTO event VALUES (1, ?), (3, '2020-01-01')", arguments: [1e12])
      try Event(id: 2, date: far).insert(db)
      func ids(_ request: QueryInterfaceRequest<Event>) throws -> [Int] {
        try request.order(Column("id")).fetchAll(db).map(\.id)
      }
      #expect(try ids(Event.filter { $0.date == far }) == [1, 2])
      #expect(try ids(Event.filter { far == $0.date }) == [1, 2])
      #expect(try ids(Event.filter { $0.date != far }) == [3])
      #expect(try ids(Event.filter { [far].contains($0.date) && $0.id > 0 }) == [1, 2])
      #expect(try ids(Event.filter { ![far].contains($0.date) }) == [3])
      #expect(try ids(Event.filter(Column("date") == far && Column("id") < 2)) == [1])
      #expect(try Event.fetchAll(db, keys: [1, 2]).map(\.date) == [far, far])
    }
  }
}

extension Statement {
  fileprivate var parts: (String, StatementArguments) { (sql, arguments) }
}
