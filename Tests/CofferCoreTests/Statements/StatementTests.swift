@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct StatementTests {
  private enum Color: String, DatabaseValueConvertible {
    case red, green
  }

  // MARK: SQL

  @Test(arguments: ["", " \n\t", "-- nothing", "/* nothing */ ;", ";;", "-- a\n; /* b */"])
  func `SQL without a statement can be executed, and not prepared`(sql: String) throws {
    try EncryptedQueue.with { db throws in
      #expect(databaseError { try db.makeStatement(sql: sql) }?.message == "empty statement")
      #expect(databaseError { try Row.fetchAll(db, sql: sql) }?.sql == sql)
      try db.execute(sql: sql)
      #expect(try db.allStatements(sql: sql).next() == nil)
      #expect(
        databaseError { try db.execute(sql: sql, arguments: [1]) }?.message
          == "wrong number of statement arguments: 1")
    }
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1;SELECT 2;", "SELECT 1; garbage"])
  func `several statements are refused where one is expected`(sql: String) throws {
    try EncryptedQueue.with { db throws in
      for error in [
        databaseError { try db.makeStatement(sql: sql) },
        databaseError { try db.cachedStatement(sql: sql) },
        databaseError { try Int.fetchOne(db, sql: sql) },
      ] {
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message?.hasPrefix("Multiple statements found.") == true)
        #expect(error?.sql == sql)
      }
    }
  }

  @Test(arguments: ["SELECT 1;", "SELECT 1 ; -- done", " ;SELECT 1/* x */;;"])
  func `semicolons and comments may surround a statement`(sql: String) throws {
    try EncryptedQueue.with { db throws in
      #expect(try Int.fetchOne(db, sql: sql) == 1)
      #expect(try Int.fetchOne(db, sql: sql) == 1)
    }
  }

  @Test func `a NUL in SQL is an error, so that nothing after it is lost silently`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT 1\0") }
      #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "\0SELECT 1") }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO t VALUES (1); \0 INSERT INTO t VALUES (2)")
      }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO t VALUES (3)\0; INSERT INTO t VALUES (4)")
      }
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT 'a\0b'") }
    }
  }

  @Test func `malformed SQL is an error with its text and place`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "SELECT 1 FORM t"
      let error = try #require(databaseError { try db.makeStatement(sql: sql) })
      #expect(error.resultCode == .SQLITE_ERROR)
      #expect(error.message?.contains("syntax error") == true)
      #expect(error.sql == sql)
      #expect(error.description.contains("while executing `\(sql)`"))
      if SQLiteFeatures.linked.version >= 3_038_000 {
        #expect(error.hint == "The error is at byte 14: t")
      }
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.version >= 3_038_000))
  func `the place of an error counts from the start of all statements`() throws {
    try EncryptedQueue.with { db throws in
      let error = databaseError { try db.execute(sql: "SELECT 1; SELECT é; SELECT nope") }
      #expect(error?.hint?.hasPrefix("The error is at byte 17: é") == true)
    }
  }

  @Test func `a megabyte of SQL is executed`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      let comment = String(repeating: "x", count: 500_000)
      #expect(try Int.fetchOne(db, sql: "SELECT /*\(comment)*/ 1") == 1)
      let rows = 20_000
      let script = (0..<rows).map { "INSERT INTO t VALUES (\($0)); -- row number \($0)\n" }.joined()
      #expect(script.utf8.count > 900_000)
      try db.inTransaction {
        try db.execute(sql: script)
        return .commit
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == rows)
      #expect(try Int.fetchOne(db, sql: "SELECT max(a) FROM t") == rows - 1)
    }
  }

  // MARK: Properties of a statement

  @Test func `a statement has the names of its columns`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, B)") { db throws in
      let statement = try db.makeStatement(sql: "SELECT a, B, a AS c, 1 + 1 FROM t")
      #expect(statement.columnCount == 4)
      #expect(statement.columnNames == ["a", "B", "c", "1 + 1"])
      #expect(statement.index(ofColumn: "b") == 1)
      #expect(statement.index(ofColumn: "d") == nil)
      #expect(statement.isReadonly)
      let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (1, 2)")
      #expect(insert.columnCount == 0)
      #expect(!insert.isReadonly)
      #expect(try Int.fetchOne(insert) == nil)
      #expect(try Int.fetchAll(insert) == [])
      #expect(try Int?.fetchAll(db, sql: "DELETE FROM t WHERE a = 9") == [])
      #expect(try String.fetchCursor(db, sql: "CREATE TABLE u(a)").next() == nil)
      #expect(try String.fetchSet(insert) == [])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 3)
    }
  }

  @Test func `each statement of a text takes its arguments`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "CREATE TABLE t(a); INSERT INTO t VALUES (?); /* c */ ; SELECT a + :b FROM t ; "
      let statements = try db.allStatements(sql: sql, arguments: [1] + ["b": 2])
      #expect(try statements.next()?.sql == "CREATE TABLE t(a)", "not executed yet")
      #expect(throws: DatabaseError.self) { try statements.next() }
      #expect(try statements.next() == nil)

      let again = try db.allStatements(sql: sql, arguments: [1] + ["b": 2])
      var results: [Int] = []
      while let statement = try again.next() {
        if statement.columnCount > 0 {
          results += try Int.fetchAll(statement)
          #expect(statement.sql.hasSuffix("SELECT a + :b FROM t"))
        } else {
          try statement.execute()
        }
      }
      #expect(results == [3])
    }
  }

  @Test func `all statements take their arguments later`() throws {
    try EncryptedQueue.with { db throws in
      let statements = try db.allStatements(sql: "SELECT ?; SELECT ?")
      let results = statements.map { try Int.fetchOne($0, arguments: [7]) }
      #expect(try Array(results) == [7, 7])
      let tooMany = try db.allStatements(sql: "SELECT ?", arguments: [1, 2])
      #expect(try tooMany.next() != nil)
      #expect(
        databaseError { try tooMany.next() }?.message == "wrong number of statement arguments: 2")
      #expect(try tooMany.next() == nil)
    }
  }

  @Test func `changes are counted`() throws {
    try EncryptedQueue.with("CREATE TABLE t(id INTEGER PRIMARY KEY, a)") { db throws in
      let before = db.totalChangesCount
      try db.execute(sql: "INSERT INTO t(a) VALUES (1), (2), (3)")
      #expect(db.changesCount == 3)
      #expect(db.lastInsertedRowID == 3)
      try db.execute(sql: "UPDATE t SET a = 0 WHERE id > 1")
      #expect(db.changesCount == 2)
      try db.execute(sql: "DELETE FROM t WHERE id = 100")
      #expect(db.changesCount == 0)
      try db.execute(sql: "DELETE FROM t")
      #expect(db.changesCount == 3)
      #expect(db.totalChangesCount - before == 8)
      try db.execute(sql: "INSERT INTO t(id) VALUES (9223372036854775807)")
      #expect(db.lastInsertedRowID == .max)
    }
  }

  // MARK: Values

  @Test func `a value that doesn't convert is an error with column and SQL`() throws {
    try EncryptedQueue.with { db throws in
      func error<T>(_ body: () throws -> T) -> String {
        do {
          _ = try body()
          return "nothing thrown"
        } catch { return "\(error)" }
      }
      let sql = "SELECT 300 AS n"
      let byRow = error { try Row.fetchOne(db, sql: sql)?.decode(Int8.self, atIndex: 0) }
      #expect(byRow.contains("300") && byRow.contains("Int8") && byRow.contains("n"))
      let byValue = error { try Int8.fetchOne(db, sql: sql) }
      #expect(byValue.contains("300") && byValue.contains("Int8") && byValue.contains(sql))
      #expect(error { try Int8.fetchAll(db, sql: sql) }.contains("Int8"))
      #expect(error { try Color.fetchAll(db, sql: "SELECT 'blue'") }.contains("blue"))
      // SQLite converts the text in a statement; in a copy, it doesn't convert.
      #expect(try Int.fetchOne(db, sql: "SELECT 'abc'") == 0)
      let copy = try #require(try Row.fetchOne(db, sql: "SELECT 'abc'"))
      #expect(error { try copy.decode(Int.self, atIndex: 0) }.contains("abc"))
      #expect(error { try Int.fetchAll(db, sql: "SELECT NULL") }.contains("NULL"))
      #expect(error { try UInt.fetchAll(db, sql: "SELECT -1") }.contains("-1"))
      #expect(error { try Int.fetchAll(db, sql: "SELECT 1e300") }.contains("Int"))
      #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
      #expect(try Int?.fetchAll(db, sql: "SELECT NULL UNION ALL SELECT 1") == [nil, 1])
    }
  }

  @Test func `text keeps its NULs and its bytes`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      for text in ["", "a\0b", "\0", "é", "e\u{301}", "👩‍👩‍👧", String(repeating: "x", count: 100)] {
        try db.execute(sql: "DELETE FROM t")
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
        let result = try #require(try String.fetchOne(db, sql: "SELECT a FROM t"))
        #expect(Array(result.utf8) == Array(text.utf8))
        #expect(try String.fetchOne(db, sql: "SELECT typeof(a) FROM t") == "text")
        #expect(
          try Int.fetchOne(db, sql: "SELECT length(CAST(a AS BLOB)) FROM t") == text.utf8.count)
        let row = try #require(try Row.fetchOne(db, sql: "SELECT a FROM t"))
        #expect(Array((row[0] as String).utf8) == Array(text.utf8))
        #expect(row.withUTF8(at: 0) { $0.map { Array($0) } } == Array(text.utf8))
      }
    }
  }

  @Test func `invalid UTF-8 is repaired in strings and kept in bytes`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "SELECT CAST(x'61FF62' AS TEXT)"
      #expect(try String.fetchOne(db, sql: sql) == "a\u{FFFD}b")
      #expect(try Data.fetchOne(db, sql: sql) == Data([0x61, 0xFF, 0x62]))
      let cursor = try Row.fetchCursor(db, sql: sql)
      let row = try #require(try cursor.next())
      #expect(row.withUnsafeBytes(at: 0) { $0.map { Array($0) } } == [0x61, 0xFF, 0x62])
    }
  }

  @Test func `an empty blob is not NULL`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (?), (?)", arguments: [Data(), nil])
      #expect(try String.fetchAll(db, sql: "SELECT typeof(a) FROM t") == ["blob", "null"])
      #expect(try Data?.fetchAll(db, sql: "SELECT a FROM t") == [Data(), nil])
      #expect(
        try DatabaseValue.fetchAll(db, sql: "SELECT a FROM t") == [Data().databaseValue, .null])
    }
  }

  @Test func `ten megabytes of text and blob come back`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, b)") { db throws in
      let text = String(repeating: "0123456789", count: 1_000_000)
      let blob = Data((0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [text, blob])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(row["a"] as String == text)
      #expect(row["b"] as Data == blob)
      #expect(
        try Int.fetchOne(db, sql: "SELECT 1 FROM t WHERE a = ? AND b = ?", arguments: [text, blob])
          == 1)
    }
  }

  @Test func `errors show no arguments unless these are public`() throws {
    let sql = "INSERT INTO t VALUES (?)"
    let table = "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES ('secret')"
    let quiet = try EncryptedQueue(table)
    let error = databaseError {
      try quiet.queue.write { try $0.execute(sql: sql, arguments: ["secret"]) }
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.expandedDescription.contains("secret") == true)
    #expect(error?.arguments == ["secret"])
    let open = try EncryptedQueue(table) { $0.publicStatementArguments = true }
    let shown = databaseError {
      try open.queue.write { try $0.execute(sql: sql, arguments: ["secret"]) }
    }
    #expect(shown?.description.contains("secret") == true)
  }

  // MARK: Lifetime

  @Test func `a statement used after its connection has closed throws`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a)")
    let (statement, array) = try database.queue.inDatabase { db in
      let array = try db.makeStatement(sql: "SELECT 1 WHERE 1 IN (?)")
      try array.setArguments([[1]])
      return (try db.makeStatement(sql: "INSERT INTO t VALUES (?)"), array)
    }
    try database.queue.close()
    for error in [
      databaseError { try statement.execute(arguments: [1]) },
      databaseError { try statement.execute(values: 1) },
      databaseError { try statement.setArguments([1]) },
      databaseError { try Int.fetchOne(array) },
      databaseError { try Row.fetchCursor(array).next() },
      databaseError { try array.setArguments([[2]]) },
    ] {
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message == "Connection is closed")
    }
    statement.setUncheckedArguments([1])
    #expect(statement.sql == "INSERT INTO t VALUES (?)")
    _ = statement.databaseRegion
  }

  @Test func `a statement that outlives its queue throws`() throws {
    var database: EncryptedQueue? = try EncryptedQueue()
    let (statement, statements) = try #require(
      try database?.queue.inDatabase { db in
        (try db.makeStatement(sql: "SELECT ?"), try db.allStatements(sql: "SELECT 1; SELECT 2"))
      })
    database = nil
    #expect(databaseError { try statement.setArguments([1]) }?.message == "Connection is closed")
    #expect(databaseError { try statements.next() }?.message == "Connection is closed")
    #expect(try statements.next() == nil)
    _ = statement.databaseRegion
  }

  @Test func `a statement used outside of an access throws and touches nothing`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a)")
    let statement = try database.queue.inDatabase {
      try $0.makeStatement(sql: "INSERT INTO t VALUES (?)")
    }
    for error in [
      databaseError { try statement.setArguments([1]) },
      databaseError { try statement.execute(values: 1) },
      databaseError { try statement.execute(arguments: [1]) },
    ] {
      #expect(error?.message == "Database was not used on the correct thread.")
    }
    try database.queue.inDatabase { db in
      try statement.execute(arguments: [1])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
    }
  }
}
