import Coffer
import Testing

@Suite struct SmokeTests {
  @Test func `a new file with a key is encrypted and comes back`() throws {
    let dir = try TemporaryDirectory()
    let path = dir.path("db")
    do {
      let queue = try DatabaseQueue(path: path, key: .passphrase("secret"))
      try queue.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, x REAL); INSERT INTO t(name, x) VALUES ('a', 1.5)")
        for i in 0..<10 { try db.execute(sql: "INSERT INTO t(name, x) VALUES (?, ?)", arguments: ["n\(i)", nil]) }
        print(db.statementCacheStatistics)
      }
      try queue.close()
    }
    let queue = try DatabaseQueue(path: path, key: .passphrase("secret"))
    try queue.read { db in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 11)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM t WHERE name IN (?) ORDER BY id", arguments: [["a", "n3", "zz"]]) == ["a", "n3"])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM t WHERE id IN (:ids)", arguments: ["ids": 2...4]) == [2, 3, 4])
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM t WHERE id < 3")
      #expect(rows[0]["name"] == "a")
      #expect(rows[1]["X"] as Double? == nil)
      let c = try Row.fetchCursor(db, sql: "SELECT * FROM t")
      var n = 0
      while let row = try c.next() { n += row["id"] as Int }
      #expect(n == 66)
    }
    #expect(throws: DatabaseError.self) { try queue.read { try $0.execute(sql: "DELETE FROM t") } }
    do { _ = try DatabaseQueue(path: path, key: .passphrase("wrong")); Issue.record("opened") } catch { print(error) }
    do { _ = try DatabaseQueue(path: path); Issue.record("opened") } catch { print(error) }
    #expect(throws: DatabaseError.self) { try queue.read { _ in try queue.read { _ in } } }
  }
  @Test func `async cancel`() async throws {
    let queue = try DatabaseQueue()
    let task = Task { try await queue.read { db in
      try Int.fetchOne(db, sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c") } }
    try await Task.sleep(nanoseconds: 50_000_000)
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }
}
