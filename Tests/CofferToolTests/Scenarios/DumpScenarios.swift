import CofferTestSupport
import Testing

/// A dump makes the same database again, whoever loads it.
struct DumpScenarios {
  private static let ways: [[String]] = [["shell", "copy.db"], ["exec", "copy.db", "-"]]

  /// Loads a dump in each way, and expects the answers to be those of the source.
  private func expectSame(_ vault: borrowing Vault, _ source: String, _ queries: [String]) throws {
    let dump = try vault.run("dump", source, "--yes")
    #expect(dump.code == 0, "\(dump.error)")
    _ = try vault.run("dump", source, "--yes", "--output", "d.sql")
    for way in Self.ways {
      _ = try vault.bash("rm -f copy.db copy.db-*; $coffer create copy.db --key-file key")
      let load = try vault.bash(
        "$coffer \(way.joined(separator: " ")) --key-file key <d.sql >/dev/null")
      #expect(load.error == "" && load.code == 0, "\(way): \(load.error)")
      for query in queries {
        let expected = try vault.run("query", source, query, "--mode", "tabs")
        #expect(expected.code == 0, "\(query): \(expected.error)")
        let found = try vault.run("query", "copy.db", query, "--mode", "tabs")
        #expect(found.output == expected.output, "\(way): \(query): \(found.error)")
      }
      let again = try vault.run("dump", "copy.db", "--yes")
      #expect(again.output == dump.output, "\(way)")
    }
  }

