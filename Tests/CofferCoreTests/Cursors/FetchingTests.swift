@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct FetchingTests {
  private enum Color: String, DatabaseValueConvertible {
    case red, green
  }

  private enum Level: Int, DatabaseValueConvertible {
    case low = 1
    case high = 2
  }

  private struct Point: Codable, Hashable, DatabaseValueConvertible {
    var x: Int
    var y: Int
  }

  /// Stored as text with a prefix.
  private struct Tag: Hashable, DatabaseValueConvertible {
    let name: String
    var databaseValue: DatabaseValue { "#\(name)".databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Tag? {
      guard let text = String.fromDatabaseValue(dbValue), text.hasPrefix("#") else { return nil }
      return Tag(name: String(text.dropFirst()))
    }
  }

  /// All ways to fetch, which must agree.
  private func check<Value: DatabaseValueConvertible & Hashable>(
    _ db: Database, _ sql: String, _ expected: [Value]
  ) throws {
    #expect(try Value.fetchAll(db, sql: sql) == expected)
    #expect(try Value.fetchSet(db, sql: sql) == Set(expected))
    #expect(try Value.fetchOne(db, sql: sql) == expected.first)
    #expect(try Array(Value.fetchCursor(db, sql: sql)) == expected)
    let statement = try db.makeStatement(sql: sql)
    for _ in 0..<2 {
      #expect(try Value.fetchAll(statement) == expected)
      #expect(try Value.fetchSet(statement) == Set(expected))
      #expect(try Value.fetchOne(statement) == expected.first)
      #expect(try Array(Value.fetchCursor(statement)) == expected)
    }
  }

  /// The same for types that read straight from the statement.
  private func checkFast<Value: DatabaseValueConvertible & StatementColumnConvertible & Hashable>(
    _ db: Database, _ sql: String, _ expected: [Value]
  ) throws {
    #expect(try Value.fetchAll(db, sql: sql) == expected)
    #expect(try Value.fetchSet(db, sql: sql) == Set(expected))
    #expect(try Value.fetchOne(db, sql: sql) == expected.first)
    #expect(try Array(Value.fetchCursor(db, sql: sql)) == expected)
    try check(db, sql, expected)
  }

  @Test func `a cursor tells which statement it executes`() throws {
    try EncryptedQueue.with { db in
      let values = try Int.fetchCursor(db, sql: "SELECT 1 AS a")
      let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 2 AS b")
      #expect(values._statement.sql == "SELECT 1 AS a")
      #expect(rows._statement.columnNames == ["a", "b"])
      let statement = try db.makeStatement(sql: "SELECT 3")
      let optionals = try Int?.fetchCursor(statement)
      #expect(optionals._statement === statement)
      #expect(try optionals.next() == 3)
    }
  }

  @Test func `values of all kinds are fetched in all ways`() throws {
    try EncryptedQueue.with { db throws in
      try checkFast(db, "VALUES (1), (2), (1)", [1, 2, 1])
      try checkFast(db, "VALUES (1), (NULL)", [1, nil] as [Int?])
      try checkFast(db, "VALUES ('a'), ('')", ["a", ""])
      try checkFast(db, "SELECT 1 WHERE 0", [] as [Int])
      try checkFast(db, "VALUES (1.5)", [1.5])
      try checkFast(db, "VALUES (x''), (x'00')", [Data(), Data([0])])
      try check(
        db, "VALUES (1), ('a'), (NULL), (x'01')",
        [1.databaseValue, "a".databaseValue, .null, Data([1]).databaseValue])
      try check(db, "VALUES ('red'), ('green')", [Color.red, .green])
      try check(db, "VALUES (2), (1)", [Level.high, .low])
      try check(db, "VALUES ('red'), (NULL)", [Color.red, nil] as [Color?])
      try check(db, "VALUES ('#a'), ('#')", [Tag(name: "a"), Tag(name: "")])
      try check(db, #"VALUES ('{"x":1,"y":2}')"#, [Point(x: 1, y: 2)])
    }
  }

  @Test func `a first NULL is no value`() throws {
    try EncryptedQueue.with { db throws in
      #expect(try Int.fetchOne(db, sql: "VALUES (NULL), (1)") == nil)
      #expect(try Color.fetchOne(db, sql: "VALUES (NULL), ('red')") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      #expect(try Row.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
    }
  }

  @Test func `a cursor goes on after a value that doesn't convert`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "VALUES ('red'), ('blue'), ('green')"
      let cursor = try Color.fetchCursor(db, sql: sql)
      #expect(try cursor.next() == .red)
      #expect(throws: RowDecodingError.self) { try cursor.next() }
      #expect(try cursor.next() == .green)
      #expect(try cursor.next() == nil)
      #expect(throws: RowDecodingError.self) { try Color.fetchAll(db, sql: sql) }
      #expect(try Color.fetchOne(db, sql: sql) == .red)
      let numbers = try Int.fetchCursor(db, sql: "VALUES (1), (NULL), (3)")
      #expect(try numbers.next() == 1)
      #expect(throws: RowDecodingError.self) { try numbers.next() }
      #expect(try numbers.next() == 3)
      #expect(try numbers.next() == nil)
      #expect(throws: RowDecodingError.self) { try Point.fetchOne(db, sql: "SELECT '{'") }
    }
  }

  @Test func `after an error of SQLite, a cursor throws for ever`() throws {
    try EncryptedQueue.with { db throws in
      let sql =
        "WITH t(a) AS (VALUES (1), (-9223372036854775807 - 1), (3)) SELECT abs(a) FROM t"
      let cursor = try Int.fetchCursor(db, sql: sql)
      #expect(try cursor.next() == 1)
      let error = databaseError { try cursor.next() }
      #expect(error?.message == "integer overflow")
      #expect(error?.sql == sql)
      for _ in 1...2 {
        let error = databaseError { try cursor.next() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.sql == sql)
      }
      let rows = try Row.fetchCursor(db, sql: sql)
      #expect(throws: TestError.self) { try rows.forEach { _ in throw TestError() } }
      #expect(throws: DatabaseError.self) { try rows.next() }
      #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
      #expect(throws: DatabaseError.self) { try Int.fetchSet(db, sql: sql) }
      #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
    }
  }

  @Test func `a cursor reads no further than it is asked to`() throws {
    try EncryptedQueue.with { db throws in
      nonisolated(unsafe) var calls = 0
      db.add(
        function: DatabaseFunction("called", argumentCount: 1) { values in
          calls += 1
          return values[0]
        })
      let cursor = try Int.fetchCursor(
        db, sql: "WITH t(a) AS (VALUES (1), (2), (3)) SELECT called(a) FROM t")
      #expect(calls == 0)
      #expect(try cursor.next() == 1)
      #expect(calls == 1)
      #expect(try cursor.map { $0 * 10 }.filter { $0 > 10 }.next() == 20)
      #expect(calls == 2)
    }
  }

  @Test func `the row of a cursor is one object, and its copy stays`() throws {
    try EncryptedQueue.with { db throws in
      let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS n, 'a' AS t UNION ALL SELECT 2, 'b'")
      let first = try #require(try cursor.next())
      let copy = first.copy()
      let second = try #require(try cursor.next())
      #expect(first === second)
      #expect(second["n"] == 2)
      #expect(copy["n"] == 1)
      #expect(copy["t"] == "a")
      #expect(try cursor.next() == nil)
      #expect(try cursor.next() == nil)
      #expect(copy.values == values(1, "a"))
    }
  }

  // MARK: Statements that write and return rows

  @Test(.enabled(if: SQLiteFeatures.linked.hasReturning))
  func `fetchOne runs a statement that writes to its end`() throws {
    try EncryptedQueue.with("CREATE TABLE t(id INTEGER PRIMARY KEY, a)") { db throws in
      let sql = "INSERT INTO t(a) VALUES (1), (2), (3) RETURNING id"
      #expect(try Int.fetchOne(db, sql: sql) == 1)
      #expect(try Row.fetchOne(db, sql: sql)?["id"] == 4)
      #expect(try String.fetchOne(db, sql: "UPDATE t SET a = a + 1 RETURNING a") == "2")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 6)
      #expect(try Int.fetchOne(db, sql: "SELECT sum(a) FROM t") == 18)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasReturning))
  func `fetchOne reports a failure that comes at the end`() throws {
    let schema = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE child(id INTEGER PRIMARY KEY,
        parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
      """
    try EncryptedQueue.with(schema) { db throws in
      let sql = "INSERT INTO child(parent) VALUES (7) RETURNING id"
      for error in [
        databaseError { try Int.fetchOne(db, sql: sql) },
        databaseError { try Row.fetchOne(db, sql: sql) },
        databaseError { try Int.fetchAll(db, sql: sql) },
        databaseError { try db.execute(sql: sql) },
      ] {
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 0)
    }
  }

  // MARK: Memory

  /// The resident memory of the process, in bytes.
  private func residentMemory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(Int(text.split(separator: " ")[1])) * 4096
  }

  @Test func `a cursor's memory is flat over a million rows`() throws {
    try EncryptedQueue.with { db throws in
      let sql = """
        WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000)
        SELECT x, 'a text of some length for row ' || x AS t FROM c
        """
      let cursor = try Row.fetchCursor(db, sql: sql)
      var count = 0
      var bytes = 0
      var early = 0
      while let row = try cursor.next() {
        count += 1
        bytes += (row["t"] as String).utf8.count
        if count == 1000 { early = try residentMemory() }
      }
      #expect(count == 1_000_000)
      // All rows would take 100 MB; other tests run at the same time.
      #expect(try residentMemory() - early < 1_000_000_000)
      #expect(bytes > 30_000_000)
    }
  }
}
