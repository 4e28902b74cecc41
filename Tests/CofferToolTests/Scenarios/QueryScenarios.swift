import Testing

@testable import CofferToolKit

struct QueryScenarios {
  @Test(arguments: [
    ("csv", "id,name,score,photo\r\n1,\"Arthur Dent\",1.5,AP8=\r\n2,,3.0,\r\n3,\"\",0.1,\"\"\r\n"),
    ("tabs", "id\tname\tscore\tphoto\n1\tArthur Dent\t1.5\tAP8=\n2\t\t3.0\t\n3\t\"\"\t0.1\t\"\"\n"),
    (
      "json",
      """
      [{"id":1,"name":"Arthur Dent","score":1.5,"photo":"AP8="},\
      {"id":2,"name":null,"score":3.0,"photo":null},{"id":3,"name":"","score":0.1,"photo":""}]

      """
    ),
    (
      "ndjson",
      """
      {"id":1,"name":"Arthur Dent","score":1.5,"photo":"AP8="}
      {"id":2,"name":null,"score":3.0,"photo":null}
      {"id":3,"name":"","score":0.1,"photo":""}

      """
    ),
    (
      "box",
      """
      ┌────┬─────────────┬───────┬─────────┐
      │ id │    name     │ score │  photo  │
      ├────┼─────────────┼───────┼─────────┤
      │ 1  │ Arthur Dent │ 1.5   │ x'00ff' │
      │ 2  │ NULL        │ 3.0   │ NULL    │
      │ 3  │             │ 0.1   │ x''     │
      └────┴─────────────┴───────┴─────────┘

      """
    ),
    (
      "table",
      """
      +----+-------------+-------+---------+
      | id |    name     | score |  photo  |
      +----+-------------+-------+---------+
      | 1  | Arthur Dent | 1.5   | x'00ff' |
      | 2  | NULL        | 3.0   | NULL    |
      | 3  |             | 0.1   | x''     |
      +----+-------------+-------+---------+

      """
    ),
    (
      "markdown",
      """
      | id |    name     | score |  photo  |
      |----|-------------|-------|---------|
      | 1  | Arthur Dent | 1.5   | x'00ff' |
      | 2  | NULL        | 3.0   | NULL    |
      | 3  |             | 0.1   | x''     |

      """
    ),
    (
      "lines",
      """
         id = 1
       name = Arthur Dent
      score = 1.5
      photo = x'00ff'

         id = 2
       name = NULL
      score = 3.0
      photo = NULL

         id = 3
       name = 
      score = 0.1
      photo = x''

      """
    ),
  ])
  func `each mode has its form`(mode: String, text: String) throws {
    let vault = try Vault()
    let run = try vault.run("query", "vault.db", "SELECT * FROM player", "--mode", mode)
    #expect(run.output == text)
    #expect(run.error == "")
    #expect(run.code == 0)
  }

  @Test func `a pipe gets csv, and a terminal a box`() throws {
    let vault = try Vault()
    #expect(try vault.run("query", "vault.db", "SELECT 1 AS a").output == "a\r\n1\r\n")
    let terminal = try TerminalProcess(
      ["query", "vault.db", "SELECT 1 AS a", "--key-file", "key"], in: vault.folder)
    #expect(terminal.read(until: "└───┘") != nil)
    #expect(terminal.finish().code == 0)
  }

  @Test func `parameters are bound, and SQL can come from standard input`() throws {
    let vault = try Vault()
    let sql = "SELECT typeof(:a) || :a AS a, typeof($b) AS b, typeof(@c) AS c"
    let run = try vault.run(
      "query", "vault.db", "-", "--param", "a=7", "--param", "b=007", "--param", "@c=1.5",
      input: sql)
    #expect(run.output == "a,b,c\r\ninteger7,text,real\r\n")
    let tricky = try vault.run(
      "query", "vault.db", "SELECT :x AS x", "--param", "x=' OR 1=1; DROP TABLE player; --=")
    #expect(tricky.output.contains("' OR 1=1; DROP TABLE player; --="))
  }

