@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Testing

private func rewrite(_ sql: String, _ arrays: Set<Int>) throws -> String {
  try ArrayArgumentRewriter(sql).rewrite(arrays: arrays)
}

private func message(_ sql: String, _ arrays: Set<Int>) -> String? {
  do {
    let rewritten = try rewrite(sql, arrays)
    Issue.record("rewritten: \(rewritten)")
    return nil
  } catch {
    return "\(error)"
  }
}

@Suite struct ArrayArgumentRewriterTests {
  @Test(arguments: [
    ("x IN (?)", "x IN (SELECT +value FROM coffer_array(?))"),
    ("x NOT IN (?1)", "x NOT IN (SELECT +value FROM coffer_array(?1))"),
    ("x in(:a)", "x in(SELECT +value FROM coffer_array(:a))"),
    ("x iN /*?*/ ( -- ?\n @a\n)", "x iN /*?*/ ( -- ?\n SELECT +value FROM coffer_array(@a)\n)"),
    ("x IN ((?))", "x IN (SELECT +value FROM coffer_array((?)))"),
    ("x IN (( /**/ (?) ))", "x IN (SELECT +value FROM coffer_array(( /**/ (?) )))"),
    ("f(x, y) IN (?)", "f(x, y) IN (SELECT +value FROM coffer_array(?))"),
    ("replace(x, y, 1) IN (?)", "replace(x, y, 1) IN (SELECT +value FROM coffer_array(?))"),
    ("(x) IN (?)", "(x) IN (SELECT +value FROM coffer_array(?))"),
    (
      "(SELECT a, b) IN (?)", "(SELECT a, b) IN (SELECT +value FROM coffer_array(?))"
    ),
    (
      "'IN (?)' = \"in (?)\" AND [in] (1) AND x IN (?)",
      "'IN (?)' = \"in (?)\" AND [in] (1) AND x IN (SELECT +value FROM coffer_array(?))"
    ),
    (
      "CASE WHEN x IN (?) THEN 1 END",
      "CASE WHEN x IN (SELECT +value FROM coffer_array(?)) THEN 1 END"
    ),
    (
      "x IN (1, 2) IN (?)", "x IN (1, 2) IN (SELECT +value FROM coffer_array(?))"
    ),
    (
      "'👍é' IN (:é)", "'👍é' IN (SELECT +value FROM coffer_array(:é))"
    ),
  ])
  func `a lone array becomes a SELECT`(sql: String, expected: String) throws {
    #expect(try rewrite(sql, [1]) == expected)
    #expect(try rewrite(sql, []) == sql)
  }

