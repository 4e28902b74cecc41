import CofferTestSupport
import Foundation
import Testing

/// What a person types in the shell on a terminal, and sees.
struct ShellSessions {
  /// A session: lines, each with what is then shown.
  struct Session: Sendable, CustomTestStringConvertible {
    let name: String
    var columns: UInt16 = 80
    var environment: [String: String] = [:]
    let steps: [(line: String, shown: String)]
    /// What must not be shown.
    var hidden: [String] = []
    var code: Int32 = 0
    /// Whether SQLCipher 3's SQLite is too old.
    var needs4 = false
    var testDescription: String { name }
  }

  private static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"

  private static let sessions: [Session] = [
    Session(name: "a greeting", steps: [(".quit", "")]),
    Session(name: "the rows of a table", steps: [("SELECT id, name FROM player;", "3 rows")]),
    Session(name: "one row", steps: [("SELECT 1 AS a;", "1 row")], hidden: ["1 rows"]),
    Session(name: "no row", steps: [("SELECT 1 AS a WHERE 0;", "0 rows")]),
    Session(name: "NULL and the text NULL", steps: [("SELECT NULL AS a, 'NULL' AS b;", "NULL")]),
    Session(name: "a blob", steps: [("SELECT photo FROM player WHERE id = 1;", "x'00ff'")]),
    Session(name: "an empty text", steps: [("SELECT '' AS a;", "│   │")]),
    Session(
      name: "wide characters", steps: [("SELECT '日本' AS a, 'é' AS b;", "│ 日本 │ é │")]),
    Session(name: "an emoji", steps: [("SELECT '👍' AS a;", "│ 👍 │")]),
    Session(
      name: "a combining accent", steps: [("SELECT 'e' || char(769) AS a;", "│ e\u{301} │")]),
    Session(
      name: "a control character stays out of the terminal",
      steps: [("SELECT 'a' || char(27) || '[2Jb' AS a;", "1 row")], hidden: ["\u{1B}[2J"]),
    Session(
      name: "lines in a value", steps: [("SELECT 'a' || char(10) || 'b' AS a;", "1 row")]),
    Session(
      name: "a very narrow window", columns: 20,
      steps: [("SELECT 'a long text that is cut' AS a;", "…")]),
    Session(
      name: "a window for one column of three", columns: 20,
      steps: [("SELECT 'aaaaaaaaaa' AS a, 'bbbbbbbbbb' AS b, 'cccccccccc' AS c;", "1 row")]),
    Session(name: "many statements in a line", steps: [("SELECT 1 AS a; SELECT 2 AS b;", "│ 2 │")]),
    Session(
      name: "a statement in three lines",
      steps: [
        ("SELECT", "...> "), ("  7 *", "...> "), ("  6 AS answer;", "│ 42"),
      ]),
    Session(
      name: "an open quote",
      steps: [
        ("SELECT 'one;", "...> "), ("two' AS a;", "1 row"),
      ]),
    Session(
      name: "an open comment",
      steps: [
        ("SELECT /* one;", "...> "), ("two */ 3 AS a;", "│ 3 │"),
      ]),
    Session(
      name: "a trigger's semicolons",
      steps: [
        ("CREATE TRIGGER t AFTER INSERT ON note BEGIN", "...> "),
        ("UPDATE note SET text = 'x';", "...> "), ("END;", "coffer> "), (".quit", ""),
      ]),
    Session(
      name: "an error, and going on",
      steps: [
        ("SELECT missing;", "no such column: missing"), ("SELECT 'on' AS a;", "│ on │"),
      ]),
    Session(
      name: "a syntax error", steps: [("SELEC 1;", "syntax error"), ("SELECT 5 AS a;", "│ 5 │")]),
    Session(name: "a missing table", steps: [("SELECT * FROM plyer;", "no such table: plyer")]),
    Session(
      name: "a constraint",
      steps: [
        ("INSERT INTO player(id) VALUES (1);", "UNIQUE constraint failed"),
        ("SELECT count(*) AS n FROM player;", "│ 3 │"),
      ]),
    Session(
      name: "a foreign key",
      steps: [
        ("INSERT INTO note(player) VALUES (99);", "FOREIGN KEY constraint failed")
      ]),
    Session(name: "changed rows", steps: [("UPDATE player SET score = 0;", "3 changed rows")]),
    Session(
      name: "one changed row",
      steps: [
        ("UPDATE player SET score = 0 WHERE id = 1;", "1 changed row")
      ]),
    Session(
      name: "a transaction that is committed",
      steps: [
        ("BEGIN;", "coffer*> "), ("DELETE FROM player WHERE id = 3;", "coffer*> "),
        ("COMMIT;", "coffer> "), ("SELECT count(*) AS n FROM player;", "│ 2 │"),
      ]),
    Session(
      name: "a transaction that is left open is rolled back",
      steps: [
        ("BEGIN;", "coffer*> "), ("DELETE FROM player;", "coffer*> "), (".quit", ""),
      ]),
    Session(
      name: "a savepoint in the prompt",
      steps: [
        ("SAVEPOINT s;", "coffer*> "), ("RELEASE s;", "coffer> "),
      ]),
    Session(
      name: "RETURNING",
      steps: [
        ("UPDATE player SET score = 9 WHERE id = 1 RETURNING name;", "│ Arthur Dent │")
      ],
      needs4: true),
    Session(name: "an unknown dot command", steps: [(".tabels", "did you mean .tables?")]),
    Session(name: ".help", steps: [(".help", ".timer")]),
    Session(name: ".tables", steps: [(".tables", "player")]),
    Session(name: ".schema", steps: [(".schema note", "REFERENCES player")]),
    Session(name: ".indexes", steps: [(".indexes note", "note_player")]),
    Session(name: ".keys", steps: [(".keys note", "-> player(id)")]),
    Session(
      name: ".mode json",
      steps: [
        (".mode json", "coffer> "), ("SELECT 1 AS a, NULL AS b;", #"[{"a":1,"b":null}]"#),
      ]),
    Session(
      name: ".mode lines",
      steps: [
        (".mode lines", "coffer> "), ("SELECT 1 AS a;", "a = 1"),
      ]),
    Session(
      name: ".mode markdown",
      steps: [
        (".mode markdown", "coffer> "), ("SELECT 1 AS a;", "|---|"),
      ]),
    Session(name: "a mode that doesn't exist", steps: [(".mode xml", "xml")]),
    Session(
      name: ".timer off",
      steps: [
        (".timer off", "coffer> "), ("SELECT 1 AS a;", "1 row"), (".timer on", "coffer> "),
        ("SELECT 1 AS a;", " ms"),
      ]),
    Session(
      name: ".plan",
      steps: [
        (".plan SELECT * FROM player", "full scan"),
        (".plan SELECT * FROM player WHERE id = 1", "SEARCH"),
      ]),
    Session(
      name: ".plan on",
      steps: [
        (".plan on", "coffer> "), ("SELECT name FROM player WHERE id = 1;", "SEARCH"),
      ]),
    Session(name: ".explain", steps: [(".explain SELECT 1", "ResultRow")]),
    Session(
      name: ".export and .import",
      steps: [
        (".export player rows.csv", "coffer> "), (".import rows.csv copy", "coffer> "),
        ("SELECT count(*) AS n FROM copy;", "│ 3 │"),
      ]),
    Session(name: ".read of a missing file", steps: [(".read none.sql", "none.sql")]),
    Session(
      name: ".open of a missing file",
      steps: [
        (".open none.db", "no such file"), ("SELECT count(*) AS n FROM player;", "│ 3 │"),
      ]),
    Session(
      name: "NO_COLOR", environment: ["NO_COLOR": "1"],
      steps: [
        ("SELECT NULL AS a;", "NULL"), ("SELECT missing;", "no such column"),
      ], hidden: ["\u{1B}["]),
    Session(
      name: "TERM=dumb", environment: ["TERM": "dumb"],
      steps: [
        ("SELECT NULL AS a;", "NULL"), ("SELECT 3 AS a;", "│ 3 │"),
      ]),
    Session(
      name: "a pager that ends early", environment: ["PAGER": "head -n 3"],
      steps: [
        (
          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT x FROM c;",
          "coffer> "
        ),
        ("SELECT 'still here' AS a;", "│ still here │"),
      ]),
    Session(
      name: "a pager that doesn't exist", environment: ["PAGER": "no-such-pager"],
      steps: [
        (
          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60) SELECT x FROM c;",
          "coffer> "
        ),
        ("SELECT 'still here' AS a;", "│ still here │"),
      ]),
    Session(
      name: "an empty line",
      steps: [("", "coffer> "), (";", "coffer> "), ("SELECT 1 AS a;", "│ 1 │")]),
    Session(name: "a comment only", steps: [("-- nothing", "> "), ("SELECT 1 AS a;", "│ 1 │")]),
    Session(
      name: "a long line",
      steps: [
        ("SELECT length('" + String(repeating: "x", count: 3000) + "') AS n;", "│ 3000 │")
      ]),
    Session(
      name: "PRAGMA key",
      steps: [
        ("PRAGMA key = 'secret';", "coffer> "), ("SELECT count(*) AS n FROM player;", "│ 3 │"),
      ]),
  ]

