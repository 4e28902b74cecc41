import Foundation
import Testing

/// The same queries in another shell, where the machine has one.
///
/// It is SQLCipher's own, named by `COFFER_SQLCIPHER_SHELL`, or SQLite's.
struct SQLiteShellScenarios {
  private static let shell =
    ProcessInfo.processInfo.environment["COFFER_SQLCIPHER_SHELL"] ?? "/usr/bin/sqlite3"
  private static let isNew = ProcessInfo.processInfo.environment["COFFER_SQLCIPHER_SHELL"] != nil
  static let isInstalled = access(shell, X_OK) == 0

  /// Without blobs, and without wide characters, whose width SQLite's shell doesn't know.
  private static let queries: [String] = [
    "SELECT 1 AS a", "SELECT 'x y' AS \"two words\"", "SELECT 'it''s' AS q, 'é' AS u",
    "SELECT 'a,b' AS x, 'c\"d' AS y", "SELECT NULL AS n, 1 AS one", "SELECT 1 AS a UNION SELECT 22",
    "SELECT 'short' AS a, 'a longer text' AS b UNION ALL SELECT 'a very long text', ''",
    "SELECT * FROM player ORDER BY id", "SELECT count(*), max(score), min(name) FROM player",
    "SELECT name FROM player WHERE score > 1 ORDER BY score DESC",
    "SELECT upper('x') || 1 AS joined",
    "SELECT a.id, b.id FROM player a JOIN player b ON a.id < b.id", "SELECT 1 AS a WHERE 0",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50) SELECT x, x * x FROM c",
    "SELECT 'tab' AS a, 'x' AS aa, 'y' AS aaa, 'z' AS aaaa, 5 AS aaaaa",
  ]

  /// Expressions of each kind, over literals and over the table's columns.
  private static let expressions = [
    "1 + 2", "7 / 2", "7 % 4", "7.0 / 2", "-7 / 2", "2 * 3.5", "1 << 10", "~5", "6 & 3", "6 | 3",
    "1 = 1", "1 <> 1", "NULL IS NULL", "NULL = NULL", "3 BETWEEN 1 AND 5", "2 IN (1, 2)",
    "'abc' LIKE 'A%'", "'abc' GLOB 'a*'", "NOT 0", "1 AND NULL", "abs(-4)", "abs(-4.5)",
    "round(2.567, 2)", "round(2.5)", "min(3, 1, 2)", "max('a', 'b')", "length('été')",
    "upper('abc')", "lower('ABC')", "trim('  x ')", "ltrim('xxa', 'x')", "rtrim('axx', 'x')",
    "substr('abcdef', 2, 3)", "substr('abcdef', -2)", "replace('aXbX', 'X', '-')",
    "instr('hello', 'l')", "hex('abc')", "quote('it''s')", "quote(NULL)", "quote(1.5)",
    "typeof(1)", "typeof(1.0)", "typeof('1')", "typeof(NULL)", "coalesce(NULL, 2)",
    "ifnull(NULL, 'x')", "nullif(1, 1)", "iif(1 > 2, 'a', 'b')", "CASE 3 WHEN 3 THEN 'c' END",
    "CAST('12' AS INTEGER)", "CAST(12 AS TEXT)", "CAST('1.5' AS REAL)", "CAST(1.9 AS INTEGER)",
    "date('2024-02-29')", "date('2024-02-29', '+1 year')", "time('12:34:56')",
    "datetime('2024-01-01 00:00:00', '-1 second')", "strftime('%Y/%m', '2024-05-06')",
    "julianday('2000-01-01')", "strftime('%s', '2001-09-09 01:46:40')", "printf('%05d', 42)",
    "printf('%.3f', 2.0)", "printf('%,d', 1234567)", "char(65, 66)", "unicode('A')",
    "json_extract('{\"a\": [1, 2]}', '$.a[1]')", "json_array(1, 'a', NULL)",
    "json_object('a', 1)", "json_type('[1]')", "json_valid('{')", "'a' || 'b' || 3", "1 || 2",
    "9223372036854775807 + 1", "1e308 * 10", "-9223372036854775808", "0x1F", "1.0e-5", "123.456e3",
    "'  spaces  '", "'tab' || char(9) || 'x'", "'pipe | bar'", "'\\ back'", "'<html> & co'",
    "'quote \" inside'", "'[1,2]'", "total_changes() * 0", "sqlite_version() = sqlite_version()",
    "zeroblob(0) IS NULL", "likely(1)", "sign(-3)", "sqrt(16)", "power(2, 10)", "mod(7, 3)",
    "ceil(1.2)", "floor(-1.2)", "pi() > 3", "ln(1)", "exp(0)", "random() * 0",
  ]

  /// Queries over the tables.
  private static let tableQueries = [
    "SELECT id, name FROM player WHERE name IS NULL", "SELECT DISTINCT score > 1 AS s FROM player",
    "SELECT name FROM player LIMIT 1 OFFSET 1", "SELECT id FROM player ORDER BY id DESC",
    "SELECT sum(score), avg(score), total(score) FROM player",
    "SELECT group_concat(id, '+') FROM player", "SELECT count(name), count(*) FROM player",
    "SELECT score, count(*) FROM player GROUP BY score HAVING count(*) > 0 ORDER BY score",
    "SELECT name FROM player UNION SELECT 'x' ORDER BY 1", "SELECT id FROM player EXCEPT SELECT 1",
    "SELECT id FROM player INTERSECT SELECT 2",
    "SELECT p.id, n.id FROM player p LEFT JOIN note n ON n.player = p.id",
    "SELECT (SELECT max(id) FROM player) AS m", "SELECT * FROM best",
    "SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM player",
    "SELECT id, sum(id) OVER (ORDER BY id) AS s FROM player",
    "SELECT id, lag(id) OVER (ORDER BY id) AS p FROM player",
    "SELECT exists(SELECT 1 FROM note) AS e", "SELECT key, value FROM json_each('[1,\"a\",null]')",
    "WITH a(x) AS (VALUES (1), (2)) SELECT x, x * x FROM a", "VALUES (1, 'a'), (2, 'b')",
    "SELECT name, type FROM pragma_table_info('player')", "SELECT 1 AS \"a b\", 2 AS \"c,d\"",
    "SELECT 1, 1, 1", "SELECT 1.0 / 3 AS a, 2e-20 / 3 AS b, 1e20 / 3 AS c, -5.0 / 7 AS d",
    "SELECT 'a' || char(9) || 'b' AS t, 'longer' || char(9) || 'c' AS u",
    "SELECT id AS i, id * 10 AS j, -id AS k FROM player",
  ]

  private static let numbers = [
    "0", "-1", "9223372036854775807", "1.0", "1.5", "-0.25", "100.0",
    "1e15",
    "1e14", "123456789012345.0", "0.0001", "0.00001", "1e100", "-1e-100", "3.14159", "2.5e10",
    "0.1",
    "1e16", "99999999999999.9", "0.5", "1e300",
  ]

  @Test(
    .enabled(if: isInstalled),
    arguments: [
      ("csv", "-csv"), ("tabs", "-tabs"), ("box", "-box"), ("table", "-table"),
      ("markdown", "-markdown"), ("lines", "-line"),
    ])
  func `rows look as in SQLite's shell`(mode: String, option: String) throws {
    let vault = try Vault()
    _ = try vault.run("decrypt", "vault.db", "plain.db", "--yes")
    _ = try vault.runPlain("exec", "plain.db", "UPDATE player SET photo = NULL, name = name || '-'")
    // Only newer shells have cells of several lines.
    let lined =
      Self.isNew && ["box", "table", "lines"].contains(mode)
      ? ["SELECT 'a' || char(10) || 'bcd' AS v, 1 AS n UNION ALL SELECT 'x', 2"] : []
    let all =
      lined + Self.queries + Self.tableQueries
      + Self.numbers.map { "SELECT \($0) AS n, -(\($0)) AS m" }
      + Self.expressions.map { "SELECT \($0) AS value, typeof(\($0)) AS type" }
    #expect(all.count >= 150)
    let unknown = ["syntax error", "no such function", "no such table"]
    let lacksMathematics = try vault.runPlain("query", "plain.db", "SELECT sqrt(1)").code != 0
    for query in all {
      // An empty text is a quoted one here, and the shell has no line of names without rows.
      if mode == "tabs", query.contains("''") || query.contains("char(9)") { continue }
      // A bar ends a cell in Markdown, unless it is escaped.
      if mode == "markdown", query.contains("| bar") { continue }
      if query.hasSuffix("WHERE 0"), ["csv", "tabs"].contains(mode) { continue }
      let ours = try vault.runPlain("query", "plain.db", query, "--mode", mode)
      // SQLCipher 3 has an older SQLite, and some libraries lack the mathematical functions.
      if Vault.isSQLCipher3, query.contains("%,d") || unknown.contains(where: ours.error.contains) {
        continue
      }
      if lacksMathematics, ours.error.contains("no such function") { continue }
      let null = ["csv", "tabs"].contains(mode) ? "" : "NULL"
      let theirs = try vault.bash(
        "cat <<'EOF' | \(Self.shell) \(option) -header -nullvalue '\(null)' plain.db\n\(query);\nEOF\n"
      )
      let isLF = !theirs.output.contains("\r\n") && mode == "csv"
      let expected = isLF ? theirs.output.replacing("\n", with: "\r\n") : theirs.output
      #expect(ours.output == expected, "\(query)")
      #expect(ours.code == 0)
    }
  }
}
