@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import FoundationEssentials
import Testing

@Suite struct FetchRequestTests {
  private struct Tag: DatabaseValueConvertible, Hashable {
    var text: String
    var databaseValue: DatabaseValue { text.databaseValue }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Tag? {
      String.fromDatabaseValue(value).map { Tag(text: $0) }
    }
  }

  /// Shows the columns in reverse order, or the last column alone.
  private struct Picking: RowAdapter {
    let onlyLast: Bool
    func _adaptation(of columns: RowColumns) -> RowAdaptation {
      let order = Array((0..<columns.count).reversed().prefix(onlyLast ? 1 : .max))
      return RowAdaptation(
        layout: RowLayout(columnNames: order.map { columns.layout.columnNames[$0] }),
        baseIndices: order.map(columns.baseIndex), scopes: [])
    }
  }

  private let database: EncryptedQueue

  init() throws {
    database = try EncryptedQueue(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO t(name) VALUES ('a'), ('b'), ('b'), ('c');
      """)
  }

  // MARK: Shapes

  @Test func `a request of rows is fetched in four shapes`() throws {
    try database.use { db throws in
      let request = SQLRequest(sql: "SELECT name FROM t WHERE id > ?", arguments: [1])
      let ids = try request.fetchCursor(db).map { $0[0] as String }
      #expect(try Array(ids) == ["b", "b", "c"])
      #expect(try request.fetchAll(db).map { $0["name"] as String } == ["b", "b", "c"])
      #expect(try request.fetchOne(db)?["name"] as String? == "b")
      #expect(try Row.fetchAll(db, request).count == 3)
      #expect(try Row.fetchOne(db, request)?.count == 1)
      let rows = try Row.fetchCursor(db, request)
      #expect(try rows.next()?[0] as String? == "b")
    }
  }

  @Test func `a request of fast values is fetched in four shapes`() throws {
    try database.use { db throws in
      let request: SQLRequest<String> = "SELECT name FROM t WHERE id > \(1)"
      let cursor: FastDatabaseValueCursor<String> = try request.fetchCursor(db)
      #expect(try Array(cursor) == ["b", "b", "c"])
      #expect(try request.fetchAll(db) == ["b", "b", "c"])
      #expect(try request.fetchSet(db) == ["b", "c"])
      #expect(try request.fetchOne(db) == "b")
      #expect(try String.fetchAll(db, request) == ["b", "b", "c"])
      #expect(try String.fetchSet(db, request) == ["b", "c"])
      #expect(try String.fetchOne(db, request) == "b")
      #expect(try Array(String.fetchCursor(db, request)) == ["b", "b", "c"])
    }
  }

  @Test func `a request of converted values is fetched in four shapes`() throws {
    try database.use { db throws in
      let request = SQLRequest<Tag>(sql: "SELECT name FROM t WHERE id > ?", arguments: [2])
      let tags = [Tag(text: "b"), Tag(text: "c")]
      let cursor: DatabaseValueCursor<Tag> = try request.fetchCursor(db)
      #expect(try Array(cursor) == tags)
      #expect(try request.fetchAll(db) == tags)
      #expect(try request.fetchSet(db) == Set(tags))
      #expect(try request.fetchOne(db) == tags[0])
      #expect(try Tag.fetchAll(db, request) == tags)
      #expect(try Tag.fetchSet(db, request) == Set(tags))
      #expect(try Tag.fetchOne(db, request) == tags[0])
      #expect(try Array(Tag.fetchCursor(db, request)) == tags)
    }
  }

  @Test func `a request of optionals keeps NULL`() throws {
    try database.use { db throws in
      let request: SQLRequest<Int?> = "SELECT NULL UNION ALL SELECT \(1)"
      #expect(try request.fetchAll(db) == [nil, 1])
    }
  }

  @Test func `a value type fetches from a request of another one`() throws {
    try database.use { db throws in
      let request = SQLRequest<Row>(sql: "SELECT id FROM t ORDER BY id")
      #expect(try Int.fetchAll(db, request) == [1, 2, 3, 4])
      #expect(try Int.fetchOne(db, SQLRequest(sql: "SELECT count(*) FROM t")) == 4)
      #expect(try request.asRequest(of: String.self).fetchOne(db) == "1")
    }
  }

  // MARK: Statements

  @Test(arguments: [true, false])
  func `a request can be fetched from again, and while it is being fetched from`(
    cached: Bool
  ) throws {
    try database.use { db throws in
      let request = SQLRequest<Int>(
        sql: "SELECT id FROM t WHERE id > ? ORDER BY id", arguments: [1], cached: cached)
      let cursor = try request.fetchCursor(db)
      #expect(try cursor.next() == 2)
      #expect(try request.fetchAll(db) == [2, 3, 4])
      #expect(try Array(cursor) == [3, 4])
      #expect(try request.fetchOne(db) == 2)
    }
  }

  @Test func `the statement of a cached request is kept, without its arguments`() throws {
    try database.use { db throws in
      let sql = "SELECT name FROM t WHERE name = ?"
      let request = SQLRequest<String>(sql: sql, arguments: ["b"])
      #expect(try request.fetchAll(db).count == 2)
      _ = try request.databaseRegion(db)
      let hits = db.statementCacheStatistics.hits
      #expect(try db.cachedStatement(sql: sql).arguments == StatementArguments())
      #expect(db.statementCacheStatistics.hits == hits + 1)

      let misses = db.statementCacheStatistics.misses
      let once = SQLRequest<Int>(sql: "SELECT 7", cached: false)
      #expect(try once.fetchOne(db) == 7)
      #expect(db.statementCacheStatistics.misses == misses)
    }
  }

  @Test func `a prepared request has the statement with its arguments`() throws {
    try database.use { db throws in
      let request = SQLRequest<Int>(sql: "SELECT id FROM t WHERE name = ?", arguments: ["c"])
      let prepared = try request.makePreparedRequest(db)
      #expect(prepared.statement.sql == "SELECT id FROM t WHERE name = ?")
      #expect(prepared.statement.arguments == ["c"])
      #expect(prepared.adapter == nil)
      #expect(try Int.fetchAll(prepared.statement) == [4])
      #expect(try Int.fetchAll(prepared.statement) == [4])
    }
  }

  @Test func `wrong arguments and wrong SQL throw`() throws {
    try database.use { db throws in
      expectFailure(.SQLITE_MISUSE) {
        try SQLRequest<Int>(sql: "SELECT ?").fetchAll(db)
      }
      expectFailure(.SQLITE_ERROR) {
        try SQLRequest<Int>("SELECT nothing FROM \(identifier: "no \"where\"")").fetchAll(db)
      }
    }
  }

  // MARK: Counting

  @Test(arguments: [
    "SELECT id FROM t", "SELECT id FROM t;", "SELECT id FROM t -- all", "SELECT id FROM t; -- all",
    "SELECT ';' FROM t /* ; */ ;;\n", "WITH x AS (SELECT * FROM t) SELECT * FROM x",
    "SELECT * FROM t WHERE id IN (SELECT id FROM t) LIMIT 4",
  ])
  func `rows are counted whatever the SQL ends with`(sql: String) throws {
    try database.use { db throws in
      #expect(try SQLRequest<Row>(sql: sql).fetchCount(db) == 4)
    }
  }

  @Test func `rows are counted with their arguments`() throws {
    try database.use { db throws in
      let request: SQLRequest<Row> =
        "SELECT * FROM t WHERE name = \("b") AND id IN \(Array(1...100))"
      #expect(try request.fetchCount(db) == 2)
      #expect(try AnyFetchRequest(request).fetchCount(db) == 2)
      #expect(try request.adapted { _ in Picking(onlyLast: true) }.fetchCount(db) == 2)
      #expect(throws: DatabaseError.self) {
        try SQLRequest<Row>(sql: "SELECT 1; DELETE FROM t").fetchCount(db)
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 4)
    }
  }

  // MARK: Adapters and erasure

  @Test func `an adapted request applies its adapters to the row, one after the other`()
    throws
  {
    try database.use { db throws in
      let sql = "SELECT 1 AS a, 2 AS b, 3 AS c"
      let base = SQLRequest<Row>(sql: sql, adapter: Picking(onlyLast: false))
      #expect(try base.fetchOne(db)?.columnNames.map(\.self) == ["c", "b", "a"])
      let adapted = base.adapted { _ in Picking(onlyLast: true) }
      let row = try #require(try adapted.fetchOne(db))
      #expect(Array(row.columnNames) == ["a"])
      #expect(row[0] as Int == 1)
      #expect(try Int.fetchAll(db, adapted) == [1])
      #expect(
        try SQLRequest<Int>(sql: sql).adapted { _ in Picking(onlyLast: true) }.fetchAll(db) == [3])
    }
  }

  @Test func `an erased request fetches what its base does`() throws {
    try database.use { db throws in
      let requests: [AnyFetchRequest<String>] = [
        AnyFetchRequest(SQLRequest<String>(sql: "SELECT 'x' AS a, 'y' AS b")),
        AnyFetchRequest(
          SQLRequest<String>(sql: "SELECT 'x' AS a, 'y' AS b").adapted { _ in
            Picking(onlyLast: true)
          }),
      ]
      #expect(try requests.map { try $0.fetchOne(db) } == ["x", "y"])
      #expect(try requests[1].asRequest(of: Row.self).fetchAll(db).map(\.count) == [1])
    }
  }

  @Test func `a custom request learns when one row is enough`() throws {
    struct Limited: FetchRequest {
      typealias RowDecoder = Int
      var sqlSubquery: SQLSubquery {
        SQLRequest<Int>(sql: "SELECT id FROM t ORDER BY id LIMIT 3").sqlSubquery
      }
      func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool
      ) throws -> PreparedRequest {
        let statement = try db.makeStatement(
          literal: "SELECT id FROM t ORDER BY id LIMIT \(singleResult ? 1 : 3)")
        return PreparedRequest(statement: statement)
      }
      func fetchCount(_ db: Database) throws -> Int { 3 }
    }
    try database.use { db throws in
      #expect(try Limited().fetchAll(db) == [1, 2, 3])
      #expect(try Limited().fetchOne(db) == 1)
      #expect(
        try AnyFetchRequest(Limited()).makePreparedRequest(
          db, forSingleResult: true
        ).statement.arguments == [1])
    }
  }
}
