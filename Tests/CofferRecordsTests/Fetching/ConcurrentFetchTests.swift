import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConcurrentFetchTests {
  struct Item: Codable, FetchableRecord, TableRecord, Hashable, Sendable {
    var id: Int64
    var number: Int
    var text: String

    enum Columns {
      static let id = Column("id")
      static let number = Column("number")
      static let text = Column("text")
    }
  }

  static let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER, text TEXT NOT NULL);
    CREATE INDEX item_number ON item (number);
    """

  /// A pool whose items have these identifiers, and texts of about `length` bytes.
  static func items(
    _ ids: some Sequence<Int64>, length: Int = 40,
    configure: (inout Configuration) -> Void = { _ in }
  ) throws -> EncryptedPool {
    let database = try EncryptedPool(schema) {
      $0.maximumReaderCount = 4
      configure(&$0)
    }
    try database.pool.write { db in
      let insert = try db.makeStatement(sql: "INSERT OR IGNORE INTO item VALUES (?, ?, ?)")
      for (index, id) in ids.enumerated() {
        let text = String(repeating: "\(index) ", count: length / 4)
        try insert.execute(arguments: [id, index &* 7_919 % 1_000, text])
      }
    }
    return database
  }

  /// Identifiers with gaps, clusters and extremes.
  static func randomIDs(using random: inout SeededGenerator) -> [Int64] {
    var ids: [Int64] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let start =
        Int64.random(in: .min...Int64.max, using: &random) >> [0, 8, 32, 48, 60].randomElement(
          using: &random)!
      let step = Int64(1) << Int64.random(in: 0...20, using: &random)
      for index in 0..<Int64.random(in: 1...1_500, using: &random) {
        let (offset, isLarge) = index.multipliedReportingOverflow(by: step)
        let (id, overflow) = start.addingReportingOverflow(offset)
        if !isLarge, !overflow { ids.append(id) }
      }
    }
    if Bool.random(using: &random) { ids.append(.min) }
    if Bool.random(using: &random) { ids.append(.max) }
    return ids
  }

  // MARK: The same as a plain fetch

  @Test(arguments: 0..<trialCount(6))
  func `it gives what a plain fetch gives, whatever the rowids are`(
    trial: Int
  ) throws {
    var random = SeededGenerator(line: UInt(1_000 + trial))
    let ids = ConcurrentFetchTests.randomIDs(using: &random)
    let database = try ConcurrentFetchTests.items(
      ids, length: [4, 40, 2_000].randomElement(using: &random)!
    ) {
      $0.maximumReaderCount = Int.random(in: 1...4, using: &random)
    }
    let pool = database.pool
    // Ranges without rows, in the middle of others.
    try pool.write { db in
      let bounds = [ids.randomElement(using: &random)!, ids.randomElement(using: &random)!].sorted()
      if bounds[1] &- bounds[0] < 1_000 {
        try Item.filter { $0.id >= bounds[0] && $0.id < bounds[1] }.deleteAll(db)
      }
    }
    let limit = Int.random(in: 0...1_000, using: &random)
    let middle = ids[ids.count / 2]
    let requests: [QueryInterfaceRequest<Item>] = [
      Item.all(), Item.filter { $0.number < limit }, Item.filter { $0.number == limit },
      Item.filter { $0.id >= middle }, Item.filter { $0.id < middle || $0.number > limit },
      Item.filter(keys: ids.shuffled(using: &random).prefix(20)), Item.none(),
      Item.filter(sql: "number > ? -- a comment", arguments: [limit]),
      Item.filter(sql: "number > (SELECT avg(number) FROM item)"),
    ]
    for request in requests {
      let expected = try pool.read { try request.fetchAll($0).sorted { $0.id < $1.id } }
      #expect(try pool.concurrentFetchAll(request) == expected)
      var items: [Item] = []
      try pool.concurrentForEach(request) { items.append($0) }
      #expect(items == expected)
      let numbers = request.select { $0.number }.asRequest(of: Int.self)
      #expect(try pool.concurrentFetchAll(numbers) == expected.map(\.number))
      let rows = try pool.concurrentFetchAll(request.asRequest(of: Row.self))
      #expect(rows.map { $0["id"] as Int64 } == expected.map(\.id))
      #expect(rows.map { $0["text"] as String } == expected.map(\.text))
    }
  }

  @Test func `asynchronous forms give the same`() async throws {
    let database = try ConcurrentFetchTests.items(1...20_000)
    let pool = database.pool
    let request = Item.filter { $0.number > 300 }
    let expected = try await pool.read { try request.order { $0.id }.fetchAll($0) }
    #expect(try await pool.concurrentFetchAll(request) == expected)
    let items = Mutex<[Item]>([])
    try await pool.concurrentForEach(request) { item in items.withLock { $0.append(item) } }
    #expect(items.withLock(\.self) == expected)
    let rowIDs = Mutex<[Int64]>([])
    try await pool.concurrentForEach(request.asRequest(of: Row.self)) { row in
      rowIDs.withLock { $0.append(row["id"]) }
    }
    #expect(rowIDs.withLock(\.self) == expected.map(\.id))
    let numbers = request.select { $0.number }.asRequest(of: Int.self)
    #expect(try await pool.concurrentFetchAll(numbers) == expected.map(\.number))
    let sum = Mutex(0)
    try await pool.concurrentForEach(numbers) { number in sum.withLock { $0 += number } }
    #expect(sum.withLock(\.self) == expected.reduce(0) { $0 + $1.number })
  }

  @Test func `an empty table and a table of extremes are fetched`() throws {
    let empty = try ConcurrentFetchTests.items([])
    #expect(try empty.pool.concurrentFetchAll(Item.all()).isEmpty)
    for ids in [[Int64.min], [.max], [.min, .max], [.min, 0, .max], [-1, 1]] {
      let database = try ConcurrentFetchTests.items(ids)
      #expect(try database.pool.concurrentFetchAll(Item.all()).map(\.id) == ids)
    }
  }

  @Test func `rows come in the order of the rowids, whatever SQLite would choose`() throws {
    let database = try ConcurrentFetchTests.items((1...5_000).reversed()) {
      $0.prepareDatabase { try $0.execute(sql: "PRAGMA reverse_unordered_selects = ON") }
    }
    let pool = database.pool
    #expect(try pool.concurrentFetchAll(Item.all()).map(\.id) == Array(1...5_000))
    // An index would give the order of the numbers.
    let numbers = Item.select { $0.number.forKey("rowid") }.asRequest(of: Int.self)
    let expected = try pool.read { try Item.order { $0.id }.fetchAll($0).map(\.number) }
    #expect(try pool.concurrentFetchAll(numbers) == expected)
    let named = Item.select { [$0.number.forKey("id"), $0.text] }.asRequest(of: Row.self)
    #expect(try pool.concurrentFetchAll(named).map { $0["id"] as Int } == expected)
  }

  @Test func `tables without a key, aliases, adapters and erased requests are fetched`() throws {
    let database = try EncryptedPool(
      """
      CREATE TABLE plain (rowid TEXT, value INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
      INSERT INTO plain (rowid, value) SELECT 'x', i FROM n;
      """)
    let pool = database.pool
    let table = Table("plain")
    let values = Array(1...4_000)
    #expect(try pool.concurrentFetchAll(table).map { $0["value"] as Int } == values)
    let alias = TableAlias<Row>(name: "p")
    let aliased = table.aliased(alias).filter(alias[Column("value")] > 3_000)
      .select(alias[Column("value")], as: Int.self)
    #expect(try pool.concurrentFetchAll(aliased) == Array(3_001...4_000))
    let adapted = table.all().adapted { _ in SuffixRowAdapter(fromIndex: 1) }
    #expect(try pool.concurrentFetchAll(adapted).map { $0.count } == values.map { _ in 1 })
    let erased = AnyFetchRequest(table.select(Column("value"), as: Int.self))
    #expect(try pool.concurrentFetchAll(erased) == values)
    let optional = table.select(Column("value"), as: Int?.self)
    #expect(try pool.concurrentFetchAll(optional) == values)
    let computed = table.select((Column("value") + 1).forKey("next"), as: Int.self)
    #expect(try pool.concurrentFetchAll(computed) == values.map { $0 + 1 })
  }

  // MARK: Requests that can't be split

  private static let reasons: [(ConcurrentFetchError.Reason, QueryInterfaceRequest<Row>)] = [
    (.order, rows("item").order(Column("id"))),
    (.order, rows("item").orderByPrimaryKey()),
    (.limit, rows("item").limit(10)),
    (.limit, rows("item").limit(-1, offset: 3)),
    (.distinct, rows("item").distinct()),
    (.distinct, rows("item").select(Column("number")).distinct()),
    (.grouping, rows("item").group(Column("number"))),
    (.aggregate, rows("item").select(count(Column("id")))),
    (.aggregate, rows("item").select(countAll())),
    (.aggregate, rows("item").select(max(Column("id")) + 1)),
    (.sql, rows("item").select(sql: "DISTINCT number")),
    (.sql, rows("item").select(sql: "number FROM item LIMIT 1 --")),
    (.sql, rows("item").select(SQL("number").sqlExpression + 1)),
    (
      .association,
      Item.joining(required: Item.belongsTo(Item.self, using: ForeignKey(["id"], to: ["id"])))
        .asRequest(of: Row.self)
    ),
    (.compound, rows("item").union(rows("item"))),
    (
      .commonTableExpression,
      rows("item").with(CommonTableExpression<Void>(named: "item", sql: "SELECT 1 AS id"))
    ),
    (.view, rows("item_view")),
    (.virtualTable, rows("item_search")),
    (.withoutRowID, rows("keyed")),
    (.hiddenRowID, rows("hidden")),
    (.otherSchema, rows("passing")),
  ]

  private static func rows(_ table: String) -> QueryInterfaceRequest<Row> { Table(table).all() }

  @Test(arguments: reasons.indices) func `what can't be split says why`(index: Int) throws {
    let (reason, request) = ConcurrentFetchTests.reasons[index]
    let database = try ConcurrentFetchTests.items(1...3) {
      $0.prepareDatabase { try $0.execute(sql: "CREATE TEMP TABLE passing (id INTEGER)") }
    }
    try database.pool.write { db in
      try db.execute(
        sql: """
          CREATE VIEW item_view AS SELECT * FROM item;
          CREATE VIRTUAL TABLE item_search USING fts4(text);
          CREATE TABLE keyed (id TEXT PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT);
          """)
    }
    #expect(throws: ConcurrentFetchError(reason)) { try database.pool.concurrentFetchAll(request) }
    #expect(throws: ConcurrentFetchError(reason)) {
      try database.pool.concurrentForEach(request) { _ in }
    }
  }

  @Test func `SQL requests and windows can't be split`() throws {
    let database = try ConcurrentFetchTests.items(1...3)
    let pool = database.pool
    let request: SQLRequest<Int> = "SELECT id FROM item"
    #expect(throws: ConcurrentFetchError(.sql)) { try pool.concurrentFetchAll(request) }
    #expect(throws: ConcurrentFetchError(.sql)) {
      try pool.concurrentFetchAll(AnyFetchRequest(request))
    }
    #expect("\(ConcurrentFetchError(.order))".contains("order"))
    let names = Set(ConcurrentFetchError.Reason.allCases.map { "\(ConcurrentFetchError($0))" })
    #expect(names.count == ConcurrentFetchError.Reason.allCases.count)
  }

  @Test func `an aggregate of the application isn't split`() throws {
    let sum = DatabaseFunction("total_of", argumentCount: 1, aggregate: Total.self)
    let database = try ConcurrentFetchTests.items(1...3) {
      $0.prepareDatabase { $0.add(function: sum) }
    }
    let request = Table("item").select(sum(Column("number")), as: Int.self)
    #expect(throws: ConcurrentFetchError(.aggregate)) {
      try database.pool.concurrentFetchAll(request)
    }
  }

  private struct Total: DatabaseAggregate {
    var sum = 0
    mutating func step(_ values: [DatabaseValue]) { sum += Int.fromDatabaseValue(values[0]) ?? 0 }
    func finalize() -> (any DatabaseValueConvertible)? { sum }
  }

  @Test func `a table that doesn't exist is SQLite's error`() throws {
    let database = try ConcurrentFetchTests.items(1...3)
    let pool = database.pool
    #expect(throws: DatabaseError.self) { try pool.concurrentFetchAll(Table("missing")) }
  }
}
