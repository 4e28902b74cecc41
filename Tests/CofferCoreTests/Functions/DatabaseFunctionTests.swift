import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct DatabaseFunctionTests {
  private struct CustomError: Error, CustomStringConvertible {
    var description: String { "the moon is full" }
  }

  private let database: EncryptedQueue

  init() throws { database = try EncryptedQueue() }

  // MARK: Values

  private static let values: [(String, DatabaseValue)] = [
    ("NULL", .null), ("0", 0.databaseValue), ("-9223372036854775808", Int64.min.databaseValue),
    ("1.5", 1.5.databaseValue), ("''", "".databaseValue), ("'abc'", "abc".databaseValue),
    ("'é\u{1F600}'", "é\u{1F600}".databaseValue), ("x''", Data().databaseValue),
    ("x'00FF'", Data([0, 255]).databaseValue),
    ("CAST(x'610062' AS TEXT)", "a\0b".databaseValue),
    ("replace(hex(zeroblob(500)), '00', 'ab')", String(repeating: "ab", count: 500).databaseValue),
  ]

  @Test(arguments: values)
  func `a value goes in and out of a function unchanged`(
    sql: String, value: DatabaseValue
  ) throws {
    let seen = Mutex<[DatabaseValue]>([])
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("same", argumentCount: 1) { values in
          seen.withLock { $0 = values }
          return values[0]
        })
      let row = try #require(try Row.fetchOne(db, sql: "SELECT same(\(sql)), typeof(same(\(sql)))"))
      let result: DatabaseValue = row[0]
      #expect(result.storage == value.storage)
      #expect(seen.withLock { $0.map(\.storage) } == [value.storage])
      #expect(row[1] as String == (try String.fetchOne(db, sql: "SELECT typeof(\(sql))")))
    }
  }

  @Test func `a bytes argument is a copy that outlives the call`() throws {
    let kept = Mutex<[DatabaseValue]>([])
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("keep", argumentCount: 1) { values in
          kept.withLock { $0 += values }
          return nil
        })
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          SELECT keep(CAST('a blob of some length ' || i AS BLOB)) FROM n
          """)
    }
    let texts = kept.withLock { $0.map { String.fromDatabaseValue($0) } }
    #expect(texts == (1...200).map { "a blob of some length \($0)" })
  }

  @Test func `functions of one name are told apart by the number of arguments`() throws {
    try database.use { db throws in
      for count in [0, 1, 3] {
        db.add(function: DatabaseFunction("f", argumentCount: count) { "\(count): \($0.count)" })
      }
      db.add(function: DatabaseFunction("f") { "any: \($0.count)" })
      let row = try #require(
        try Row.fetchOne(db, sql: "SELECT f(), f(1), f(1, 2), f(1, 2, 3), F(1, 2, 3, 4)"))
      #expect((0..<5).map { row[$0] as String } == ["0: 0", "1: 1", "any: 2", "3: 3", "any: 4"])
    }
  }

  @Test func `a wrong number of arguments is an error of SQL`() throws {
    try database.use { db throws in
      db.add(function: DatabaseFunction("one", argumentCount: 1) { $0[0] })
      #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT one(1, 2)") }
    }
  }

  @Test func `a function may query the database that calls it`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
    try database.use { db throws in
      nonisolated(unsafe) unowned let inner = db
      db.add(
        function: DatabaseFunction("total", argumentCount: 0) { _ in
          try Int.fetchOne(inner, sql: "SELECT sum(a) FROM t")
        })
      #expect(try Int.fetchAll(db, sql: "SELECT total() + a FROM t ORDER BY a") == [7, 8, 9])
      db.remove(function: DatabaseFunction("total", argumentCount: 0) { _ in nil })
    }
  }

  // MARK: Errors

  @Test func `the code and the message of a thrown database error reach the caller`() throws {
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("fail") { _ in
          throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "not like this é")
        })
      let error = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT fail()")
      }
      #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
      #expect(error.message == "not like this é")
      #expect(error.sql == "SELECT fail()")
    }
  }

  @Test func `the message of any other error is its description`() throws {
    try database.use { db throws in
      db.add(function: DatabaseFunction("fail") { _ in throw CustomError() })
      let error = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT fail()")
      }
      #expect(error.extendedResultCode == .SQLITE_ERROR)
      #expect(error.message == "the moon is full")
    }
  }

  @Test(arguments: [
    ResultCode.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE, .SQLITE_SCHEMA, .SQLITE_OK_LOAD_PERMANENTLY,
  ])
  func `an error without a failing code still fails the statement, once`(code: ResultCode) throws {
    let calls = Mutex(0)
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("fail") { _ in
          calls.withLock { $0 += 1 }
          throw DatabaseError(resultCode: code, message: "no good")
        })
      let error = try #require(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: "SELECT fail()")
      }
      #expect(error.resultCode == .SQLITE_ERROR)
      #expect(error.message == "no good")
      #expect(calls.withLock(\.self) == 1)
    }
  }

  @Test func `an error with an empty message and one without are errors`() throws {
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("empty") { _ in
          throw DatabaseError(resultCode: .SQLITE_ABORT, message: "")
        })
      db.add(
        function: DatabaseFunction("without") { _ in
          throw DatabaseError(resultCode: .SQLITE_MISMATCH)
        })
      expectFailure(.SQLITE_ABORT) { try db.execute(sql: "SELECT empty()") }
      expectFailure(.SQLITE_MISMATCH) { try db.execute(sql: "SELECT without()") }
    }
  }

  @Test func `an error in a row leaves the statement and the connection usable`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1), (0), (2)")
    try database.use { db throws in
      db.add(
        function: DatabaseFunction("inverse", argumentCount: 1) { values in
          guard let value = Int.fromDatabaseValue(values[0]), value != 0 else {
            throw CustomError()
          }
          return 1.0 / Double(value)
        })
      let statement = try db.makeStatement(sql: "SELECT inverse(a) FROM t WHERE a <> ?")
      #expect(throws: DatabaseError.self) { try Double.fetchAll(statement, arguments: [7]) }
      #expect(try Double.fetchAll(statement, arguments: [0]) == [1, 0.5])
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "UPDATE t SET a = inverse(a)")
      }
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 0, 2])
    }
  }

  // MARK: Adding and removing

  @Test func `a removed function is unknown, to cached statements as well`() throws {
    try database.use { db throws in
      let function = DatabaseFunction("answer", argumentCount: 0) { _ in 42 }
      db.add(function: function)
      #expect(try Int.fetchOne(db, sql: "SELECT answer()") == 42)
      db.remove(function: DatabaseFunction("ANSWER", argumentCount: 0) { _ in nil })
      expectFailure(.SQLITE_ERROR) {
        try Int.fetchOne(db, sql: "SELECT answer()")
      }
      db.remove(function: function)
      db.add(function: function)
      #expect(try Int.fetchOne(db, sql: "SELECT answer()") == 42)
    }
  }

  @Test func `a function takes the place of another one, and of SQLite's own`() throws {
    try database.use { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT upper('é')") == "é")
      let upper = DatabaseFunction("upper", argumentCount: 1, pure: true) {
        String.fromDatabaseValue($0[0])?.uppercased()
      }
      db.add(function: upper)
      #expect(try String.fetchOne(db, sql: "SELECT upper('é')") == "É")
      db.add(function: DatabaseFunction("upper", argumentCount: 1) { _ in "UP" })
      #expect(try String.fetchOne(db, sql: "SELECT upper('é')") == "UP")
      db.remove(function: upper)
      // SQLite doesn't restore its own function.
      expectFailure(.SQLITE_ERROR) {
        try String.fetchOne(db, sql: "SELECT upper('éa')")
      }
    }
  }

  @Test func `the connection keeps a function alive, and releases it when it closes`() throws {
    final class Witness: Sendable {}
    weak let witness: Witness?
    let queue: DatabaseQueue
    do {
      let strong = Witness()
      witness = strong
      queue = database.queue
      try queue.write { db in
        db.add(
          function: DatabaseFunction("f") { _ in
            _ = strong; return 1
          })
        db.add(
          collation: DatabaseCollation("c") { _, _ in
            _ = strong; return .orderedSame
          })
      }
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT f() COLLATE c") } == 1)
    #expect(witness != nil)
    try queue.close()
    #expect(witness == nil)
  }

  @Test func `a function and a collation are released when they are removed`() throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    try database.use { db throws in
      do {
        let strong = Witness()
        witness = strong
        db.add(
          function: DatabaseFunction("f") { _ in
            _ = strong; return 1
          })
        db.add(
          collation: DatabaseCollation("c") { _, _ in
            _ = strong; return .orderedSame
          })
      }
      #expect(witness != nil)
      db.remove(function: DatabaseFunction("f") { _ in nil })
      db.remove(collation: DatabaseCollation("C") { _, _ in .orderedSame })
      #expect(witness == nil)
    }
  }

  @Test func `a function that a preparation adds is there in every connection`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("twice", argumentCount: 1) {
          Int.fromDatabaseValue($0[0]).map { $0 * 2 }
        })
    }
    let database = try EncryptedQueue { $0 = configuration }
    for queue in [database.queue, try database.other()] {
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT twice(21)") } == 42)
    }
  }

  @Test func `functions and collations see the text of a database in UTF-16`() throws {
    try DatabaseQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a)")
      try db.execute(literal: "INSERT INTO t VALUES (\("é\u{1F600}")), (\("z"))")
      #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == "UTF-16le")
      #expect(
        try String.fetchAll(
          db, sql: "SELECT swiftUppercaseString(a) FROM t ORDER BY a COLLATE swiftLocalizedCompare")
          == ["É\u{1F600}", "Z"].sorted { $0.localizedCompare($1) == .orderedAscending })
      #expect(
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM t WHERE a COLLATE swiftCompare = 'e\u{301}\u{1F600}'") == 1
      )
    }
  }

  @Test func `adding a function outside of an access traps`() async {
    await #expect(processExitsWith: .failure) {
      let queue = try DatabaseQueue()
      let db = try queue.writeWithoutTransaction { Unmanaged.passUnretained($0) }
      db.takeUnretainedValue().add(function: DatabaseFunction("f") { _ in nil })
    }
  }

  @Test(arguments: ["", "a\0b", String(repeating: "n", count: 256)])
  func `a name that SQLite doesn't take traps`(name: String) async {
    await #expect(processExitsWith: .failure) { [name] in
      _ = DatabaseFunction(name) { _ in nil }
    }
    await #expect(processExitsWith: .failure) { [name] in
      _ = DatabaseCollation(name) { _, _ in .orderedSame }
    }
  }

  // MARK: Purity

  @Test func `a pure function serves an index, another one doesn't`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a TEXT)")
    try database.use { db throws in
      db.add(function: DatabaseFunction("impure", argumentCount: 1) { $0[0] })
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "CREATE INDEX i ON t(impure(a))")
      }
      db.add(
        function: DatabaseFunction("folded", argumentCount: 1, pure: true) {
          String.fromDatabaseValue($0[0])?.lowercased()
        })
      try db.execute(sql: "CREATE INDEX i ON t(folded(a))")
      try db.execute(sql: "INSERT INTO t VALUES ('ÉTÉ'), ('Hiver'), (NULL)")
      let sql = "SELECT a FROM t WHERE folded(a) = 'été'"
      #expect(try String.fetchAll(db, sql: sql) == ["ÉTÉ"])
      let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql)
      #expect(plan.contains { ($0["detail"] as String).contains("INDEX i") })
      try db.execute(sql: "PRAGMA integrity_check")
    }
  }

  @Test func `the ID of a function is its name in either case and its argument count`() {
    let ids = [
      DatabaseFunction("Foo", argumentCount: 1) { _ in nil }.id,
      DatabaseFunction("foo", argumentCount: 1, pure: true) { _ in nil }.id,
      DatabaseFunction("foo", argumentCount: 2) { _ in nil }.id,
      DatabaseFunction("foo") { _ in nil }.id,
    ]
    #expect(ids[0] == ids[1])
    #expect(Set(ids).count == 3)
  }

  // MARK: Standard functions

  @Test(arguments: [
    ("swiftCapitalizedString", "ÉTÉ de l'aNNÉE", "Été De L'année"),
    ("swiftLowercaseString", "ÀÉÎ ЖΑÅ", "àéî жαå"),
    ("swiftUppercaseString", "straße àéî", "STRASSE ÀÉÎ"),
    ("swiftLocalizedCapitalizedString", "àb cd", "Àb Cd"),
    ("swiftLocalizedLowercaseString", "ÀB", "àb"),
    ("swiftLocalizedUppercaseString", "àb", "ÀB"),
  ])
  func `standard functions know all scripts`(name: String, text: String, result: String) throws {
    try database.use { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT \(name)(?)", arguments: [text]) == result)
      for other in [
        DatabaseValue.null, 1.databaseValue, 1.5.databaseValue, Data([255]).databaseValue,
      ] {
        #expect(
          try DatabaseValue.fetchOne(db, sql: "SELECT \(name)(?)", arguments: [other]) == .null)
      }
      let bytes = Data(text.utf8)
      #expect(try String.fetchOne(db, sql: "SELECT \(name)(?)", arguments: [bytes]) == result)
    }
  }

  @Test func `the standard functions go by their names`() {
    let names = [
      DatabaseFunction.capitalize, .lowercase, .uppercase, .localizedCapitalize,
      .localizedLowercase, .localizedUppercase,
    ].map(\.name)
    #expect(
      names == [
        "swiftCapitalizedString", "swiftLowercaseString", "swiftUppercaseString",
        "swiftLocalizedCapitalizedString", "swiftLocalizedLowercaseString",
        "swiftLocalizedUppercaseString",
      ])
  }

  @Test func `a standard function may be in an index`() throws {
    let database = try EncryptedQueue(
      "CREATE TABLE t(a); CREATE INDEX i ON t(swiftLocalizedUppercaseString(a))")
    let queue = try database.other()
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES ('é')") }
    #expect(
      try queue.read {
        try Int.fetchOne(
          $0, sql: "SELECT count(*) FROM t WHERE swiftLocalizedUppercaseString(a) = 'É'")
      } == 1)
  }
}
