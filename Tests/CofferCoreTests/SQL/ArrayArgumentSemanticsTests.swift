@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Testing

/// The rewritten statements against lists written out, in SQLite itself, with
/// tables in the place of arrays.
@Suite struct ArrayArgumentSemanticsTests {
  private static let values = [
    "NULL", "5", "5.0", "'5'", "'5.0'", "' 5'", "'abc'", "'ABC'", "'abc '", "x'35'", "x''", "''",
    "0", "-0.0", "0.1", "'0.1'", "100", "'1e2'", "1e300", "9223372036854775807", "9.3e18",
    "9007199254740993", "9007199254740992", "'9007199254740993'", "x'616263'", "'5abc'",
  ]

  /// Integers that a floating-point number doesn't hold.
  private static let unroundable: Set = [
    "9223372036854775807", "9007199254740993", "'9007199254740993'",
  ]

  private static let leftSides = [
    "i", "r", "n", "x", "b", "z", "nc", "zn", "rt", "+i", "+r", "+x", "+nc", "i + 0", "x || ''",
    "CAST(z AS TEXT)", "CAST(z AS INTEGER)", "CAST(z AS REAL)", "CAST(z AS NUMERIC)",
    "CAST(z AS BLOB)",
    "(SELECT x)", "(SELECT nc)", "z COLLATE NOCASE", "nc COLLATE BINARY", "t.rowid", "'abc'",
    "5", "NULL", "CASE WHEN 1 THEN x END", "lower(nc)", "-i",
  ]

  private static let scalars =
    values + [
      "i", "r", "x", "nc", "z", "b", "x COLLATE NOCASE", "'abc' COLLATE NOCASE", "+nc",
      "CAST(z AS TEXT)", "CAST('5' AS INTEGER)", "(SELECT nc)", "(SELECT 5)", "i + 1",
    ]

  private static let columns = ["i", "r", "n", "x", "b", "z", "nc", "zn", "rt"]

  private let oracle: SQLiteOracle

  init() throws {
    oracle = try SQLiteOracle()
    try oracle.execute(
      """
      CREATE TABLE t(
        i INTEGER, r REAL, n NUMERIC, x TEXT, b BLOB, z, nc TEXT COLLATE NOCASE,
        zn COLLATE NOCASE, rt TEXT COLLATE RTRIM);
      CREATE TABLE array_a(value); CREATE TABLE array_b(value);
      """)
    for value in Self.values {
      let row = Self.columns.map { _ in value }.joined(separator: ", ")
      try oracle.execute("INSERT INTO t VALUES (\(row))")
    }
    for column in Self.columns {
      try oracle.execute("CREATE INDEX index_\(column) ON t(\(column))")
    }
  }

  private func fill(_ table: String, _ values: [String]) throws {
    try oracle.execute("DELETE FROM \(table)")
    for value in values { try oracle.execute("INSERT INTO \(table) VALUES (\(value))") }
  }

