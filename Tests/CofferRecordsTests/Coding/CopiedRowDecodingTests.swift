import Coffer
import CofferTestSupport
import Dispatch
import Testing

@Suite struct CopiedRowDecodingTests {
  struct Numbers: Codable, FetchableRecord, Equatable {
    var a: Int
    var b: Int64
    var c: Int?
    var d: Int64?
    var e: String?
    var f: Double
  }

  static let sql = "SELECT a, b, c, d, e, f FROM t ORDER BY rowid"
  static let filling = """
    CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, d INTEGER, e TEXT, f REAL);
    INSERT INTO t VALUES (0, 0, 0, 0, '', 0), (1, -1, NULL, NULL, NULL, -1.5),
      (9223372036854775807, -9223372036854775808, -9223372036854775808, 9223372036854775807,
      'é', 1e300);
    """
  static let expected = [
    Numbers(a: 0, b: 0, c: 0, d: 0, e: "", f: 0),
    Numbers(a: 1, b: -1, c: nil, d: nil, e: nil, f: -1.5),
    Numbers(a: .max, b: .min, c: .min, d: .max, e: "é", f: 1e300),
  ]

  @Test func `copied rows give the records that a cursor gives`() throws {
    try EncryptedQueue.with(Self.filling) { db in
      #expect(try Numbers.fetchAll(db, sql: Self.sql) == Self.expected)
      let rows = try Row.fetchAll(db, sql: Self.sql)
      #expect(try rows.map(Numbers.init(row:)) == Self.expected)
      #expect(try rows.map(Numbers.init(row:)) == Self.expected)
    }
  }

  @Test func `copied rows with other columns are decoded by their own`() throws {
    try EncryptedQueue.with(Self.filling) { db in
      let reversed = "SELECT f, e, d, c, b, a FROM t ORDER BY rowid"
      let adapter = RangeRowAdapter(1..<7)
      let wide = "SELECT 'x', f, a, e, c, b, d, 'y' FROM t ORDER BY rowid"
      let lists = [
        try Row.fetchAll(db, sql: Self.sql), try Row.fetchAll(db, sql: reversed),
        try Row.fetchAll(db, sql: wide, adapter: adapter),
      ]
      for index in Self.expected.indices {
        for rows in lists { #expect(try Numbers(row: rows[index]) == Self.expected[index]) }
      }
    }
  }

  @Test func `a copied value of another type is an error, and the next row is decoded`() throws {
    try EncryptedQueue.with(Self.filling) { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT 'x' AS a, b, c, d, e, f FROM t UNION ALL SELECT a, b, c, d, e, f FROM t
          """)
      for row in rows.prefix(3) {
        let error = #expect(throws: RowDecodingError.self) { try Numbers(row: row) }
        #expect(error?.kind == .valueMismatch)
      }
      #expect(try rows.dropFirst(3).map(Numbers.init(row:)) == Self.expected)
      let null = Row(["a": nil, "b": 1, "c": 1, "d": 1, "e": "", "f": 1])
      #expect(throws: RowDecodingError.self) { try Numbers(row: null) }
    }
  }

  @Test func `threads decode their own copied rows at the same time`() throws {
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        try EncryptedQueue.with(Self.filling) { db in
          for _ in 0..<200 {
            let rows = try Row.fetchAll(db, sql: Self.sql)
            #expect(try rows.map(Numbers.init(row:)) == Self.expected)
          }
        }
      } catch { Issue.record(error) }
    }
  }

  @Test func `fetching more or fewer records than the time before gives all of them`() throws {
    struct Number: Codable, FetchableRecord { var n: Int }
    try EncryptedQueue.with { db in
      for count in [1000, 10, 0, 300, 249, 250, 251, 5000, 1] {
        let records = try Number.fetchAll(
          db,
          sql: """
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?)
            SELECT n FROM s WHERE n <= ?
            """, arguments: [count, count])
        #expect(records.map(\.n) == Array(0..<count).map { $0 + 1 })
      }
    }
  }
}
