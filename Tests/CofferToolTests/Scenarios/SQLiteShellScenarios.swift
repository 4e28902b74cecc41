import Foundation
import Testing

/// The same queries in SQLite's own shell, where the machine has one.
struct SQLiteShellScenarios {
  private static let shell = "/usr/bin/sqlite3"
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
    let all = Self.queries + Self.numbers.map { "SELECT \($0) AS n, -(\($0)) AS m" }
    for query in all {
      // An empty text is a quoted one here, and the shell has no line of names without rows.
      if mode == "tabs", query.contains("''") { continue }
      if query.hasSuffix("WHERE 0"), ["csv", "tabs"].contains(mode) { continue }
      let ours = try vault.runPlain("query", "plain.db", query, "--mode", mode)
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