  /// Compares the list with arrays in it with the list written out.
  private func check(_ left: String, _ list: String, a: [String], b: [String]) throws {
    let rewriter = ArrayArgumentRewriter(list)
    let arrays = Set(rewriter.parameters.map(\.index))
    let writtenOut =
      list
      .replacingParameter(":a", by: a).replacingParameter(":b", by: b)
    for form in ["IN", "NOT IN"] {
      let template = { (list: String) in
        [
          "SELECT \(left) \(form) \(list) FROM t ORDER BY t.rowid",
          "SELECT t.rowid FROM t WHERE \(left) \(form) \(list) ORDER BY t.rowid",
          "SELECT count(*) FROM t GROUP BY ifnull(\(left) \(form) \(list), 2) ORDER BY 1",
        ]
      }
      for (expected, sql) in zip(template(writtenOut), template(list)) {
        let rewritten = try ArrayArgumentRewriter(sql).rewrite(arrays: arrays)
          .replacingArray(":a", by: "array_a").replacingArray(":b", by: "array_b")
        #expect(
          try oracle.column(rewritten) == oracle.column(expected), "\(expected) / \(rewritten)")
      }
    }
  }

  /// Whether SQLite 3.46 may round elements that a list keeps: those of a left
  /// side of REAL affinity. Columns hold all values.
  private static func rounds(_ left: String, _ elements: [String]) -> Bool {
    (left == "r" || left == "CAST(z AS REAL)")
      && elements.contains { unroundable.contains($0) || !values.contains($0) }
  }

  @Test func `an array of one means a list of one`() throws {
    for value in Self.values {
      try fill("array_a", [value])
      for left in Self.leftSides where !Self.rounds(left, [value]) {
        // SQLite 3.15 answers `rowid IN (' 5')` with the text instead of the
        // rowid; an array makes it right.
        if left == "t.rowid" && value == "' 5'" { continue }
        try check(left, "(:a)", a: [value], b: [])
      }
    }
  }

  @Test func `an empty array means an empty list`() throws {
    try fill("array_a", [])
    for left in Self.leftSides { try check(left, "(:a)", a: [], b: []) }
  }

  @Test func `an array of several means a list of several`() throws {
    var generator = SeededGenerator(state: 4)
    for _ in 0..<trialCount(15) {
      let count = Int.random(in: 2...5, using: &generator)
      let values = (0..<count).map { _ in Self.values.randomElement(using: &generator)! }
      try fill("array_a", values)
      for left in Self.leftSides where !Self.rounds(left, values) {
        try check(left, "(:a)", a: values, b: [])
      }
    }
  }

  @Test func `a mixed list means the list written out`() throws {
    var generator = SeededGenerator(state: 5)
    for round in 0..<trialCount(20) {
      // Never a list of one: SQLite lets its collation and affinity count.
      let a = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        Self.values.randomElement(using: &generator)!
      }
      let b = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        Self.values.randomElement(using: &generator)!
      }
      let first = Self.scalars.randomElement(using: &generator)!
      let second = Self.scalars.randomElement(using: &generator)!
      try fill("array_a", a)
      try fill("array_b", b)
      let list = [
        "(:a, \(first))", "(\(first), :a)", "(\(first), :a, \(second))",
        "(:a, \(first), \(second), :b)", "(:a, :b, \(first))",
      ][round % 5]
      for left in Self.leftSides where !Self.rounds(left, a + b + [first, second]) {
        try check(left, list, a: a, b: b)
      }
    }
  }

  @Test func `outer names and aggregates keep their meaning beside an array`() throws {
    try fill("array_a", ["-1"])
    let pairs = [
      "SELECT i + 0 AS q FROM t WHERE q IN (:a, q) ORDER BY t.rowid",
      "SELECT 5 IN (:a, min(i)) FROM t WHERE i > 0",
      "SELECT x FROM t GROUP BY x HAVING count(*) IN (:a, max(i) - 4) ORDER BY x",
      "SELECT t.x FROM t JOIN t AS u ON t.rowid IN (:a, u.rowid) ORDER BY 1",
      "SELECT (SELECT count(*) FROM t AS u WHERE u.i IN (:a, t.i)) FROM t ORDER BY t.rowid",
    ]
    for sql in pairs {
      let rewritten = try ArrayArgumentRewriter(sql).rewrite(arrays: [1])
        .replacingArray(":a", by: "array_a")
      let expected = sql.replacingParameter(":a", by: ["-1"])
      #expect(try oracle.column(rewritten) == oracle.column(expected), "\(sql)")
    }
  }

  @Test func `as many elements as allowed stand beside an array`() throws {
    try fill("array_a", ["-1"])
    let list = (1...ArrayArgumentRewriter.maximumElementCount - 1).map { "\($0)" }
    let sql = "SELECT i IN (:a, \(list.joined(separator: ", "))) FROM t ORDER BY t.rowid"
    let rewritten = try ArrayArgumentRewriter(sql).rewrite(arrays: [1])
      .replacingArray(":a", by: "array_a")
    let expected = sql.replacingParameter(":a", by: ["-1"])
    #expect(try oracle.column(rewritten) == oracle.column(expected))
  }

  @Test func `an index serves an array as it serves a list`() throws {
    try fill("array_a", ["5"])
    let plan = try oracle.plan("SELECT x FROM t WHERE x IN (SELECT +value FROM array_a)")
    #expect(plan.contains { $0.contains("USING INDEX index_x") || $0.contains("COVERING INDEX") })
  }
}

extension String {
  /// A list's parameter written out; an empty one is removed with its comma.
  fileprivate func replacingParameter(_ name: String, by values: [String]) -> String {
    let text = values.joined(separator: ", ")
    guard values.isEmpty else { return split(name).joined(separator: text) }
    return split(", \(name)").joined().split("\(name), ").joined().split(name).joined()
  }

  fileprivate func replacingArray(_ name: String, by table: String) -> String {
    split("coffer_array(\(name))").joined(separator: table)
  }

  /// The parts between the occurrences of a text.
  private func split(_ separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}

extension SQLiteOracle {
  /// The details of the query plan.
  fileprivate func plan(_ sql: String) throws -> [String] {
    try rows("EXPLAIN QUERY PLAN \(sql)").compactMap(\.last)
  }
}