  @Test(arguments: [
    ("SELEC 1", 1), ("SELECT * FROM plaier", 1), ("DELETE FROM player", 1), ("SELECT :x", 1),
    ("PRAGMA user_version = 3", 1), ("SELECT 1; SELECT 2", 2), ("-- nothing", 2),
    ("INSERT INTO player(id) VALUES (9) RETURNING id", 1),
  ])
  func `what isn't one query that reads is refused, and changes nothing`(
    sql: String, code: Int32
  ) throws {
    let vault = try Vault()
    let before = try vault.contents(of: "vault.db")
    let run = try vault.run("query", "vault.db", sql)
    #expect(run.code == code)
    #expect(run.output == "")
    #expect(run.hasOneErrorLine)
    #expect(try vault.contents(of: "vault.db") == before)
  }

  @Test func `exec counts the changed rows of all its statements`() throws {
    let vault = try Vault()
    let run = try vault.run(
      "exec", "vault.db",
      "UPDATE player SET score = 0; CREATE TABLE x(a); DELETE FROM player WHERE id > :id",
      "--param", "id=1")
    #expect(run.output == "5\n")
    #expect(run.code == 0)
  }

  @Test func `exec does all or nothing`() throws {
    let vault = try Vault()
    let run = try vault.run("exec", "vault.db", "DELETE FROM player; INSERT INTO player VALUES (1)")
    #expect(run.code == 1)
    #expect(run.output == "")
    #expect(run.hasOneErrorLine)
    let count = try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player")
    #expect(count.output == "n\r\n3\r\n")
  }

