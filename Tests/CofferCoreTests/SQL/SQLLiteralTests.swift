@testable import CofferCore
import CofferTestSupport
import FoundationEssentials
import Testing

@Suite struct SQLLiteralTests {
  private enum Color: String, DatabaseValueConvertible { case red }

  private let database: EncryptedQueue

  init() throws {
    database = try EncryptedQueue(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO t(name) VALUES ('a'), ('b'), ('c'), (NULL);
      """)
  }

  private func check(
    _ sql: SQL, _ text: String, _ arguments: StatementArguments = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let built = try database.use { try sql.build($0) }
    #expect(built.sql == text, sourceLocation: sourceLocation)
    #expect(built.arguments == arguments, sourceLocation: sourceLocation)
  }

  // MARK: Values

  @Test func `interpolated values become arguments`() throws {
    let name: String? = "Arthur"
    let nothing: Int? = nil
    let any: any DatabaseValueConvertible = 1.5
    let noAny: (any DatabaseValueConvertible)? = nil
    try check("SELECT \(1)", "SELECT ?", [1])
    try check("\("a") \(name) \(nothing)", "? ? ?", ["a", "Arthur", nil])
    try check("\(any), \(noAny), \(nil)", "?, ?, ?", [1.5, nil, nil])
    try check("\(true)\(Color.red)\(DatabaseValue.null)", "???", [true, "red", nil])
    try check("\(Data([1, 2]))", "?", [Data([1, 2])])
    try check("no value", "no value")
  }

  @Test(arguments: [
    "'; DROP TABLE t; --", "O'Brien", "\" OR 1=1 --", "?", ":name", "\\(1)", "a\0b", "$x", "",
  ])
  func `SQL in a value stays a value`(secret: String) throws {
    let literal: SQL =
      "SELECT \(secret) AS a, \([secret, secret].prefix(1).count), length(\(secret))"
    let built = try database.use { try literal.build($0) }
    #expect(built.sql == "SELECT ? AS a, ?, length(?)")
    try database.use { db throws in
      #expect(try String.fetchOne(db, SQLRequest<String>(literal: literal)) == secret)
      try db.execute(literal: "UPDATE t SET name = \(secret) WHERE id IN \([1, 2])")
      #expect(
        try Int.fetchAll(
          db, SQLRequest<Int>(literal: "SELECT id FROM t WHERE name IN \([secret])")) == [1, 2])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 4)
    }
  }

  @Test func `an error shows no interpolated value`() throws {
    try database.use { db throws in
      let error = try #require(throws: DatabaseError.self) {
        try db.execute(literal: "INSERT INTO t(id, name) VALUES (1, \("my secret"))")
      }
      #expect(!"\(error)".contains("my secret"))
      #expect(error.expandedDescription.contains("my secret"))
    }
  }

  // MARK: Text

  @Test func `text is inserted only where it is labelled as SQL`() throws {
    try check("SELECT \(sql: "a, b") FROM t", "SELECT a, b FROM t")
    try check("\(sql: "a = ? AND", arguments: [1]) b = \(2)", "a = ? AND b = ?", [1, 2])
    try check("\(identifier: "we \"say\"")", "\"we \"\"say\"\"\"")
    let condition: SQL = "a = \(1)"
    try check("x AND \(condition) AND \(literal: condition)", "x AND a = ? AND a = ?", [1, 1])
  }

  @Test func `named arguments are kept beside those by position`() throws {
    let named = SQL(sql: "SELECT :x, ", arguments: ["x": "named"])
    try database.use { db throws in
      let row = try #require(
        try Row.fetchOne(db, SQLRequest(literal: named + "\("positional"), :x")))
      #expect((0..<3).map { row[$0] as String } == ["named", "positional", "named"])
      _ = try (named + named).build(db)
      let error = try #require(throws: DatabaseError.self) {
        try (named + SQL(sql: ":x", arguments: ["x": "other"])).build(db)
      }
      #expect(error.message == "already defined statement argument: x")
    }
  }

  // MARK: Lists

  @Test func `a short list is written out`() throws {
    let optionals: [Int?] = [1, nil]
    let mixed: [any DatabaseValueConvertible] = [1, "a"]
    let mixedOptionals: [(any DatabaseValueConvertible)?] = [1, nil, "a"]
    try check("id IN \([1, 2, 3])", "id IN (?,?,?)", [1, 2, 3])
    try check("id IN \(Set(["a"]))", "id IN (?)", ["a"])
    try check("id IN \(1...3)", "id IN (?,?,?)", [1, 2, 3])
    try check("id IN \([3, 4].lazy.map { "\($0)" })", "id IN (?,?)", ["3", "4"])
    try check("id IN \(optionals)", "id IN (?,?)", [1, nil])
    try check("id IN \(mixed)", "id IN (?,?)", [1, "a"])
    try check("id IN \(mixedOptionals)", "id IN (?,?,?)", [1, nil, "a"])
    try check("id IN \(stride(from: 0, to: 6, by: 2))", "id IN (?,?,?)", [0, 2, 4])
    try check("id IN \(ArrayArgument([1, 2]))", "id IN (?,?)", [1, 2])
  }

  @Test func `an empty list is a query without rows`() throws {
    try check("id IN \([Int]())", "id IN (SELECT NULL WHERE NULL)")
    try database.use { db throws in
      let none: [Int] = []
      let ids = { (sql: SQL) in try Int.fetchAll(db, SQLRequest<Int>(literal: sql)) }
      #expect(try ids("SELECT id FROM t WHERE name IN \(none)") == [])
      #expect(try ids("SELECT id FROM t WHERE name NOT IN \(none)") == [1, 2, 3, 4])
    }
  }

  @Test(arguments: ["IN ", "in", "NOT IN\n", "x.\"y\" In\t "])
  func `a long list after IN is one argument, whatever its length`(form: String) throws {
    let eight = Array(1...8)
    let nine = Array(1...9)
    let many = Array(1...5000)
    try check(
      "\(sql: form)\(eight)", form + "(?,?,?,?,?,?,?,?)", StatementArguments(eight))
    try check("\(sql: form)\(nine)", form + "(?)", [nine])
    try check("\(sql: form)\(many)", form + "(?)", [many])
    try check("\(sql: form)\(ArrayArgument(lazy: 1...5000))", form + "(?)", [many])
  }

  @Test(arguments: ["VALUES ", "main", "_in", "éin", "7in", "(a) =", "", "n", "IN -- c\n"])
  func `a long list elsewhere is written out`(form: String) throws {
    let nine = Array(1...9)
    try check(
      "\(sql: form)\(nine)", form + "(?,?,?,?,?,?,?,?,?)", StatementArguments(nine))
  }

  @Test(arguments: [0, 1, 7, 8, 9, 20])
  func `lists of all lengths mean the same as a list written out`(count: Int) throws {
    let names: [String?] = (0..<count).map { $0 == 15 ? nil : $0 == 6 ? "b" : "x\($0)" }
    let written = names.map { $0.map { "'\($0)'" } ?? "NULL" }.joined(separator: ",")
    try database.use { db throws in
      for form in ["IN", "NOT IN"] {
        let list = try Int.fetchAll(
          db, SQLRequest<Int>("SELECT id FROM t WHERE name \(sql: form) \(names) ORDER BY id"))
        let expected = try Int.fetchAll(
          db, sql: "SELECT id FROM t WHERE name \(form) (\(written)) ORDER BY id")
        #expect(list == expected)
      }
    }
  }

  @Test func `long lists of many lengths make one cached statement`() throws {
    try database.use { db throws in
      let before = db.statementCacheStatistics.misses
      for count in 9..<60 {
        let request: SQLRequest<Int> = "SELECT count(*) FROM t WHERE id IN \(Array(0..<count))"
        #expect(try request.fetchOne(db) == 4)
      }
      #expect(db.statementCacheStatistics.misses == before + 1)
    }
  }

  @Test func `a row of values is inserted from a list of any length`() throws {
    try database.use { db throws in
      try db.execute(sql: "CREATE TABLE wide(a, b, c, d, e, f, g, h, i, j)")
      let values = Array(1...10)
      try db.execute(literal: "INSERT INTO wide VALUES \(values)")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM wide"))
      #expect((0..<10).map { row[$0] as Int } == values)
    }
  }

  // MARK: Joining

  @Test func `SQL is joined`() throws {
    let conditions: [SQL] = ["a = \(1)", "b IN \([2, 3])", ""]
    try check(conditions.joined(separator: " AND "), "a = ? AND b IN (?,?) AND ", [1, 2, 3])
    try check(conditions.lazy.filter { !$0.isEmpty }.joined(), "a = ?b IN (?,?)", [1, 2, 3])
    try check([SQL]().joined(separator: ","), "")
    var sql: SQL = "SELECT "
    sql += "\(1)"
    sql.append(literal: ", \(2)")
    sql.append(sql: ", ?", arguments: [3])
    try check(sql + " AS x", "SELECT ?, ?, ? AS x", [1, 2, 3])
  }

  @Test func `SQL without text and arguments is empty`() {
    let nested: SQL = ""
    #expect(("" as SQL).isEmpty)
    #expect(SQL(sql: "").isEmpty)
    #expect(("\(nested)\(sql: "")" as SQL).isEmpty)
    #expect(!("\(1)" as SQL).isEmpty)
    #expect(!("\([Int]())" as SQL).isEmpty)
    #expect(!(" " as SQL).isEmpty)
  }

  @Test func `a deferred part is built with the database`() throws {
    let sql = SQL(elements: [
      .text("a = "), .deferred { db in SQL(sql: db.isReadonlyText, arguments: ["x"]) },
      .text(" AND b IN "), .list(ArrayArgument([1])),
    ])
    try check(sql, "a = ? AND b IN (?)", ["x", 1])
    #expect(!sql.isEmpty)
  }

  // MARK: Statements

  @Test func `statements are made of literals`() throws {
    try database.use { db throws in
      try db.execute(
        literal: """
          INSERT INTO t(name) VALUES (\("d; e")); UPDATE t SET name = \("f") WHERE id IN \([1, 2]);
          DELETE FROM t WHERE id IN \(Array(3...20)) AND name IS NOT \("d; e")
          """)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY id") == ["f", "f", "d; e"])

      let statement = try db.makeStatement(literal: "SELECT name FROM t WHERE id = \(5)")
      #expect(try String.fetchOne(statement) == "d; e")
      #expect(try String.fetchOne(statement) == "d; e")
      let cached = try db.cachedStatement(literal: "SELECT name FROM t WHERE id = \(1)")
      #expect(try String.fetchOne(cached) == "f")

      let all = try db.allStatements(literal: "SELECT \(1); SELECT \(2) + \(3)")
      #expect(try Array(all.map { try Int.fetchOne($0) }) == [1, 5])
    }
  }
}

extension Database {
  fileprivate var isReadonlyText: String { configuration.readonly ? "0" : "?" }
}