  @Test func `a mixed list becomes a UNION ALL in its order`() throws {
    #expect(
      try rewrite("x IN (?, 5, :b, a+1)", [1, 2]) == """
        x IN (SELECT +value FROM coffer_array(?) UNION ALL  SELECT +(5) UNION ALL  \
        SELECT +value FROM coffer_array(:b) UNION ALL  SELECT +(a+1) \
        UNION ALL SELECT NULL WHERE 0)
        """)
    #expect(
      try rewrite("x IN (f(a,b),(1,2),?)", [1]) == """
        x IN (SELECT +(f(a,b)) UNION ALL SELECT +((1,2)) UNION ALL \
        SELECT +value FROM coffer_array(?))
        """)
    #expect(
      try rewrite("x IN (5 -- five\n, ? -- array\n)", [1]) == """
        x IN (SELECT +(5) -- five\n UNION ALL  SELECT +value FROM coffer_array(?) -- array\n)
        """)
    #expect(
      try rewrite("x IN (?, ?)", [1]) == """
        x IN (SELECT +value FROM coffer_array(?) UNION ALL  SELECT +(?) \
        UNION ALL SELECT NULL WHERE 0)
        """)
  }

  @Test func `only lists that hold arrays change`() throws {
    #expect(
      try rewrite("x IN (?) AND y IN (?) AND z IN (1, ?)", [2]) == """
        x IN (?) AND y IN (SELECT +value FROM coffer_array(?)) AND z IN (1, ?)
        """)
  }

  @Test func `nested lists and subqueries are rewritten each on its own`() throws {
    #expect(
      try rewrite("x IN (SELECT a FROM t WHERE b IN (?) AND c = ?)", [1]) == """
        x IN (SELECT a FROM t WHERE b IN (SELECT +value FROM coffer_array(?)) AND c = ?)
        """)
    #expect(
      try rewrite("x IN (y IN (?), (SELECT a FROM t WHERE b IN (?)), ?)", [1, 2, 3]) == """
        x IN (SELECT +(y IN (SELECT +value FROM coffer_array(?))) UNION ALL  \
        SELECT +((SELECT a FROM t WHERE b IN (SELECT +value FROM coffer_array(?)))) UNION ALL  \
        SELECT +value FROM coffer_array(?))
        """)
    #expect(
      try rewrite("WITH c AS (SELECT 1 WHERE 1 IN (:a)) SELECT * FROM c WHERE x IN (:a)", [1])
        == """
        WITH c AS (SELECT 1 WHERE 1 IN (SELECT +value FROM coffer_array(:a))) \
        SELECT * FROM c WHERE x IN (SELECT +value FROM coffer_array(:a))
        """)
  }

  @Test func `the parameters are the same after rewriting`() throws {
    let sql = "a = ?3 AND x IN (?, :n, 1 + ?, :m) AND y IN (:n) AND z = :z OR w IN (?)"
    let before = ArrayArgumentRewriter.parameters(in: sql)
    let after = ArrayArgumentRewriter.parameters(in: try rewrite(sql, [4, 5, 7, 9]))
    #expect(before.map(\.index) == [3, 4, 5, 6, 7, 5, 8, 9])
    #expect(after.map(\.index) == before.map(\.index))
    #expect(after.map(\.name) == before.map(\.name))
  }

  @Test func `parameters are listed with their place`() {
    let sql = "é = ? AND x IN (:a, (?2), -:b) AND y IN (SELECT ?) -- ?\n AND :a"
    let parameters = ArrayArgumentRewriter.parameters(in: sql)
    #expect(parameters.map(\.index) == [1, 2, 2, 3, 4, 2])
    #expect(parameters.map(\.name) == [nil, ":a", "?2", ":b", nil, ":a"])
    #expect(parameters.map { $0.list != nil } == [false, true, true, false, false, false])
    let utf8 = Array(sql.utf8)
    #expect(
      parameters.map { String(decoding: utf8[$0.range], as: UTF8.self) }
        == ["?", ":a", "?2", ":b", "?", ":a"])
  }

  @Test func `names are told apart by their bytes`() {
    let parameters = ArrayArgumentRewriter.parameters(in: ":\u{E9}, :e\u{301}, @a, $a, :a, :A, #a")
    #expect(parameters.map(\.index) == Array(1...7))
  }

  // MARK: Errors

  @Test(arguments: [
    "x = :a", "x IN :a", "x IN (SELECT :a)", "x IN (VALUES (:a))", "x IN (+:a)", "x IN (:a + 1)",
    "x IN (1, f(:a))", "x IN ((:a, 1))", "x IN t(:a)", "\"in\" (:a)", "[IN] (:a)", "LIMIT :a",
    "x IN (:a COLLATE NOCASE)", "x IN (:a) AND y = :a", "y = :a AND x IN (:a)", "IN :a ()", ":a",
    "xin (:a)", "x IN (1) (:a)", "x IN ((1) + (:a))", "x IN (CASE WHEN :a THEN 1 END)",
  ])
  func `an array elsewhere is an error that says what to do`(sql: String) {
    #expect(
      message(sql, [1]) == """
        :a is an array, but stands where SQL takes a single value. Write IN (:a), or pass a \
        single value.
        """)
  }

  @Test func `the error names the parameter and its place`() throws {
    #expect(message("?, ?", [2])?.hasPrefix("? (the 2nd argument) is an array") == true)
    #expect(message("?3", [3])?.hasPrefix("?3 (the 3rd argument) is an array") == true)
    #expect(message("?11", [11])?.hasPrefix("?11 (the 11th argument)") == true)
    #expect(message("?21", [21])?.hasPrefix("?21 (the 21st argument)") == true)
    do {
      _ = try ArrayArgumentRewriter("x IN (:a) AND é = :a").rewrite(arrays: [1])
      Issue.record("no error")
    } catch {
      #expect(error.reason == .outsideOfList)
      #expect(error.parameterIndex == 1)
      #expect(error.range == 19..<21)
    }
  }

  @Test(arguments: [
    "(a, b) IN (:a)", "WHERE (a, b) NOT IN (:a)", "NOT (a, f(b)) IN (:a)",
    "x AND ((a), b) IN ((1, 2), :a)", "((a, b) IN (:a))", "a = (a, b) IN (:a)",
  ])
  func `row values take no array`(sql: String) {
    #expect(message(sql, [1])?.contains("row value") == true)
  }

  @Test(arguments: [
    "x IN (:a, count(*))", "x IN (count ( * ) + 1, :a)", "x IN (:a, row_number() OVER w)",
    "x IN (:a, sum(b) OVER ())", "x IN (:a, 1 + total(DISTINCT 2))", "x IN (:a, count(abs(1)))",
  ])
  func `an aggregate beside an array is an error`(sql: String) throws {
    #expect(message(sql, [1])?.contains("aggregate") == true)
    #expect(try rewrite(sql, []) == sql)
  }

  @Test(arguments: [
    "x IN (:a, max(b))", "x IN (:a, (SELECT count(*) FROM t))", "x IN (:a, count)",
    "x IN (:a, sum(t.\"b\"))", "x IN (:a, over)", "x IN (:a) AND count(*) > 1",
  ])
  func `a part that keeps its meaning beside an array is no error`(sql: String) throws {
    #expect(try rewrite(sql, [1]) != sql)
  }

  @Test(arguments: [
    "x IN (:a", "x IN (:a,)", "x IN (,:a)", "x IN (:a,,1)", "x IN (((:a", "x IN (1, :a, (2",
  ])
  func `a broken list is SQLite's error`(sql: String) throws {
    let rewritten = try? rewrite(sql, [1])
    #expect(rewritten == nil || rewritten == sql)
  }

  @Test func `too many values beside an array are an error`() throws {
    let limit = ArrayArgumentRewriter.maximumElementCount
    func list(_ count: Int) -> String {
      "x IN (:a" + String(repeating: ", 1", count: count - 1) + ")"
    }
    #expect(try rewrite(list(limit), [1]).contains("coffer_array"))
    #expect(message(list(limit + 1), [1])?.contains("499 elements") == true)
    #expect(try rewrite(list(limit + 1), []) == list(limit + 1))
  }

  @Test func `no pieces of SQL make the rewriter trap`() {
    let pieces = [
      "IN", "(", ")", ",", "?", "?1", "?0", "?99999999999999999999", ":a", "NOT", "SELECT", "1",
      "count", "*", "OVER", ";", "'", "\"", "\0", "x", "--", "\n",
    ]
    var generator = SeededGenerator(state: 1)
    for _ in 0..<20_000 {
      let sql = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator)!
      }.joined(separator: Bool.random(using: &generator) ? " " : "")
      let rewriter = ArrayArgumentRewriter(sql)
      let count = sql.utf8.count
      #expect(rewriter.parameters.allSatisfy { $0.range.upperBound <= count })
      _ = try? rewriter.rewrite(arrays: Set(rewriter.parameters.map(\.index)))
    }
  }

  @Test func `long statements are analysed`() throws {
    let list = (1...20_000).map { "x IN (\($0), ?)" }.joined(separator: " OR ")
    let rewriter = ArrayArgumentRewriter(list)
    #expect(rewriter.parameters.count == 20_000)
    #expect(rewriter.parameters.last?.index == 20_000)
    #expect(try rewriter.rewrite(arrays: [20_000]).contains("coffer_array"))
    let deep = String(repeating: "(", count: 5_000) + "?" + String(repeating: ")", count: 5_000)
    #expect(try rewrite("x IN (\(deep))", [1]).contains("coffer_array"))
  }
}
