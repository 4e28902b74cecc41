@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Testing

@Suite struct SQLParameterNumberingTests {
  private let oracle: SQLiteOracle

  init() throws {
    oracle = try SQLiteOracle()
    try oracle.execute("CREATE TABLE t(a, b, \"in\", \"?\", [:c])")
  }

  /// The names by index, as `sqlite3_bind_parameter_name` gives them.
  private func parameterNames(_ sql: String) -> [String?] {
    let parameters = ArrayArgumentRewriter.parameters(in: sql)
    var names = [String?](repeating: nil, count: parameters.map(\.index).max() ?? 0)
    for parameter in parameters where names[parameter.index - 1] == nil {
      names[parameter.index - 1] = parameter.name
    }
    return names
  }

  @Test(arguments: [
    "SELECT 1", "SELECT ?", "SELECT ?, ?, ?", "SELECT ?3, ?", "SELECT ?, ?1, ?", "SELECT ?2, ?1",
    "SELECT :a, @a, $a, #a, :a", "SELECT :a, ?1, :b", "SELECT ?01, ?1", "SELECT ?1, ?01",
    "SELECT ?2, :a, ?, ?4", "SELECT :\u{E9}, :e\u{301}", "SELECT $a::b(c), $a::b, $a(b)",
    "SELECT :a(b), @b()", "SELECT '?', \"?\", [:c] FROM t WHERE a = ?", "SELECT x'3F', ?",
    "SELECT /* ? */ ? -- ?\n, :a", "SELECT :a$b, :a, a$b FROM (SELECT 1 AS a$b)",
    "SELECT 1.5, .5, 1e5, 0x1F, ?", "SELECT a FROM t WHERE a IN (?, ?2, :a) AND b NOT IN (?)",
    "SELECT (SELECT ? FROM t WHERE a = ?1), :x LIMIT ? OFFSET :x", "SELECT ?1+?2-?3",
    "SELECT CASE ? WHEN ? THEN ? ELSE ? END", "SELECT a FROM t WHERE a BETWEEN ? AND ?",
    "WITH c(x) AS (SELECT ?) SELECT x, ? FROM c WHERE x = ?", "SELECT :a /* open ?",
    "SELECT 'it''s ?', ?, \"a\"\"?\" FROM (SELECT 1 AS \"a\"\"?\")", "SELECT `in` FROM t WHERE ?",
    "INSERT INTO t(a, b) VALUES (?, :b), (?, :b)", "UPDATE t SET a = ?2, b = ? WHERE a = ?1",
    "DELETE FROM t WHERE a IN (?)", "SELECT ?/*?*/+?", "SELECT ?--?", "SELECT ?, ?;",
    "SELECT :1, :2, ?1", "SELECT ? AS [?], ? AS `:a`", "SELECT :a\u{FEFF}, :a",
    "SELECT - ?, ~?, NOT ?, ? || ?, ? << ?, ? <> ?, ? == ?, ? != ?",
  ])
  func `parameters have SQLite's indices and names`(sql: String) throws {
    let expected = try #require(oracle.parameterNames(sql), "SQLite refuses \(sql)")
    #expect(parameterNames(sql) == expected)
  }

  @Test func `random statements have SQLite's indices and names`() {
    let terms = [
      "?", "?1", "?2", "?07", "?12", ":a", ":b", "@a", "$a", "#a", "$a::b", "$a(x)", ":é", "'?'",
      "'it''s :a'", "\"?\"", "[:c]", "`in`", "x'3F'", "1.5e3", "0x1F", "a", "(?)", "(:a)", "-?",
      "a IN (?)", "a NOT IN (?, :c)", "(SELECT ? FROM t)", "b IN (SELECT :d)", "CAST(? AS TEXT)",
      "max(?, :e)", ":a||?", ":x:", "'", "?a", "@", "$a(b c)", "1$a",
    ]
    let spaces = [" ", "\n", "/* ? */", " -- :a\n", "", "\t", "/**/", "/***/"]
    var generator = SeededGenerator(state: 2)
    var accepted = 0
    for _ in 0..<4_000 {
      var sql = "SELECT "
      for position in 0..<Int.random(in: 1...6, using: &generator) {
        if position > 0 { sql += "," }
        sql += spaces.randomElement(using: &generator)!
        sql += terms.randomElement(using: &generator)!
        sql += spaces.randomElement(using: &generator)!
      }
      sql += " FROM t"
      guard let expected = oracle.parameterNames(sql) else { continue }
      accepted += 1
      #expect(parameterNames(sql) == expected, "\(sql)")
    }
    #expect(accepted > 1_000)
  }

  @Test func `random pieces that SQLite accepts are split as SQLite splits them`() {
    // Few of the texts are SQL, but those few are spelled in unusual ways.
    let pieces = [
      "a", "b", "1", ".", "x", "'", "\"", "[", "]", "`", "?", ":", "@", "$", "#", "(", ")", ",",
      "-", "/", "*", " ", "\n", "=", "<", ">", "|", "!", "e", "0", "é",
    ]
    var generator = SeededGenerator(state: 3)
    var withParameters = 0
    for _ in 0..<150_000 {
      let body = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
        pieces.randomElement(using: &generator)!
      }.joined()
      let sql = "SELECT \(body)\n, ? FROM t"
      guard let expected = oracle.parameterNames(sql) else { continue }
      if expected.count > 1 { withParameters += 1 }
      #expect(parameterNames(sql) == expected, "\(sql)")
    }
    #expect(withParameters > 500)
  }

  @Test func `a NUL ends the statement for both`() {
    // The C string ends there, and so does SQLite's reading of longer buffers.
    #expect(parameterNames("SELECT ?\0, ?").count == 1)
    #expect(oracle.parameterNames("SELECT ?\0, ?")?.count == 1)
  }
}
