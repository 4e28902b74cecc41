@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct ArrayArgumentTests {
  private static let players = """
    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, score);
    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20), (3, 'Craig', 30), (4, NULL, NULL)
    """

  private func ids(
    _ condition: String, _ arguments: StatementArguments
  ) throws -> [Int] {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT id FROM player WHERE \(condition) ORDER BY id"
      let ids = try Int.fetchAll(db, sql: sql, arguments: arguments)
      #expect(try Int.fetchAll(db, sql: sql, arguments: arguments) == ids, "from the cache")
      return ids
    }
  }

  // MARK: As written out

  private static let leftSides = [
    "i", "r", "n", "x", "b", "z", "nc", "i + 0", "+x", "x || ''", "CAST(z AS TEXT)",
    "z COLLATE NOCASE",
    "nc COLLATE BINARY", "NULL", "5", "'5'", "lower(nc)",
  ]

  private static let elements: [DatabaseValue] = [
    .null, 5.databaseValue, 5.0.databaseValue, "5".databaseValue, "5.0".databaseValue,
    " 5".databaseValue, "abc".databaseValue, "ABC".databaseValue, Data([0x35]).databaseValue,
    Data().databaseValue, "".databaseValue, 0.databaseValue, 0.1.databaseValue,
    "0.1".databaseValue, 1e300.databaseValue, Int.min.databaseValue, "1e2".databaseValue,
    100.databaseValue,
  ]

  private static func table(_ db: Database) throws {
    try db.execute(
      sql: "CREATE TABLE t(i INTEGER, r REAL, n NUMERIC, x TEXT, b BLOB, z, nc TEXT COLLATE NOCASE)"
    )
    let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)")
    for value in elements {
      try insert.execute(arguments: StatementArguments(Array(repeating: value, count: 7)))
    }
    for column in ["i", "r", "n", "x", "b", "z", "nc"] {
      try db.execute(sql: "CREATE INDEX index_\(column) ON t(\(column))")
    }
  }

  private static func literal(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "NULL"
    case .int64(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): "'\(value)'"
    case .blob(let value): "x'\(value.map { String(format: "%02x", $0) }.joined())'"
    }
  }

  @Test(arguments: leftSides, ["IN", "NOT IN"])
  func `an array means what its elements mean, written out`(left: String, form: String) throws {
    try EncryptedQueue.with { db throws in
      try Self.table(db)
      var lists: [[DatabaseValue]] = [[], [.null], [.null, .null], Self.elements]
      lists += Self.elements.map { [$0] }
      lists += Self.elements.map { [$0, .null] }
      lists += zip(Self.elements, Self.elements.reversed()).map { [$0, $1, $0] }
      for list in lists {
        let text = list.map(Self.literal).joined(separator: ", ")
        for template in [
          "SELECT \(left) \(form) (LIST) FROM t ORDER BY rowid",
          "SELECT rowid FROM t WHERE \(left) \(form) (LIST) ORDER BY rowid",
        ] {
          let expected = try DatabaseValue.fetchAll(
            db, sql: template.replacingOccurrences(of: "LIST", with: text))
          let sql = template.replacingOccurrences(of: "LIST", with: "?")
          #expect(
            try DatabaseValue.fetchAll(db, sql: sql, arguments: [list]) == expected,
            "\(sql) \(text)")
        }
      }
    }
  }

  @Test func `elements are those of any collection`() throws {
    #expect(try ids("id IN (?)", [[1, 3]]) == [1, 3])
    #expect(try ids("id IN (?)", [Set([1, 3])]) == [1, 3])
    #expect(try ids("id IN (?)", [2..<4]) == [2, 3])
    #expect(try ids("id IN (?)", [2...3]) == [2, 3])
    #expect(try ids("id IN (?)", [[1, 2, 3][1...]]) == [2, 3])
    #expect(try ids("id IN (?)", [ContiguousArray([4])]) == [4])
    #expect(try ids("id IN (?)", [[Int64(1), 2]]) == [1, 2])
    #expect(try ids("id IN (?)", [[UInt8(1), 2]]) == [1, 2])
    #expect(try ids("id IN (?)", [(1...2).lazy.map { $0 * 2 }]) == [2, 4])
    #expect(try ids("id IN (?)", [(1...4).lazy.filter { $0 > 3 }]) == [4])
    #expect(try ids("id IN (?)", [[1: "a", 2: "b"].keys]) == [1, 2])
    #expect(try ids("id IN (?)", [["a": 1].values]) == [1])
    #expect(try ids("id IN (?)", [CollectionOfOne(3)]) == [3])
    #expect(try ids("id IN (?)", [EmptyCollection<Int>()]) == [])
    #expect(try ids("id IN (?)", [[1, 2].reversed()]) == [1, 2])
    #expect(try ids("id IN (?)", [AnyCollection([1, 2])]) == [1, 2])
    #expect(
      try ids("id IN (?)", [ArrayArgument(stride(from: 1, to: 4, by: 2).map { $0 })]) == [1, 3])
    #expect(try ids("id IN (?)", [ArrayArgument(lazy: 1..<3)]) == [1, 2])
  }

  @Test func `elements are of any type`() throws {
    #expect(try ids("name IN (?)", [["ARTHUR", "craig"]]) == [1, 3])
    #expect(try ids("name COLLATE BINARY IN (?)", [["ARTHUR", "Craig"]]) == [3])
    #expect(try ids("id IN (?)", [[1, nil, 3] as [Int?]]) == [1, 3])
    #expect(try ids("id NOT IN (?)", [[1, nil, 3] as [Int?]]) == [])
    #expect(try ids("id IN (?)", [[nil, nil] as [Int64?]]) == [])
    #expect(try ids("id IN (?)", [[1, 2] as [Int64?]]) == [1, 2])
    #expect(try ids("score IN (?)", [[10.0, 30.0]]) == [1, 3])
    #expect(try ids("id IN (?)", [[true]]) == [1])
    #expect(try ids("id IN (?)", [["1", "2"]]) == [1, 2])

    try EncryptedQueue.with("CREATE TABLE t(u, d, b)") { db throws in
      let uuid = UUID.seeded()
      let date = Date(timeIntervalSince1970: 1_000_000.5)
      try db.execute(
        sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: [uuid, date, Data([1, 0, 2])])
      func count(_ column: String, _ array: any StatementBinding) throws -> Int? {
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM t WHERE \(column) IN (?)", arguments: [array])
      }
      #expect(try count("u", [UUID.seeded(), uuid]) == 1)
      #expect(try count("u", [UUID.seeded()]) == 0)
      #expect(try count("d", [date, Date()]) == 1)
      #expect(try count("d", [Date()]) == 0)
      #expect(try count("b", [Data([1, 0, 2]), Data()]) == 1)
      #expect(try count("b", [Data([1, 0]), Data()]) == 0)
    }
  }

  @Test func `an empty array matches nothing, and a repeated element matches once`() throws {
    #expect(try ids("id IN (?)", [[Int]()]) == [])
    #expect(try ids("id NOT IN (?)", [[Int]()]) == [1, 2, 3, 4])
    #expect(try ids("NULL IN (?)", [[Int]()]) == [])
    #expect(try ids("NULL NOT IN (?)", [[Int]()]) == [1, 2, 3, 4])
    #expect(try ids("id IN (?)", [[2, 2, 2, 2]]) == [2])
  }

  @Test func `arrays and scalars mix, by position and by name`() throws {
    #expect(try ids("id > ? AND id IN (?) AND id < ?", [1, [1, 2, 3], 3]) == [2])
    #expect(try ids("id IN (?) OR id IN (?)", [[1], [4]]) == [1, 4])
    #expect(
      try ids("id IN (:ids) AND name IN (:names)", ["ids": 1...2, "names": ["barbara"]]) == [2])
    #expect(try ids("id IN (:ids) OR score / 10 IN (:ids)", ["ids": [3]]) == [3])
    #expect(try ids("id IN (?1) AND id NOT IN (?2) AND id IN (?1)", [1...3, [2]]) == [1, 3])
    #expect(try ids("id IN (?, 4, ?, ?)", [[1], 2, [Int]()]) == [1, 2, 4])
  }

  // MARK: One statement

  @Test func `one cached statement serves all lengths`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT id FROM player WHERE id IN (?) ORDER BY id"
      let before = db.statementCacheStatistics
      for length in 0..<100 {
        let ids = try Int.fetchAll(db, sql: sql, arguments: [0..<length])
        #expect(ids == Array(1..<5).filter { $0 < length })
      }
      let after = db.statementCacheStatistics
      #expect(after.misses - before.misses == 1)
      #expect(after.hits - before.hits == 99)
    }
  }

  @Test func `a cached statement takes an array, a scalar, and an array again`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT id FROM player WHERE id IN (?) OR id IN (?) ORDER BY id"
      let misses = db.statementCacheStatistics.misses
      for _ in 0..<3 {
        #expect(try Int.fetchAll(db, sql: sql, arguments: [[1, 2], [3]]) == [1, 2, 3])
        #expect(try Int.fetchAll(db, sql: sql, arguments: [1, 2]) == [1, 2])
        #expect(try Int.fetchAll(db, sql: sql, arguments: [4, [1, 2]]) == [1, 2, 4])
        #expect(try Int.fetchAll(db, sql: sql, arguments: [[1, 2], 4]) == [1, 2, 4])
        #expect(try Int.fetchAll(db, sql: sql, arguments: [nil, nil]) == [])
      }
      #expect(db.statementCacheStatistics.misses - misses == 1)
      let statement = try db.makeStatement(sql: "UPDATE player SET score = 0 WHERE id IN (?)")
      try statement.execute(arguments: [[1, 2, 3]])
      #expect(db.changesCount == 3)
      try statement.execute(values: 1)
      #expect(db.changesCount == 1)
    }
  }

  @Test func `columns are right when array and scalar forms meet schema changes`() throws {
    let database = try EncryptedQueue(Self.players)
    let other = try database.other()
    let sql = "SELECT * FROM player WHERE id IN (?)"
    let statement = try database.queue.inDatabase { try $0.makeStatement(sql: sql) }
    var columns = ["id", "name", "score"]
    for (step, argument) in [1, [1], 1, 1, [1], [1], 1].enumerated()
      as EnumeratedSequence<[any StatementBinding]>
    {
      try other.inDatabase { db in
        try db.execute(sql: "ALTER TABLE player ADD COLUMN c\(step) DEFAULT \(step)")
      }
      columns.append("c\(step)")
      try database.queue.inDatabase { db in
        let cursor = try Row.fetchCursor(statement, arguments: [argument])
        let row = try #require(try cursor.next())
        #expect(Array(row.columnNames) == columns)
        #expect(row.count == columns.count)
        #expect(row["c\(step)"] as Int? == step)
        #expect(try Row.fetchOne(db, sql: sql, arguments: [argument])?.count == columns.count)
      }
    }
  }

  // MARK: Size

  @Test func `an array can have a million elements`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let million = (1...1_000_000).map { $0 * 2 }
      let sql = "SELECT id FROM player WHERE id IN (?) ORDER BY id"
      #expect(try Int.fetchAll(db, sql: sql, arguments: [million]) == [2, 4])
      #expect(try Int.fetchAll(db, sql: sql, arguments: [3...1_000_000]) == [3, 4])
      #expect(
        try Int.fetchAll(db, sql: sql, arguments: [ArrayArgument(lazy: 3...1_000_000)]) == [3, 4])
      #expect(
        try Int.fetchAll(
          db, sql: "SELECT id FROM player WHERE name IN (?)",
          arguments: [(1...100_000).map { "name \($0)" } + ["CRAIG"]]) == [3])
      #expect(
        try Int.fetchOne(
          db,
          sql: """
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000)
            SELECT count(*) FROM c WHERE x IN (?)
            """,
          arguments: [million]) == 50_000)
    }
  }

  // MARK: Everywhere

  @Test func `changes take arrays`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      try db.execute(sql: "UPDATE player SET score = ? WHERE id IN (?)", arguments: [5, [1, 2]])
      #expect(db.changesCount == 2)
      try db.execute(sql: "DELETE FROM player WHERE id IN (:ids)", arguments: ["ids": [1, 100]])
      #expect(db.changesCount == 1)
      try db.execute(
        sql:
          "INSERT INTO player(name, score) SELECT name || '!', score FROM player WHERE id IN (?)",
        arguments: [Set([2, 3])])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [2, 3, 4, 5, 6])
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 6") == "Craig!")
    }
  }

  @Test func `subqueries, common table expressions, joins and CASE take arrays`() throws {
    #expect(try ids("id IN (SELECT id FROM player WHERE id IN (?))", [[2, 3]]) == [2, 3])
    #expect(
      try ids("EXISTS (SELECT 1 FROM player p WHERE p.id = player.id AND p.id IN (?))", [[2]]) == [
        2
      ])
    #expect(try ids("CASE WHEN id IN (?) THEN 1 ELSE id IN (?) END", [[1], [4]]) == [1, 4])
    #expect(try ids("NOT (id IN (?))", [[1, 2]]) == [3, 4])
    try EncryptedQueue.with(Self.players) { db throws in
      let cte = """
        WITH p AS (SELECT * FROM player WHERE id IN (?))
        SELECT a.id FROM p a JOIN p b ON b.id IN (?) WHERE a.id = b.id ORDER BY 1
        """
      #expect(try Int.fetchAll(db, sql: cte, arguments: [[1, 2, 3], [2, 3, 4]]) == [2, 3])
      let grouped =
        "SELECT count(*), sum(id IN (?)) FROM player GROUP BY score IS NULL HAVING count(*) IN (?)"
      #expect(
        try Row.fetchAll(db, sql: grouped, arguments: [[1, 2], [3]]).map(\.values) == [values(3, 2)]
      )
      let union = "SELECT 1 WHERE 1 IN (?) UNION ALL SELECT 2 WHERE 2 IN (?)"
      #expect(try Int.fetchAll(db, sql: union, arguments: [[1], [2]]) == [1, 2])
    }
  }

  @Test func `arrays work on read-only connections and in reads`() throws {
    let database = try EncryptedQueue(Self.players)
    let readOnly = try database.other { $0.readonly = true }
    for queue in [database.queue, readOnly] {
      let ids = try queue.read { db in
        try Int.fetchAll(db, sql: "SELECT id FROM player WHERE id IN (?)", arguments: [[1, 2]])
      }
      #expect(ids == [1, 2])
    }
    #expect(throws: DatabaseError.self) {
      try database.queue.read { db in
        try db.execute(sql: "DELETE FROM player WHERE id IN (?)", arguments: [[1]])
      }
    }
    #expect(
      try database.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 4)
  }

  @Test func `two cursors of one SQL read two arrays at once`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT id FROM player WHERE id IN (?) ORDER BY id"
      let first = try Int.fetchCursor(db, sql: sql, arguments: [[1, 3]])
      let second = try Int.fetchCursor(db, sql: sql, arguments: [[2, 3, 4]])
      var pairs: [[Int?]] = []
      while true {
        let pair = [try first.next(), try second.next()]
        if pair == [nil, nil] { break }
        pairs.append(pair)
      }
      #expect(pairs == [[1, 2], [3, 3], [nil, 4]])
      #expect(try Int.fetchAll(db, sql: sql, arguments: [[4]]) == [4])
    }
  }

  // MARK: Refusals

  @Test(arguments: [
    ("SELECT ?", "? (the 1st argument) is an array"),
    ("SELECT * FROM player WHERE id = ?", "? (the 1st argument) is an array"),
    ("SELECT * FROM player WHERE name = 'a?' AND id = ?", "? (the 1st argument) is an array"),
    ("SELECT * FROM player LIMIT ?", "? (the 1st argument) is an array"),
    ("INSERT INTO player(id) VALUES (?)", "? (the 1st argument) is an array"),
  ])
  func `an array outside of IN is an error that says so`(sql: String, message: String) throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let error = databaseError { try Row.fetchAll(db, sql: sql, arguments: [[1, 2]]) }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.contains(message) == true, "\(error?.message ?? "")")
      #expect(error?.sql == sql)
      #expect(throws: DatabaseError.self) { try db.execute(sql: sql, arguments: [[1, 2]]) }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 4)
    }
  }

  @Test func `the error names the parameter`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT * FROM player WHERE id IN (:ids) OR score = :ids"
      let error = databaseError { try Row.fetchAll(db, sql: sql, arguments: ["ids": [1]]) }
      #expect(error?.message?.hasPrefix(":ids is an array") == true)
    }
  }

  @Test func `forged arrays read nothing`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      // Once an array was bound, the virtual table is there.
      #expect(try Int.fetchAll(db, sql: "SELECT 1 WHERE 1 IN (?)", arguments: [[1]]) == [1])
      for forged in [
        "12345", "0", "-1", "NULL", "'abc'", "1.5", "x'0102030405060708'", "zeroblob(8)",
        "9223372036854775807", "140000000000000", "(SELECT id FROM player)",
      ] {
        #expect(try Row.fetchAll(db, sql: "SELECT * FROM coffer_array(\(forged))").isEmpty)
      }
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM coffer_array").isEmpty)
      #expect(try Row.fetchAll(db, sql: "SELECT value FROM coffer_array WHERE array > 3").isEmpty)
      for value in [12345, -1, 0x7FFF_0000_0000] {
        #expect(
          try Row.fetchAll(db, sql: "SELECT * FROM coffer_array(?)", arguments: [value]).isEmpty)
      }
      // Where SQLite can't plan it, it is an error.
      _ = try? Row.fetchAll(db, sql: "SELECT * FROM player, coffer_array(player.id)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM coffer_array") }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO coffer_array(value) VALUES (1)")
      }
    }
  }

  @Test func `the address of a released array reads nothing`() throws {
    try EncryptedQueue.with { db throws in
      let array = ArrayArgument(["a", "b"])
      let address = UInt(bitPattern: Unmanaged.passUnretained(array.storage).toOpaque())
      let sql = "SELECT 1 WHERE 'a' IN (?)"
      #expect(try Int.fetchAll(db, sql: sql, arguments: [array]) == [1])
      #expect(
        try Row.fetchAll(db, sql: "SELECT * FROM coffer_array(?)", arguments: [Int(address)])
          .isEmpty)
    }
  }

  // MARK: Lifetime

  /// A collection that can be observed by a weak reference.
  private final class Canary: Sendable {}

  private struct Watched: Collection, Sendable {
    let canary: Canary
    var startIndex: Int { 1 }
    var endIndex: Int { 4 }
    subscript(position: Int) -> Int { position }
    func index(after position: Int) -> Int { position + 1 }
  }

  /// An array argument, and whether it is alive.
  private func watched() -> (ArrayArgument, () -> Bool) {
    let canary = Canary()
    weak let weakCanary = canary
    return (ArrayArgument(lazy: Watched(canary: canary)), { weakCanary != nil })
  }

  @Test func `arrays are released after their statement was used`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let sql = "SELECT id FROM player WHERE id IN (?) ORDER BY id"
      do {
        let (array, isAlive) = watched()
        #expect(try Int.fetchAll(db, sql: sql, arguments: [consume array]) == [1, 2, 3])
        #expect(!isAlive(), "fetchAll")
      }
      do {
        let (array, isAlive) = watched()
        #expect(try Int.fetchOne(db, sql: sql, arguments: [consume array]) == 1)
        #expect(!isAlive(), "fetchOne")
      }
      do {
        let (array, isAlive) = watched()
        try db.execute(
          sql: "UPDATE player SET score = 1 WHERE id IN (?)", arguments: [consume array])
        #expect(!isAlive(), "execute")
      }
      do {
        let (array, isAlive) = watched()
        var cursor: FastDatabaseValueCursor<Int>? = try Int.fetchCursor(
          db, sql: sql, arguments: [consume array])
        #expect(try cursor?.next() == 1)
        #expect(isAlive(), "cursor")
        cursor = nil
        #expect(!isAlive(), "cursor")
      }
      do {
        let (array, isAlive) = watched()
        let statement = try db.makeStatement(sql: sql)
        try statement.setArguments([consume array])
        #expect(isAlive(), "statement")
        #expect(try Int.fetchAll(statement) == [1, 2, 3])
        #expect(try Int.fetchAll(statement) == [1, 2, 3])
        #expect(try Int.fetchAll(statement, arguments: [[4]]) == [4])
        #expect(!isAlive(), "statement")
      }
    }
  }

  @Test func `arrays are released when the connection closes`() throws {
    let database = try EncryptedQueue()
    let (array, isAlive) = watched()
    let statement = try database.queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "SELECT 1 IN (?)")
      try statement.setArguments([array])
      return statement
    }
    #expect(isAlive())
    try database.queue.close()
    #expect(databaseError { try Int.fetchOne(statement) }?.message == "Connection is closed")
  }

  @Test func `new arguments end the cursor that reads the old ones`() throws {
    try EncryptedQueue.with(Self.players) { db throws in
      let statement = try db.makeStatement(sql: "SELECT id FROM player WHERE id IN (?) ORDER BY id")
      let first = try Int.fetchCursor(statement, arguments: [[1, 2]])
      #expect(try first.next() == 1)
      let second = try Int.fetchCursor(statement, arguments: [[3, 4]])
      #expect(databaseError { try first.next() }?.message == "The cursor is no longer valid.")
      #expect(throws: DatabaseError.self) { try first.next() }
      #expect(try second.next() == 3)
      #expect(try second.next() == 4)
      #expect(try second.next() == nil)
    }
  }
}