  @Test(arguments: sessions.filter { !$0.needs4 || !Vault.isSQLCipher3 })
  func `a session shows what it should, and ends well`(session: Session) throws {
    let vault = try Vault()
    let terminal = try TerminalProcess(
      ["vault.db", "--key-file", "key"], in: vault.folder, columns: session.columns,
      environment: session.environment)
    #expect(terminal.read(until: "coffer> ") != nil)
    for (line, shown) in session.steps {
      terminal.type(line: line)
      // The terminal shows the line itself first.
      #expect(terminal.read(until: "\n") != nil)
      if !shown.isEmpty { #expect(terminal.read(until: shown) != nil, "\(terminal.shown)") }
    }
    let last = try #require(session.steps.last)
    if last.line != ".quit" {
      // What ends the input does so only where a line is read.
      if !last.shown.hasSuffix("> ") { #expect(terminal.read(until: "coffer> ") != nil) }
      terminal.type("\u{4}")
    }
    let end = terminal.finish()
    #expect(end.code == session.code)
    for text in session.hidden { #expect(!terminal.shown.contains(text)) }
    #expect(!terminal.shown.contains(Vault.marker))
    if session.name.contains("rolled back") {
      let run = try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player")
      #expect(run.output == "n\r\n3\r\n")
    }
  }

  @Test func `a pipe is read as it is`() throws {
    let vault = try Vault()
    func run(_ input: String) throws -> ToolRun { try vault.run("shell", "vault.db", input: input) }
    let commands = try run(
      "SELECT 1 AS a; -- one\n/* two */\r\n.mode json\r\nSELECT 2 AS b;\r\n")
    #expect(commands.output.hasSuffix("[{\"b\":2}]\n"), "\(commands.output)\(commands.error)")
    let text = try run(".mode json\nSELECT hex('a\r\nb') AS h;\n")
    #expect(text.output == "[{\"h\":\"610D0A62\"}]\n", "\(text.output)")
    // A statement of many lines is read once.
    let lines = String(repeating: "line; -- x\n", count: 20_000)
    let long = try run(".mode tabs\nSELECT length('\(lines)') AS n;\n")
    #expect(long.output == "n\n\(lines.utf8.count)\n", "\(long.error)")
    let bytes = try vault.bash(
      "printf \"SELECT '\\\\xff';\\n\" | $coffer shell vault.db --key-file key")
    #expect(bytes.code != 0)
    #expect(bytes.error.contains("UTF-8"), "\(bytes.error)")
    let parameter = try run("SELECT :a;\n")
    #expect(parameter.error.contains("the shell has no parameters"), "\(parameter.error)")
  }

  @Test(arguments: [
    "\(endless) count(*) FROM c;", "\(endless) x FROM c;",
    "CREATE TABLE big AS \(endless) x FROM c;",
    ".explain \(endless) x FROM c", ".read endless.sql", ".export endless out.csv",
  ])
  func `Ctrl-C ends what runs, and the shell goes on`(line: String) throws {
    let vault = try Vault()
    try vault.write("\(Self.endless) count(*) FROM c;\n", to: "endless.sql")
    _ = try vault.run("exec", "vault.db", "CREATE VIEW endless AS \(Self.endless) x FROM c")
    let terminal = try TerminalProcess(
      ["vault.db", "--key-file", "key"], in: vault.folder, environment: ["PAGER": "cat >/dev/null"])
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type(line: line)
    #expect(terminal.read(until: "\n") != nil)
    // The second one is for a statement that hadn't begun when the first one came.
    for _ in 0..<2 {
      usleep(100_000)
      terminal.type("\u{3}")
    }
    terminal.type(line: "SELECT 'still ' || 'here' AS a;")
    #expect(terminal.read(until: "still here") != nil, "\(terminal.shown)")
    terminal.type(line: "SELECT count(*) || ' players' AS a FROM player;")
    #expect(terminal.read(until: "3 players") != nil)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
    #expect(!(try vault.folder.contents()).contains("out.csv"))
    let tables = try vault.run("tables", "vault.db")
    #expect(!tables.output.contains("big"))
  }
}

/// Ctrl-C in the commands that take long.
struct InterruptionScenarios {
  @Test func `Ctrl-C ends an import that waits for its source, and inserts nothing`() throws {
    let vault = try Vault()
    #expect(mkfifo(vault.folder.path("rows.csv"), 0o600) == 0)
    let terminal = try TerminalProcess(
      ["import", "vault.db", "player", "rows.csv", "--key-file", "key"], in: vault.folder)
    let pipe = open(vault.folder.path("rows.csv"), O_WRONLY)
    defer { close(pipe) }
    let rows = "id,name\n7,a\n8,b\n"
    signal(SIGPIPE, SIG_IGN)
    #expect(write(pipe, rows, rows.utf8.count) == rows.utf8.count)
    terminal.type("\u{3}")
    #expect(terminal.finish().code == 130)
    let run = try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player")
    #expect(run.output == "n\r\n3\r\n")
  }

  @Test(arguments: [
    ["query", "vault.db", "SELECT * FROM big"], ["export", "vault.db", "big"],
    ["dump", "vault.db", "--yes"],
  ])
  func `Ctrl-C ends output that nobody reads`(arguments: [String]) throws {
    let vault = try Self.bigVault()
    let terminal = try TerminalProcess(
      arguments + ["--key-file", "key"], in: vault.folder, environment: ["PAGER": ""])
    #expect(terminal.read(until: "00") != nil)
    terminal.type("\u{3}")
    #expect(terminal.finish().code == 130)
  }

  /// Each is interrupted as soon as it shows something; a fast machine may be done before.
  @Test func `Ctrl-C in a whole-file command leaves the old file or the new one`() throws {
    let commands: [[String]] = [
      ["check", "vault.db"], ["decrypt", "vault.db", "new.db", "--yes"],
      ["backup", "vault.db", "new.db"], ["convert", "vault.db", "new.db", "--new-key-file", "key"],
      ["rekey", "vault.db", "--new-key-file", "other.key"],
      ["diff", "vault.db", "copy.db", "--new-key-file", "key"],
    ]
    for arguments in commands {
      let vault = try Self.bigVault()
      try vault.write(String(repeating: "1f", count: 32), to: "other.key")
      try FileManager.default.copyItem(atPath: vault.path, toPath: vault.folder.path("copy.db"))
      let terminal = try TerminalProcess(arguments + ["--key-file", "key"], in: vault.folder)
      usleep(150_000)
      terminal.type("\u{3}")
      let end = terminal.finish()
      #expect([0, 130].contains(end.code), "\(arguments): \(terminal.shown)")
      let isDone = end.code == 0
      let names = try vault.folder.contents()
      #expect(!names.contains { $0.contains("partial") }, "\(names)")
      // A journal is what rolls an interrupted change of the key back, at the next opening.
      #expect(arguments[0] == "rekey" || !names.contains("vault.db-journal"), "\(names)")
      #expect(names.contains("new.db") == (isDone && arguments.contains("new.db")))
      let key = isDone && arguments[0] == "rekey" ? "other.key" : "key"
      let run = try vault.runPlain(
        "query", "vault.db", "SELECT count(*) AS n FROM big", "--key-file", key)
      #expect(run.output == "n\r\n3000\r\n", "\(arguments): \(run.error)")
    }
  }

  private static func bigVault() throws -> Vault {
    let vault = try Vault()
    let run = try vault.run(
      "exec", "vault.db",
      """
      CREATE TABLE big (id INTEGER PRIMARY KEY, data);
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000)
      INSERT INTO big SELECT x, zeroblob(8000) FROM c
      """)
    #expect(run.code == 0)
    return vault
  }
}