  @Test func `texts of old schemas in double quotes are texts`() throws {
    let vault = try Vault()
    let table = """
      CREATE TABLE "the t" ("a" "odd type" DEFAULT "hello", "é b" CHECK ("é b" <> "it's ""x"" " AND
        "A" <> "rowid" AND lower("LOW") <> CAST("é b" AS "TEXT") COLLATE "nocase"),
        up REFERENCES "the t"("é b"), UNIQUE ("é b"))
      """
    let index = #"CREATE INDEX i ON "the t" ("a", "foo" || "é b") WHERE "bar" > "a""#
    func quoted(_ sql: String) -> String { "'" + sql.replacing("'", with: "''") + "'" }
    let sql = """
      CREATE TABLE "the t" (a, "é b", up, UNIQUE ("é b")); CREATE INDEX i ON "the t" (a);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = \(quoted(table)) WHERE name = 'the t';
      UPDATE sqlite_master SET sql = \(quoted(index)) WHERE name = 'i';
      PRAGMA writable_schema = RESET
      """
    #expect(try vault.run("exec", "vault.db", sql).error == "")
    #expect(
      try vault.run("exec", "vault.db", "REINDEX; INSERT INTO \"the t\" (\"é b\") VALUES (2)").error
        == "")
    try expectSame(vault, "vault.db", [#"SELECT * FROM "the t""#])
    let dump = try vault.run("dump", "vault.db", "--yes").output
    #expect(dump.contains(#"("a", 'foo' || "é b") WHERE 'bar' > "a""#))
    #expect(
      dump.contains(
        #"("é b" <> 'it''s "x" ' AND"# + "\n"
          + #"  "A" <> "rowid" AND lower('LOW') <> CAST("é b" AS "TEXT") COLLATE "nocase")"#))
    let refused = try vault.run(
      "exec", "copy.db", #"INSERT INTO "the t" ("é b") VALUES ('it''s "x" ')"#)
    #expect(refused.error.contains("CHECK"))
  }

  @Test func `random values are the same, by type and by bytes`() throws {
    var random = SeededGenerator()
    let vault = try Vault()
    func value() -> String {
      switch Int.random(in: 0..<7, using: &random) {
      case 0: return "NULL"
      case 1: return "\(Int64(bitPattern: random.next()) >> Int.random(in: 0..<64, using: &random))"
      case 2, 3: return "\(Double.random(in: -1e9...1e9, using: &random))"
      case 4: return "CAST(x'\(bytes())' AS TEXT)"
      case 5: return "x'\(bytes())'"
      default:
        return ["'it''s'", "'a' || char(13, 10) || 'b\\r'", "'--'", "'/*'", "';'", "'é'"]
          .randomElement(using: &random) ?? "''"
      }
    }
    func bytes() -> String {
      (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        let byte = [0, 10, 13, 39, 92, 255, 65].randomElement(using: &random) ?? 0
        return (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    let rows = (0..<300).map { _ in "(\(value()), \(value()), \(value()))" }
    let sql = """
      CREATE TABLE a (u, t TEXT, r REAL);
      CREATE TABLE "odd ""name" ("a b" INTEGER PRIMARY KEY AUTOINCREMENT, "select");
      INSERT INTO a VALUES \(rows.joined(separator: ", "));
      DELETE FROM a WHERE rowid % 3 = 1;
      INSERT INTO "odd ""name" VALUES (41, 'x');
      CREATE TABLE w (k PRIMARY KEY, v) WITHOUT ROWID;
      INSERT INTO w VALUES ('a', 1), ('b', 2);
      CREATE TABLE child (p REFERENCES parent(name)); CREATE TABLE parent (id, name);
      CREATE UNIQUE INDEX names ON parent(name);
      INSERT INTO parent VALUES (1, 'n'); INSERT INTO child VALUES ('n');
      CREATE VIEW v AS SELECT u FROM a -- a comment
      ;
      CREATE VIEW v2 AS SELECT 1 AS one /* open
      */;
      CREATE TRIGGER g AFTER INSERT ON w BEGIN DELETE FROM w WHERE k = 'never'; END;
      CREATE INDEX i ON a(t, r);
      ANALYZE;
      PRAGMA user_version = 7;
      """
    let written = try vault.run("exec", "vault.db", "-", input: sql)
    #expect(written.code == 0, "\(written.error)")
    try expectSame(
      vault, "vault.db",
      [
        """
        SELECT rowid AS k, typeof(u), hex(CAST(u AS BLOB)), typeof(t), hex(CAST(t AS BLOB)), r, typeof(r)
        FROM a
        """,
        "SELECT u FROM a WHERE typeof(u) = 'real'", "SELECT * FROM w", "SELECT * FROM v2",
        "SELECT name, seq FROM sqlite_sequence",
        "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2",
        "SELECT type, name, sql FROM sqlite_master WHERE name IN ('v', 'g', 'i', 'names') ORDER BY 2",
        "SELECT * FROM child",
      ])
  }

  @Test func `all numbers are read as the same numbers`() throws {
    var random = SeededGenerator()
    let vault = try Vault()
    let numbers =
      (0..<400).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
      + (0..<200).map { _ in Double(Int.random(in: 0..<1_000_000_000, using: &random)) / 1e7 }
      + [
        801562.2678495, 1e126, .leastNonzeroMagnitude, 1.7976931348623157e308,
        2.2250738585072014e-308, 1e23,
      ]
    // An import reads each exactly.
    let json = "[" + numbers.map { "{\"r\":\($0)}" }.joined(separator: ",") + "]"
    let run = try vault.run(
      "import", "vault.db", "n", "-", "--create", "--types", "r:REAL", "--format", "json",
      input: json)
    #expect(run.code == 0, "\(run.error)")
    try expectSame(vault, "vault.db", ["SELECT count(*) AS n FROM n"])
    // `expectSame` has left the copy: what it gives back is compared as it was written.
    let back = try vault.run("export", "copy.db", "n", "--format", "json")
    #expect(back.output == (try vault.run("export", "vault.db", "n", "--format", "json")).output)
  }

  @Test func `full-text tables of all kinds keep their index`() throws {
    let vault = try Vault()
    let sql = """
      CREATE VIRTUAL TABLE plain USING fts4(a);
      INSERT INTO plain(docid, a) VALUES (40, 'hello');
      CREATE VIRTUAL TABLE outer_text USING fts4(a, content="doc");
      CREATE TABLE doc (id INTEGER PRIMARY KEY, a);
      INSERT INTO doc VALUES (9, 'hello outside');
      INSERT INTO outer_text(outer_text) VALUES ('rebuild');
      CREATE VIRTUAL TABLE none USING fts4(content="", a);
      INSERT INTO none(docid, a) VALUES (3, 'hello nobody');
      CREATE VIRTUAL TABLE terms USING fts4aux(plain);
      """
    let written = try vault.run("exec", "vault.db", sql)
    #expect(written.code == 0, "\(written.error)")
    try expectSame(
      vault, "vault.db",
      [
        "SELECT docid FROM plain WHERE plain MATCH 'hello'",
        "SELECT docid FROM outer_text WHERE outer_text MATCH 'outside'",
        "SELECT docid FROM none WHERE none MATCH 'nobody'", "SELECT DISTINCT term FROM terms",
      ])
  }

  @Test func `a transaction that a text leaves open isn't kept`() throws {
    let vault = try Vault()
    let run = try vault.run("exec", "vault.db", "BEGIN; DELETE FROM player")
    #expect(run.code == 1)
    #expect(run.error.contains("nothing of it is kept"), "\(run.error)")
    let failed = try vault.run("exec", "vault.db", "BEGIN; DELETE FROM player; SELEC; COMMIT")
    #expect(failed.code == 1)
    #expect(
      try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player").output == "n\r\n3\r\n")
  }
}
