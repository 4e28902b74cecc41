@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct StatementArgumentsTests {
  /// The columns of the only row, as text.
  private func row(_ sql: String, _ arguments: StatementArguments) throws -> [String?] {
    try EncryptedQueue.with { db throws in
      let row = try #require(try Row.fetchOne(db, sql: sql, arguments: arguments))
      return row.databaseValues.map { String.fromDatabaseValue($0) }
    }
  }

  // MARK: Where they go

  @Test func `values by position go to question marks in their order`() throws {
    #expect(try row("SELECT ?, ?, ?", ["a", "b", nil]) == ["a", "b", nil])
  }

  @Test func `values by name go to every spelling of a name`() throws {
    #expect(try row("SELECT :a, @a, $a", ["a": "x"]) == ["x", "x", "x"])
  }

  @Test func `a name that stands twice takes one value`() throws {
    #expect(try row("SELECT :a, :b, :a", ["a", "b"]) == ["a", "b", "a"])
    #expect(try row("SELECT :a, :b, :a", ["b": "b", "a": "a"]) == ["a", "b", "a"])
  }

  @Test func `values by position and by name mix`() throws {
    let arguments: StatementArguments = ["first", "second"]
    #expect(
      try row("SELECT ?, :name, ?", arguments + ["name": "N"]) == ["first", "N", "second"])
    #expect(try row("SELECT :x, :name, :y", arguments + ["name": "N"]) == ["first", "N", "second"])
  }

  @Test func `a number is the parameter's position`() throws {
    #expect(try row("SELECT ?2, ?1, ?2", ["a", "b"]) == ["b", "a", "b"])
    #expect(try row("SELECT ?3", ["a", "b", "c"]) == ["c"])
    #expect(try row("SELECT ?2, ?", ["a", "b", "c"]) == ["b", "c"])
  }

  @Test func `names that no parameter has are ignored`() throws {
    #expect(try row("SELECT :a", ["a": "x", "b": "y"]) == ["x"])
  }

  @Test func `names are case-sensitive`() throws {
    let error = databaseError { try row("SELECT :Name", ["name": "x"]) }
    #expect(error?.message == "missing statement argument: Name")
  }

  // MARK: Validation

  @Test(arguments: [
    ("SELECT ?", []), ("SELECT ?, ?", ["a"]), ("SELECT ?", ["a", "b"]), ("SELECT 1", ["a"]),
    ("SELECT ?, ?", ["a", "b", "c"]),
  ])
  func `a wrong number of values is an error that names both numbers`(sql: String, values: [String])
    throws
  {
    try EncryptedQueue.with { db throws in
      let arguments = StatementArguments(values)
      let message = "wrong number of statement arguments: \(values.count)"
      let statement = try db.makeStatement(sql: sql)
      let errors = [
        databaseError { try statement.setArguments(arguments) },
        databaseError { try statement.validateArguments(arguments) },
        databaseError { try statement.execute(arguments: arguments) },
        databaseError { try Row.fetchOne(db, sql: sql, arguments: arguments) },
        databaseError { try Row.fetchCursor(db, sql: sql, arguments: arguments) },
        databaseError { try db.execute(sql: sql, arguments: arguments) },
        // Once more, from the cache.
        databaseError { try db.execute(sql: sql, arguments: arguments) },
      ]
      for error in errors {
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message == message)
        #expect(error?.sql == sql)
      }
    }
  }

  @Test func `a missing name is named in the error`() throws {
    let error = databaseError { try row("SELECT :a, :b", ["a": 1]) }
    #expect(error?.message == "missing statement argument: b")
    let both = databaseError { try row("SELECT :a, ?", ["a": 1]) }
    #expect(both?.message == "wrong number of statement arguments: 0")
    let positional = databaseError { try row("SELECT :a, :b", [1]) }
    #expect(positional?.message == "missing statement argument: b")
    let tooMany = databaseError { try row("SELECT :a", [1, 2]) }
    #expect(tooMany?.message == "wrong number of statement arguments: 2")
  }

  @Test func `a statement that lacks arguments is not executed`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, b)") { db throws in
      let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?, :b)")
      let error = databaseError { try insert.execute() }
      #expect(error?.message == "wrong number of statement arguments: 0")
      let query = try db.makeStatement(sql: "SELECT :name")
      #expect(
        databaseError { try Int.fetchOne(query) }?.message == "missing statement argument: name")
      #expect(
        databaseError { try Row.fetchAll(query) }?.message == "missing statement argument: name")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
      try insert.execute(arguments: [1, 2])
      try insert.execute()
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = 1 AND b = 2") == 2)
    }
  }

  @Test func `a cached statement forgets its earlier values`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "SELECT ?"
      #expect(try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [1]) == 1)
      let error = databaseError { try Int.fetchOne(db.cachedStatement(sql: sql)) }
      #expect(error?.message == "wrong number of statement arguments: 0")
      try db.cachedStatement(sql: sql).execute(values: 7)
      #expect(databaseError { try Int.fetchOne(db.cachedStatement(sql: sql)) } != nil)
      #expect(db.statementCacheStatistics.misses == 1)
    }
  }

  @Test func `arguments that don't fit leave those that were bound`() throws {
    try EncryptedQueue.with { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?")
      try statement.setArguments(["kept"])
      #expect(throws: DatabaseError.self) { try statement.setArguments(["a", "b"]) }
      #expect(statement.arguments == ["kept"])
      #expect(try String.fetchOne(statement) == "kept")
    }
  }

  @Test func `arguments that can't be bound leave none`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      let statement = try db.makeStatement(sql: "SELECT 1 WHERE 1 IN (?) OR ? = 2")
      #expect(try Int.fetchOne(statement, arguments: [[1], 3]) == 1)
      let error = databaseError { try statement.setArguments([[1], [2]]) }
      #expect(error?.message?.contains("(the 2nd argument) is an array") == true)
      #expect(statement.arguments.isEmpty)
      // Not with an array that is no longer there.
      #expect(throws: DatabaseError.self) { try Int.fetchOne(statement) }
      #expect(try Int.fetchOne(statement, arguments: [[2], 2]) == 1)
    }
  }

  @Test func `unchecked arguments are filled up with NULL and cut off`() throws {
    try EncryptedQueue.with { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, :b")
      statement.setUncheckedArguments([])
      #expect(try Row.fetchOne(statement)?.databaseValues.allSatisfy(\.isNull) == true)
      statement.setUncheckedArguments(["a", "b", "c"])
      #expect(try Row.fetchOne(statement)?.values == values("a", "b"))
      statement.setUncheckedArguments(["b": "B"])
      #expect(try Row.fetchOne(statement)?.values == values(nil, "B"))
    }
  }

  // MARK: Values without a container

  @Test func `values are bound one by one`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, b, c, d)") { db throws in
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, :b, @c, $d)")
      try statement.execute(values: 1, "two", nil as Double?, Data([4]))
      try statement.execute(values: 1.5, "", true, Data())
      let rows = try Row.fetchAll(db, sql: "SELECT typeof(a), b, c, typeof(d), length(d) FROM t")
      #expect(rows[0].values == values("integer", "two", nil, "blob", 1))
      #expect(rows[1].values == values("real", "", 1, "blob", 0))
    }
  }

  @Test func `too few or too many values execute nothing`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, b)") { db throws in
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
      try statement.execute(values: 1, 2)
      #expect(
        databaseError { try statement.execute(values: 1) }?.message
          == "wrong number of statement arguments: 1")
      #expect(
        databaseError { try statement.execute(values: 1, 2, 3) }?.message
          == "wrong number of statement arguments: 3")
      #expect(throws: DatabaseError.self) { try statement.execute() }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
    }
  }

  // MARK: Scripts

  @Test func `several statements take their arguments one after the other`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a, b)") { db throws in
      let sql =
        "INSERT INTO t VALUES (?, ?); INSERT INTO t VALUES (:x, ?); DELETE FROM t WHERE a = ?"
      try db.execute(sql: sql, arguments: [1, 2, 3, 4, 1])
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.values) == [values(3, 4)])
      let few = databaseError { try db.execute(sql: sql, arguments: [1, 2, 3]) }
      #expect(few?.message == "wrong number of statement arguments: 1")
      let many = databaseError { try db.execute(sql: sql, arguments: [1, 2, 3, 4, 5, 6]) }
      #expect(many?.message == "wrong number of statement arguments: 6")
    }
  }

  @Test func `a name serves all statements`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      try db.execute(
        sql: "INSERT INTO t VALUES (:a); INSERT INTO t VALUES (:a + 1)", arguments: ["a": 1])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2])
    }
  }

  @Test func `several statements take arrays`() throws {
    try EncryptedQueue.with("CREATE TABLE t(a)") { db throws in
      try db.execute(
        sql: "INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE a IN (?); "
          + "UPDATE t SET a = a * ? WHERE a NOT IN (:no)",
        arguments: [[1], 10] + ["no": [2]])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [2, 30])
    }
  }
}
