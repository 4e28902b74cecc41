import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct StatementBinderTests {
  private func with(_ body: (Database, Statement) throws -> Void) throws {
    try EncryptedQueue.with { db in
      try db.execute(sql: "CREATE TABLE t(a, b, c)")
      try body(db, try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?)"))
    }
  }

  @Test func `values are bound in the order in which they are given`() throws {
    try with { db, statement throws in
      for number in 1...3 {
        try statement.execute {
          $0.bind(number)
          $0.bind("é\0\(number)")
          $0.bind(Double?.none)
        }
      }
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY a")
      #expect(rows.map { $0[0] as Int } == [1, 2, 3])
      #expect(rows.map { $0[1] as String } == ["é\01", "é\02", "é\03"])
      #expect(rows.allSatisfy { $0.hasNull(atIndex: 2) })
    }
  }

  @Test func `another number of values is refused, and executes nothing`() throws {
    try with { db, statement throws in
      for count in [0, 2, 4] {
        let error = databaseError {
          try statement.execute { for number in 0..<count { $0.bind(number) } }
        }
        #expect(error?.message == "wrong number of statement arguments: \(count)")
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
    }
  }

  @Test func `an error of the closure is thrown, and its values are forgotten`() throws {
    try with { db, statement throws in
      #expect(throws: TestError.self) {
        try statement.execute {
          $0.bind("secret")
          throw TestError()
        }
      }
      statement.setUncheckedArguments([])
      try statement.execute()
      #expect(try Int.fetchOne(db, sql: "SELECT count(a) FROM t") == 0)
    }
  }

  @Test func `a statement that the closure has executed with other values isn't executed`() throws {
    try with { db, statement throws in
      let error = databaseError {
        try statement.execute {
          $0.bind(1)
          try statement.execute(values: 4, 5, 6)
          $0.bind(2)
          $0.bind(3)
        }
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 4, "b": 5, "c": 6]])
      let query = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT ?")
      #expect(throws: DatabaseError.self) {
        try query.execute {
          $0.bind(1)
          _ = try Int.fetchCursor(query, arguments: [2, 3]).next()
          $0.bind(4)
        }
      }
      #expect(try Int.fetchAll(query, arguments: [5, 6]) == [5, 6])
    }
  }

  @Test func `values that the closure sets or clears otherwise aren't mixed with its own`() throws {
    try with { db, statement throws in
      let uses: [() throws -> Void] = [
        { try statement.setArguments([4, 5, 6]) },
        { try? statement.execute(values: 4, 5) },
        { try? statement.execute { _ in throw TestError() } },
      ]
      for use in uses {
        let error = databaseError {
          try statement.execute {
            $0.bind(1)
            try use()
            $0.bind(2)
            $0.bind(3)
          }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
      try statement.execute(values: 1, 2, 3)
      #expect(try Int.fetchOne(db, sql: "SELECT a + b + c FROM t") == 6)
    }
  }

  @Test func `a value that SQLite can't hold is refused`() throws {
    try with { db, statement throws in
      let error = databaseError { try statement.execute(values: 1, UInt64.max, 3) }
      #expect(error?.resultCode == .SQLITE_MISMATCH)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
    }
  }
}