  @Test func `tables, schema and stats look`() throws {
    let vault = try Vault()
    #expect(try vault.run("tables", "vault.db").output == "best\nnote\nplayer\n")
    let schema = try vault.run("schema", "vault.db").output
    #expect(schema.hasPrefix(Vault.playerSQL + ";\n"))
    #expect(schema.contains("CREATE VIEW best"))
    #expect(
      try vault.run("schema", "vault.db", "note").lines.map { $0.prefix(12) } == [
        "CREATE TABLE", "CREATE INDEX",
      ])
    let missing = try vault.run("schema", "vault.db", "plaier")
    #expect(missing.code == 1)
    #expect(missing.error.contains("did you mean player?"))
    let stats = try vault.run("stats", "vault.db")
    #expect(stats.lines.first == "table\trows\tbytes")
    #expect(stats.lines.contains { $0.hasPrefix("player\t3\t") })
  }

  @Test func `a plan is a tree that marks full scans and proposes an index`() throws {
    let vault = try Vault()
    let scan = try vault.run("plan", "vault.db", "SELECT * FROM note WHERE text = ?")
    #expect(scan.lines.first == "QUERY PLAN")
    #expect(scan.output.contains("<- full scan"))
    #expect(scan.lines.last == "An index for it: CREATE INDEX note_text ON note(text);")
    let search = try vault.run("plan", "vault.db", "SELECT * FROM note WHERE player = 1")
    #expect(search.output.contains("└─ SEARCH"))
    #expect(!search.output.contains("An index"))
    #expect(try vault.run("plan", "vault.db", "SELEC").code == 1)
  }

  @Test func `tables beside a full-text table that are named as its own are the user's`() throws {
    let vault = try Vault()
    let sql = """
      CREATE VIRTUAL TABLE memo USING fts4(text);
      INSERT INTO memo VALUES ('one two');
      CREATE TABLE memo_data (a);
      CREATE TABLE memo_node (a);
      INSERT INTO memo_data VALUES (1);
      INSERT INTO memo_node VALUES (2);
      CREATE TABLE doc_content (id INTEGER PRIMARY KEY, body TEXT);
      INSERT INTO doc_content VALUES (7, 'three four');
      CREATE VIRTUAL TABLE doc USING fts4(body, content="doc_content");
      """
    let written = try vault.run("exec", "vault.db", sql)
    #expect(written.code == 0, "\(written.output)\(written.error)")
    let dump = try vault.run("dump", "vault.db", "--yes").output
    for row in [
      #""memo_data"("a") VALUES(1)"#, #""memo_node"("a") VALUES(2)"#,
      #""doc_content"("id","body") VALUES(7,'three four')"#,
    ] { #expect(dump.contains(row), "\(dump)") }
    let tables = Set(try vault.run("tables", "vault.db").lines)
    #expect(tables.isSuperset(of: ["memo", "memo_data", "memo_node", "doc", "doc_content"]))
    #expect(!tables.contains("memo_segments"))
  }

  @Test func `search finds text with an index and without one`() throws {
    let vault = try Vault()
    let plain = try vault.run("search", "vault.db", "player", "arth", "--mode", "ndjson")
    #expect(plain.lines.count == 1)
    _ = try vault.run(
      "exec", "vault.db",
      "CREATE VIRTUAL TABLE t USING fts4(x); INSERT INTO t VALUES ('one two'), ('three')")
    let text = try vault.run("search", "vault.db", "t", "two", "--mode", "ndjson")
    #expect(text.output == "{\"x\":\"one two\"}\n")
    #expect(try vault.run("search", "vault.db", "none", "x").code == 1)
  }

  @Test func `search uses the index that is there, and finds what is computed`() throws {
    let vault = try Vault()
    let sql = """
      CREATE TABLE "my doc" (id INTEGER PRIMARY KEY, a);
      INSERT INTO "my doc" VALUES (5, 'hello world'), (6, 'other');
      CREATE VIRTUAL TABLE words USING fts4(a, content="my doc");
      INSERT INTO words(words) VALUES ('rebuild');
      CREATE TABLE "É" (a); CREATE TABLE "é" (a);
      INSERT INTO "é" VALUES ('hello');
      """
    let written = try vault.run("exec", "vault.db", sql)
    #expect(written.code == 0, "\(written.error)")
    func found(_ table: String, _ pattern: String) throws -> [String] {
      try vault.run("search", "vault.db", table, pattern, "--mode", "tabs").lines
    }
    // Only an index knows what a star means.
    #expect(try found("my doc", "wor*") == ["id\ta", "5\thello world"])
    #expect(try found("é", "hello") == ["a", "hello"])
    #expect(try found("É", "hello").count == 1)
  }

  @Test func `texts are compared by their bytes`() throws {
    let vault = try Vault()
    for (name, values) in [("a", "x'ff'"), ("b", "x'fe'"), ("c", "'é'"), ("d", "'e\u{301}'")] {
      _ = try vault.bash("$coffer create \(name).db --key-file key")
      let run = try vault.run(
        "exec", "\(name).db", "CREATE TABLE t (v); INSERT INTO t VALUES (CAST(\(values) AS TEXT))")
      #expect(run.code == 0, "\(run.error)")
    }
    #expect(try vault.run("diff", "a.db", "b.db").code == 3)
    #expect(try vault.run("diff", "c.db", "d.db").code == 3)
    #expect(try vault.run("diff", "a.db", "a.db").code == 0)
  }

  @Test func `a dump makes the same database again`() throws {
    let vault = try Vault()
    let refused = try vault.run("dump", "vault.db")
    #expect(refused.code == 2)
    #expect(refused.output == "")
    let dump = try vault.run("dump", "vault.db", "--yes")
    #expect(dump.lines.first == "PRAGMA foreign_keys=OFF;")
    #expect(dump.lines.last == "COMMIT;")
    #expect(try vault.runPlain("create", "copy.db", "--key-file", "key").code == 0)
    #expect(
      try vault.run("shell", "copy.db", input: dump.output).error == "")
    let diff = try vault.run("diff", "vault.db", "copy.db")
    #expect(diff.output == "")
    #expect(diff.code == 0)
    #expect(try vault.run("dump", "vault.db", "--yes", "--output", "d.sql").output == "")
    #expect(try vault.contents(of: "d.sql").count == dump.output.utf8.count)
  }
}
