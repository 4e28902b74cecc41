import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

private struct Player: Codable, TableRecord, FetchableRecord, Identifiable {
  var id: Int64
  var name: String?
  var score: Int?
}

/// Requests whose SQL is taken from an earlier request of the same shape.
@Suite struct QueryShapeTests {
  private typealias File = EncryptedFile<DatabaseQueue>

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT, team INT);
    INSERT INTO player VALUES (1, 'Arthur', 10, 1), (2, 'Barbara', 20, NULL), (3, NULL, 30, 2),
      (4, 'arthur', NULL, 1), (5, 'O''Brien', 0, 1), (6, '%', 1, 0);
    CREATE VIEW best AS SELECT * FROM player WHERE score > 5;
    """

  /// A query for a request.
  private enum Query: CaseIterable { case all, first, count, existence }

  /// The SQL, the arguments and the rows of a request, the result of another query for it, or its
  /// error.
  private static func outcome(
    _ db: Database, _ request: QueryInterfaceRequest<Player>, _ query: Query
  ) -> String {
    let isSingle = query == .first
    do {
      if query == .count { return "\(try request.fetchCount(db))" }
      if query == .existence { return "\(try request.isEmpty(db))" }
      let statement = try request.makePreparedRequest(db, forSingleResult: isSingle).statement
      let text = "\(statement.sql) \(statement.arguments)"
      statement.clearBindings()
      let request = request.asRequest(of: Row.self)
      if isSingle { return "\(text) \(try request.fetchOne(db)?.description ?? "nil")" }
      return "\(text) \(try request.fetchAll(db))"
    } catch { return "\(error)" }
  }

  private static func sql(
    _ db: Database, _ request: QueryInterfaceRequest<Player>, isSingle: Bool = false
  ) throws -> String {
    let statement = try request.makePreparedRequest(db, forSingleResult: isSingle).statement
    defer { statement.clearBindings() }
    return "\(statement.sql) \(statement.arguments)"
  }

  // MARK: Random requests

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random requests have the SQL and the rows of a fresh rendering`(seed: UInt64) throws {
    let file = try File(QueryShapeTests.schema)
    let other = try DatabaseQueue(path: file.path, configuration: file.configuration)
    var random = RandomRequests(generator: SeededGenerator(state: seed))
    for round in 0..<400 {
      let request = random.request()
      let query = random.pick(Query.allCases)
      let cached = try file.writer.write { QueryShapeTests.outcome($0, request, query) }
      let fresh = try other.read { db in
        db.queryShapes.removeAll()
        return QueryShapeTests.outcome(db, request, query)
      }
      #expect(cached == fresh)
      guard round % 20 == 19 else { continue }
      // Neither connection keeps a lock here, so that the other one can change the schema.
      let change = random.schemaChange()
      let changed = random.chance(2) ? file.writer : other
      // Without a transaction, which old versions roll back if a change fails.
      try changed.writeWithoutTransaction { try? $0.execute(sql: change) }
    }
    let count = try file.writer.read { $0.queryShapes.known.count }
    #expect(count > 20 && count < 400)
  }

  // MARK: What changes the SQL

  @Test func `values that change the SQL give another shape`() throws {
    let file = try File(QueryShapeTests.schema)
    let (name, score) = (Column("name"), Column("score"))
    let requests: [QueryInterfaceRequest<Player>] = [
      Player.filter(score == 1), Player.filter(score == nil), Player.filter(score != nil),
      Player.filter(score != 1), Player.filter(nil == score), Player.filter(score === nil),
      Player.filter([Int]().contains(score)), Player.filter(![Int]().contains(score)),
      Player.filter([1].contains(score)), Player.filter([1, 2].contains(score)),
      Player.filter([1, nil].contains(score)), Player.filter([nil as Int?].contains(score)),
      Player.filter((1...9).map { $0 }.contains(score)),
      Player.filter((1...20).map { $0 }.contains(score)),
      Player.filter(keys: [Int]()), Player.filter(keys: [1]), Player.filter(keys: [1, 2]),
      Player.filter(keys: 1...20), Player.filter(key: 1), Player.filter(key: nil as Int?),
      Player.filter(true.sqlExpression), Player.filter(false.sqlExpression), Player.none(),
      Player.all(),
      Player.limit(1), Player.limit(2), Player.limit(-1), Player.limit(1, offset: 1),
      Player.limit(1, offset: 2), Player.limit(300), Player.limit(1 << 40),
      Player.filter(name == "a"), Player.filter(name == "a" && score == 1),
      Player.filter(name == "a" || score == 1), Player.filter(!(name == "a" && score == 1)),
      Player.filter(name.collating(.nocase) == "a"), Player.filter(name.collating(.binary) == "a"),
      Player.filter(name.like("a")), Player.filter(name.like("a", escape: "\\")),
      Player.filter((1...2).contains(score)), Player.filter(!(1...2).contains(score)),
      Player.filter(score + 1 == 2), Player.filter(score - 1 == 2),
      Player.filter(sql: "score = ?", arguments: [1]), Player.filter(sql: "score = 1"),
      Player.filter(sql: "score = :a", arguments: ["a": 1]),
      Player.filter(literal: "score IN \([1, 2])"), Player.filter(literal: "score IN \([1, 2, 3])"),
      Player.filter(literal: "score IN \(Array(1...20))"),
      Player.order(name), Player.order(name.desc), Player.order(name.ascNullsLast),
      Player.order(name).reversed(), Player.orderByPrimaryKey(), Player.all().withStableOrder(),
      Player.select(name), Player.select(name.forKey("a")), Player.select(name, score),
      Player.select(sql: "name, score"), Player.all().distinct(),
      Player.select(Column("ab"), Column("c")), Player.select(Column("a"), Column("bc")),
      Player.select(name).group(name), Player.select(name).group(name).having(count(name) > 1),
      Player.aliased(TableAlias(name: "p")), Player.aliased(TableAlias(name: "q")),
      Player.select(sum(score)), Player.select(count(distinct: score)),
    ]
    try file.writer.read { db in
      for isSingle in [false, true] {
        let fresh = requests.map { request in
          db.queryShapes.removeAll()
          return Result { try QueryShapeTests.sql(db, request, isSingle: isSingle) }
        }.map { (try? $0.get()) ?? "an error" }
        db.queryShapes.removeAll()
        for _ in 0..<3 {
          for (request, expected) in zip(requests, fresh) {
            let sql = (try? QueryShapeTests.sql(db, request, isSingle: isSingle)) ?? "an error"
            #expect(sql == expected)
          }
        }
      }
    }
  }

  @Test func `requests that differ in values share a shape, and each gets its own values`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.read { db in
      for id: Int64 in 1...6 {
        let request = Player.filter { $0.id == id && $0.name != "nobody \(id)" }
        let plain = Player.filter(id: id)
        let (one, all) = (try plain.fetchOne(db), try request.fetchAll(db))
        #expect(one?.id == id && all.allSatisfy { $0.id == id })
      }
      #expect(db.queryShapes.known.count == 2)
    }
  }

  @Test func `counts have shapes of their own, which hold no values`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.read { db in
      for (score, count) in [(10, 1), (30, 1), (99, 0)] {
        let request = Player.filter { $0.score == score }
        let (counted, isEmpty) = (try request.fetchCount(db), try request.isEmpty(db))
        #expect(counted == count && isEmpty == (count == 0))
        #expect(try request.fetchAll(db).count == count)
      }
      #expect(db.queryShapes.known.count == 3)
      // NULL and lists of other lengths are other SQL.
      let score = Column("score")
      for _ in 0..<2 {
        #expect(try Player.filter { $0.score == nil }.fetchCount(db) == 1)
        #expect(try !Player.filter { $0.score == nil }.isEmpty(db))
        #expect(try Player.filter([10, 20].contains(score)).fetchCount(db) == 2)
        #expect(try Player.filter([10, 20, 30].contains(score)).fetchCount(db) == 3)
        #expect(try Player.filter((0..<40).map { $0 }.contains(score)).fetchCount(db) == 5)
        #expect(try Player.filter((0..<20).map { $0 }.contains(score)).fetchCount(db) == 3)
        #expect(try Player.limit(4).fetchCount(db) == 4)
        #expect(try Player.limit(5).fetchCount(db) == 5)
        #expect(try Player.limit(0).isEmpty(db))
        #expect(try Player.select(Column("team")).distinct().fetchCount(db) == 4)
      }
    }
    try file.writer.write { try $0.execute(sql: "DROP VIEW best; DROP TABLE player") }
    #expect(throws: DatabaseError.self) {
      try file.writer.read { try Player.filter { $0.score == 10 }.fetchCount($0) }
    }
  }

  @Test func `a request stays as it was when others are made from it`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.read { db in
      let base = Player.filter { $0.score > 0 }
      let sql = try QueryShapeTests.sql(db, base)
      let narrower = base.filter { $0.name != nil }
      let ordered = narrower.order(Column("name")).limit(1)
      let rows = base.asRequest(of: Row.self).select(Column("name"))
      _ = try (narrower.fetchAll(db), ordered.fetchAll(db), rows.fetchAll(db))
      #expect(try QueryShapeTests.sql(db, base) == sql)
      #expect(try QueryShapeTests.sql(db, narrower) != sql)
      #expect(try base.fetchCount(db) == 4)
      #expect(try narrower.fetchCount(db) == 3)
      #expect(try ordered.fetchCount(db) == 1)
    }
  }

  // MARK: The schema

  @Test(arguments: [false, true])
  func `a change of the schema is noticed, also by another connection`(isOther: Bool) throws {
    let file = try File(QueryShapeTests.schema)
    let other = try DatabaseQueue(path: file.path, configuration: file.configuration)
    let changing = isOther ? other : file.writer
    func sql(_ request: QueryInterfaceRequest<Player>) throws -> String {
      try file.writer.read { try QueryShapeTests.sql($0, request, isSingle: true) }
    }
    let byName = Player.filter { $0.name == "Arthur" }
    for _ in 0..<2 { #expect(try sql(byName).contains("LIMIT 1")) }
    try changing.write { try $0.execute(sql: "CREATE UNIQUE INDEX names ON player (name)") }
    for _ in 0..<2 { #expect(try !sql(byName).contains("LIMIT 1")) }
    try changing.write { try $0.execute(sql: "DROP INDEX names") }
    for _ in 0..<2 { #expect(try sql(byName).contains("LIMIT 1")) }

    for _ in 0..<2 { #expect(try sql(Player.filter(id: 1)).contains(#""id" = ?"#)) }
    try changing.write {
      try $0.execute(
        sql: """
          DROP VIEW best; DROP TABLE player;
          CREATE TABLE player (number INTEGER PRIMARY KEY, name TEXT);
          """)
    }
    for _ in 0..<2 { #expect(try sql(Player.filter(id: 1)).contains(#""number" = ?"#)) }
  }

  @Test func `a change of the schema that is rolled back is noticed`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.write { db in
      let request = Player.filter { $0.name == "Arthur" }
      func hasLimit() throws -> Bool {
        try QueryShapeTests.sql(db, request, isSingle: true).contains("LIMIT 1")
      }
      #expect(try hasLimit())
      try db.inSavepoint {
        try db.execute(sql: "CREATE UNIQUE INDEX names ON player (name)")
        let (first, second) = (try hasLimit(), try hasLimit())
        #expect(!first && !second)
        return .rollback
      }
      #expect(try hasLimit())
    }
  }

  private struct ViewKeys: DatabaseSchemaSource {
    let columns: [String]?

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
      columns
    }
  }

  @Test func `another schema source is noticed`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.read { db in
      let request = Table<Player>("best").filter(key: 1)
      for column in ["id", "score", "id"] {
        try db.withSchemaSource(ViewKeys(columns: [column])) {
          for _ in 0..<2 {
            let sql = try QueryShapeTests.sql(db, request)
            #expect(sql.contains("\"\(column)\" = ?"))
          }
        }
        #expect(throws: DatabaseError.self) { try QueryShapeTests.sql(db, request) }
      }
    }
  }

  // MARK: Closures and memory

  @Test func `a condition made from the database is made each time`() throws {
    let file = try File(QueryShapeTests.schema)
    let calls = Locked(0)
    let request = Player.all().filterWhenConnected { _ in
      calls.increment()
      let call = calls.value
      return call % 2 == 0 ? Column("score") == nil : Column("score") == call
    }
    try file.writer.read { db in
      for _ in 0..<4 {
        db.queryShapes.removeAll()
        _ = try QueryShapeTests.sql(db, request)
        #expect(db.queryShapes.known.isEmpty)
      }
    }
    #expect(calls.value >= 4)
  }

  @Test func `no value stays in memory with a shape`() throws {
    let file = try File(QueryShapeTests.schema)
    let secret = "a secret that is long enough to be on the heap"
    try file.writer.read { db in
      // Reads the schema, on which the SQL of requests for one row depends.
      _ = try Player.filter(key: 1).fetchOne(db)
      db.queryShapes.removeAll()
      _ = try Player.filter { $0.name == secret && $0.name != secret.uppercased() }.fetchOne(db)
      _ = try Player.filter(literal: "name IN \([secret])").fetchOne(db)
      _ = try Player.filter(sql: "name = ?", arguments: [secret]).fetchOne(db)
      _ = try Player.filter(key: secret).fetchOne(db)
      _ = try Player.filter(Column("name").like(secret)).limit(1).fetchOne(db)
      #expect(db.queryShapes.known.count == 5)
      for known in db.queryShapes.known.values {
        let text = String(decoding: known.bytes, as: UTF8.self) + known.entry.sql
        #expect(!text.lowercased().contains("secret"))
      }
    }
  }

  @Test func `the number of shapes is limited, and huge requests have none`() throws {
    let file = try File(QueryShapeTests.schema)
    try file.writer.read { db in
      for limit in 0..<(QueryShapes.capacity + 20) {
        _ = try QueryShapeTests.sql(db, Player.limit(limit))
        #expect(db.queryShapes.known.count <= QueryShapes.capacity)
      }
      db.queryShapes.removeAll()
      let long = (0..<400).map { Column("score") != $0 }.joined(operator: .and)
      let text = "score /* " + String(repeating: "x", count: 5000) + " */ = 1"
      for _ in 0..<2 {
        #expect(try Player.filter(long).fetchCount(db) >= 0)
        #expect(try Player.filter(long).fetchAll(db).isEmpty)
        #expect(try Player.filter(sql: text).fetchAll(db).map(\.id) == [6])
      }
      #expect(db.queryShapes.known.isEmpty)
    }
  }
}

/// Requests whose shapes repeat, with other values.
private struct RandomRequests {
  var generator: SeededGenerator

  mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }

  mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &generator)! }

  mutating func column() -> Column { Column(pick(["id", "name", "score", "team"])) }

  mutating func value() -> (any DatabaseValueConvertible)? {
    pick([nil, 0, 1, 2, 30, 1.5, true, false, "Arthur", "arthur", "O'Brien", "%", "a_b", Data([1])])
  }

  mutating func values() -> [DatabaseValue] {
    let count = pick([0, 1, 1, 2, 3, 8, 9, 20])
    return (0..<count).map { _ in value()?.databaseValue ?? .null }
  }

  mutating func condition(_ depth: Int = 0) -> SQLExpression {
    let column = column()
    let kind = Int.random(in: 0..<(depth > 2 ? 16 : 20), using: &generator)
    switch kind {
    case 0, 1, 2, 3: return column == value()
    case 4: return column != value()
    case 5: return column === value()
    case 6: return column > (value()?.databaseValue ?? .null)
    case 7: return values().contains(column)
    case 8: return !values().contains(column)
    case 9: return column.like(pick(["%", "a%", "A_thur"]))
    case 10: return column.like(pick(["\\%", "a"]), escape: "\\")
    case 11: return (0...pick([1, 10])).contains(column)
    case 12: return column.collating(pick([.nocase, .binary])) == value()
    case 13: return column + pick([1, 2]) == pick([2, 3])
    case 14:
      return pick([
        SQL("score > \(pick([0, 5]))"), SQL("score IN \(values())"),
        SQL(sql: "score = ?", arguments: [pick([10, 20])]),
        SQL(sql: "score = :score", arguments: ["score": pick([10, 20])]), "1", "0",
      ]).sqlExpression
    case 15: return column.lowercased == value()
    case 16: return condition(depth + 1) && condition(depth + 1)
    case 17: return condition(depth + 1) || condition(depth + 1)
    case 18: return !condition(depth + 1)
    default: return request(depth + 2).exists()
    }
  }

  mutating func request(_ depth: Int = 0) -> QueryInterfaceRequest<Player> {
    var request = Player.all()
    if chance(5) { request = request.select(column(), column()) }
    if chance(9) { request = request.select(column().forKey(pick(["a", "name"]))) }
    if chance(9) { request = request.distinct() }
    if !chance(5) { request = request.filter(condition(depth)) }
    if chance(5) { request = request.filter(condition(depth)) }
    if chance(6) { request = request.filter(key: value()?.databaseValue ?? .null) }
    if chance(8) { request = request.filter(keys: values()) }
    if chance(12) { request = request.filterWhenConnected { [column = column()] _ in column != 2 } }
    if chance(3) { request = request.order(column().desc, column()) }
    if chance(8) { request = request.withStableOrder() }
    if chance(8) { request = request.reversed() }
    if chance(4) { request = request.limit(pick([0, 1, 2, 5]), offset: pick([nil, 0, 1])) }
    if chance(12) { request = request.aliased(TableAlias(name: pick(["p", "q"]))) }
    return request
  }

  mutating func schemaChange() -> String {
    pick([
      "CREATE UNIQUE INDEX IF NOT EXISTS names ON player (name)", "DROP INDEX IF EXISTS names",
      "CREATE UNIQUE INDEX IF NOT EXISTS scores ON player (score) WHERE score > 0",
      "DROP INDEX IF EXISTS scores",
      "CREATE UNIQUE INDEX IF NOT EXISTS teams ON player (team, id)",
      "CREATE TABLE IF NOT EXISTS other (id INTEGER PRIMARY KEY)", "DROP TABLE IF EXISTS other",
      """
      ALTER TABLE player RENAME TO old;
      CREATE TABLE player (id INT, name TEXT, score INT, team INTEGER PRIMARY KEY);
      INSERT OR IGNORE INTO player SELECT * FROM old; DROP VIEW IF EXISTS best; DROP TABLE old;
      """,
      """
      ALTER TABLE player RENAME TO old;
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT, team INT);
      INSERT OR IGNORE INTO player SELECT * FROM old; DROP VIEW IF EXISTS best; DROP TABLE old;
      """,
    ])
  }
}
