@testable import CofferCore
import CofferTestSupport
import Synchronization
import Testing

@Suite struct DatabaseAggregateTests {
  private struct Concatenation: DatabaseAggregate {
    var texts: [String] = []

    mutating func step(_ values: [DatabaseValue]) {
      if let text = String.fromDatabaseValue(values[0]) { texts.append(text) }
    }

    func finalize() -> (any DatabaseValueConvertible)? {
      texts.isEmpty ? nil : texts.joined(separator: "+")
    }
  }

  /// Counts the instances that are alive.
  private final class Living: DatabaseAggregate {
    static let count = Mutex(0)
    static let finals = Mutex(0)
    var rows = 0

    init() { Living.count.withLock { $0 += 1 } }
    deinit { Living.count.withLock { $0 -= 1 } }

    func step(_ values: [DatabaseValue]) throws {
      rows += 1
      if values[0] == "step".databaseValue {
        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "bad step")
      }
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
      Living.finals.withLock { $0 += 1 }
      if rows == 3 { throw DatabaseError(resultCode: .SQLITE_RANGE, message: "bad end") }
      return rows
    }
  }

  private func makeDatabase() throws -> EncryptedQueue {
    let database = try EncryptedQueue(
      """
      CREATE TABLE t(g, a);
      INSERT INTO t VALUES ('x', 'one'), ('y', 'two'), ('x', 'three'), ('z', NULL), ('y', 'four');
      """)
    try database.use {
      $0.add(function: DatabaseFunction("cat", argumentCount: 1, aggregate: Concatenation.self))
    }
    return database
  }

  @Test func `an aggregate sees the rows of its group`() throws {
    try makeDatabase().use { db throws in
      let rows = try Row.fetchAll(db, sql: "SELECT g, cat(a) FROM t GROUP BY g ORDER BY g")
      #expect(rows.map { $0[0] as String } == ["x", "y", "z"])
      #expect(rows.map { $0[1] as String? } == ["one+three", "two+four", nil])
    }
  }

  @Test func `an empty group has a result, from a fresh aggregate`() throws {
    try makeDatabase().use { db throws in
      db.add(function: DatabaseFunction("rows", argumentCount: 1, aggregate: RowCount.self))
      let row = try #require(
        try Row.fetchOne(db, sql: "SELECT cat(a), rows(a), count(*) FROM t WHERE 0"))
      #expect(row[0] as String? == nil)
      #expect(row[1] as Int == 0)
      #expect(try Row.fetchAll(db, sql: "SELECT rows(a) FROM t WHERE 0 GROUP BY g").isEmpty)
    }
  }

  private struct RowCount: DatabaseAggregate {
    var count = 0
    mutating func step(_ values: [DatabaseValue]) { count += 1 }
    func finalize() -> (any DatabaseValueConvertible)? { count }
  }

  @Test func `several aggregates of one query don't mix`() throws {
    try makeDatabase().use { db throws in
      let row = try #require(
        try Row.fetchOne(
          db,
          sql: """
            SELECT cat(g), cat(a), (SELECT cat(u.a) FROM t u WHERE u.g = 'x'), cat(DISTINCT g)
            FROM t
            """))
      #expect(
        (0..<4).map { row[$0] as String } == [
          "x+y+x+z+y", "one+two+three+four", "one+three", "x+y+z",
        ])
    }
  }

  @Test func `two statements that run by turns have aggregates of their own`() throws {
    try makeDatabase().use { db throws in
      let sql = "SELECT cat(a) FROM t GROUP BY g ORDER BY g"
      let first = try String?.fetchCursor(db, sql: sql)
      let second = try String?.fetchCursor(db, sql: sql)
      var texts: [String?] = []
      while let text = try first.next() {
        texts.append(text)
        texts.append(try second.next() ?? "missing")
      }
      #expect(texts == ["one+three", "one+three", "two+four", "two+four", nil, nil])
    }
  }

  @Test func `errors of aggregates reach the caller, and no instance outlives its group`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(g, a)")
    try database.use { db throws in
      db.add(function: DatabaseFunction("living", argumentCount: 1, aggregate: Living.self))
      #expect(try Int.fetchOne(db, sql: "SELECT living(a) FROM t") == 0)

      try db.execute(sql: "INSERT INTO t VALUES (1, 'a'), (1, 'step'), (2, 'b')")
      Living.finals.withLock { $0 = 0 }
      let inStep = try #require(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: "SELECT living(a) FROM t")
      }
      #expect(inStep.resultCode == .SQLITE_CONSTRAINT)
      #expect(inStep.message == "bad step")
      #expect(Living.finals.withLock(\.self) == 0)
      #expect(Living.count.withLock(\.self) == 0)

      try db.execute(sql: "UPDATE t SET a = 'c'")
      let atEnd = try #require(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: "SELECT living(a) FROM t")
      }
      #expect(atEnd.resultCode == .SQLITE_RANGE)
      #expect(atEnd.message == "bad end")
      #expect(Living.count.withLock(\.self) == 0)

      // Left in the middle of the second group.
      do {
        let cursor = try Int.fetchCursor(
          db, sql: "SELECT living(a) FROM t GROUP BY g ORDER BY g")
        #expect(try cursor.next() == 2)
      }
      #expect(Living.count.withLock(\.self) == 0)
      #expect(
        try Int.fetchAll(db, sql: "SELECT living(a) FROM t GROUP BY g ORDER BY g") == [2, 1])
    }
  }
}
