@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct StatementCacheTests {
  private func withCache<T>(_ capacity: Int, _ body: (Database) throws -> T) throws -> T {
    let database = try EncryptedQueue { $0.statementCacheCapacity = capacity }
    defer { withExtendedLifetime(database) {} }
    return try database.queue.inDatabase(body)
  }

  /// Hits, misses and evictions in `body`.
  private func statistics(_ db: Database, _ body: () throws -> Void) rethrows -> [Int] {
    let before = db.statementCacheStatistics
    try body()
    let after = db.statementCacheStatistics
    return [
      after.hits - before.hits, after.misses - before.misses, after.evictions - before.evictions,
    ]
  }

  private func fetch(_ db: Database, _ numbers: Int...) throws {
    for number in numbers {
      #expect(try Int.fetchOne(db, sql: "SELECT \(number)") == number)
    }
  }

  @Test func `a capacity of zero keeps nothing`() throws {
    try withCache(0) { db throws in
      #expect(try statistics(db) { try fetch(db, 1, 1, 1) } == [0, 3, 0])
    }
  }

  @Test func `a capacity of one keeps the last`() throws {
    try withCache(1) { db throws in
      #expect(try statistics(db) { try fetch(db, 1, 1, 2, 2, 1) } == [2, 3, 2])
    }
  }

  @Test func `the least recently used statement goes first`() throws {
    try withCache(3) { db throws in
      try fetch(db, 1, 2, 3)
      #expect(try statistics(db) { try fetch(db, 1) } == [1, 0, 0])
      #expect(try statistics(db) { try fetch(db, 4) } == [0, 1, 1])
      #expect(try statistics(db) { try fetch(db, 1, 3, 4) } == [3, 0, 0])
      #expect(try statistics(db) { try fetch(db, 2) } == [0, 1, 1])
      #expect(try statistics(db) { try fetch(db, 1) } == [0, 1, 1])
    }
  }

  @Test func `executed changes are kept as well`() throws {
    try withCache(10) { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      let sql = "INSERT INTO t VALUES (?)"
      #expect(
        try statistics(db) {
          for number in 1...5 { try db.execute(sql: sql, arguments: [number]) }
        } == [4, 1, 0])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2, 3, 4, 5])
    }
  }

  @Test func `texts that differ in their Unicode form are two statements`() throws {
    try withCache(10) { db throws in
      let composed = "SELECT length('\u{E9}')"
      let decomposed = "SELECT length('e\u{301}')"
      #expect(composed == decomposed, "as Swift compares them")
      for _ in 0..<2 {
        #expect(try Int.fetchOne(db, sql: composed) == 1)
        #expect(try Int.fetchOne(db, sql: decomposed) == 2)
      }
      #expect(db.statementCacheStatistics.misses == 2)
    }
  }

  @Test func `equal texts find the same statement`() throws {
    try withCache(10) { db throws in
      #expect(
        try statistics(db) {
          for _ in 0..<5 {
            let sql = ["SELECT 'a text that is longer than fifteen bytes'", ""].joined(
              separator: " ")
            _ = try Row.fetchAll(db, sql: sql)
          }
        } == [4, 1, 0])
    }
  }

  @Test func `a statement in use isn't shared`() throws {
    try withCache(10) { db throws in
      let sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
      let outer = try Int.fetchCursor(db, sql: sql)
      var pairs = 0
      while let a = try outer.next() {
        let inner = try Int.fetchCursor(db, sql: sql)
        while let b = try inner.next() {
          pairs += a * b
          #expect(try Int.fetchAll(db, sql: sql) == [1, 2, 3])
        }
      }
      #expect(pairs == 36)
      let first = try db.cachedStatement(sql: sql)
      let second = try db.cachedStatement(sql: sql)
      #expect(first !== second)
    }
  }

  @Test func `an evicted statement serves its cursor to the end`() throws {
    try withCache(1) { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
      #expect(try cursor.next() == 1)
      try fetch(db, 1, 2, 3)
      db.releaseMemory()
      #expect(try cursor.next() == 2)
      #expect(try cursor.next() == nil)
    }
  }

  // MARK: The schema

  private func check(_ db: Database, _ names: [String], _ values: [[DatabaseValue]]) throws {
    let sql = "SELECT * FROM t"
    let rows = try Row.fetchAll(db, sql: sql)
    #expect(rows.map(\.values) == values)
    for row in rows {
      #expect(Array(row.columnNames) == names)
      for (name, value) in zip(names, row.values) { #expect(row[name] as DatabaseValue == value) }
    }
    let cursor = try Row.fetchCursor(db, sql: sql)
    var index = 0
    while let row = try cursor.next() {
      #expect(Array(row.columnNames) == names)
      for (name, value) in zip(names, values[index]) {
        #expect(row[name] as DatabaseValue == value)
      }
      index += 1
    }
    #expect(index == values.count)
    #expect(cursor.columnNames == names)
  }

  @Test(arguments: [false, true])
  func `cached statements follow the schema`(isOther: Bool) throws {
    let database = try EncryptedQueue("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
    let changer = isOther ? try database.other() : database.queue
    func step(_ sql: String, _ names: [String], _ values: [[DatabaseValue]]) throws {
      if !sql.isEmpty { try changer.inDatabase { try $0.execute(sql: sql) } }
      try database.queue.inDatabase { db in
        try check(db, names, values)
        try check(db, names, values)
      }
    }
    try step("", ["a", "b"], [values(1, 2)])
    try step("ALTER TABLE t ADD COLUMN c DEFAULT 3", ["a", "b", "c"], [values(1, 2, 3)])
    try step(
      "DROP TABLE t; CREATE TABLE t(c, x); INSERT INTO t VALUES (4, 5), (6, 7)", ["c", "x"],
      [values(4, 5), values(6, 7)])
    try step("DROP TABLE t; CREATE TABLE t(x, c)", ["x", "c"], [])
    try step("INSERT INTO t VALUES (8, 9)", ["x", "c"], [values(8, 9)])
    try step("ALTER TABLE t RENAME TO old; CREATE TABLE t(only)", ["only"], [])
    try step("DROP TABLE t; CREATE VIEW t AS SELECT c AS z FROM old", ["z"], [values(9)])
  }

  @Test(arguments: [false, true])
  func `a value is read where its column went`(isOther: Bool) throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let changer = isOther ? try database.other() : database.queue
    let statement = try database.queue.inDatabase { try $0.makeStatement(sql: "SELECT * FROM t") }
    #expect(try database.queue.inDatabase { _ in try Int.fetchOne(statement) } == 1)
    try changer.inDatabase {
      try $0.execute(sql: "DROP TABLE t; CREATE TABLE t(b, a); INSERT INTO t VALUES (2, 3)")
    }
    try database.queue.inDatabase { _ in
      let row = try #require(try Row.fetchOne(statement))
      #expect(row["a"] == 3)
      #expect(row["b"] == 2)
      #expect(statement.columnNames == ["b", "a"])
    }
    try changer.inDatabase { try $0.execute(sql: "DROP TABLE t") }
    #expect(throws: DatabaseError.self) {
      try database.queue.inDatabase { _ in try Row.fetchOne(statement) }
    }
  }

  @Test func `a cursor goes on while the schema changes`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)") { db throws in
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
      #expect(try cursor.next()?["a"] == 1)
      try db.execute(sql: "CREATE TABLE other(x)")
      #expect(try cursor.next()?["a"] == 2)
      #expect(try cursor.next() == nil)
    }
  }

  @Test func `the columns of a result without rows are current`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a)")
    let other = try database.other()
    let rows = try database.queue.inDatabase { try Row.fetchAll($0, sql: "SELECT * FROM t") }
    #expect(rows.isEmpty)
    try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
    try database.queue.inDatabase { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
      #expect(try cursor.next() == nil)
      #expect(cursor.columnNames == ["a", "b"])
    }
  }
}
