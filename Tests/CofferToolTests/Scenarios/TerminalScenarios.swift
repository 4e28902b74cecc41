import Foundation
import Testing

struct TerminalScenarios {
  /// A vault with a passphrase.
  private func makeVault() throws -> Vault {
    let vault = try Vault()
    #expect(try vault.runPlain("create", "p.db", "--passphrase-file", "passphrase").code == 0)
    return vault
  }

  @Test func `a new passphrase is asked for twice, without an echo`() throws {
    let vault = try Vault()
    let terminal = try TerminalProcess(["create", "new.db"], in: vault.folder)
    #expect(terminal.read(until: "New passphrase of new.db> ") != nil)
    terminal.type(line: "first secret")
    let strength = try #require(terminal.read(until: "The same again> "))
    #expect(strength.contains("words"))
    terminal.type(line: "second secret")
    #expect(terminal.read(until: "different") != nil)
    for _ in 0..<2 {
      #expect(terminal.read(until: "> ") != nil)
      terminal.type(line: "sesame open marker")
    }
    #expect(terminal.finish().code == 0)
    #expect(!terminal.shown.contains("secret") && !terminal.shown.contains("sesame"))
    let run = try vault.runPlain("tables", "new.db", "--passphrase-file", "passphrase")
    #expect(run.code == 0)
  }

  @Test func `a wrong passphrase can be given three times`() throws {
    let vault = try makeVault()
    let terminal = try TerminalProcess(["tables", "p.db"], in: vault.folder)
    for _ in 0..<3 {
      #expect(terminal.read(until: "Passphrase of p.db> ") != nil)
      terminal.type(line: "wrong")
    }
    let end = terminal.finish()
    #expect(end.code == 77)
    #expect(end.rest.contains("coffer: p.db: the key is wrong"))
    let second = try TerminalProcess(["tables", "p.db"], in: vault.folder)
    for answer in ["wrong", "sesame open marker"] {
      #expect(second.read(until: "> ") != nil)
      second.type(line: answer)
    }
    #expect(second.finish().code == 0)
  }

  @Test func `Ctrl-C at the prompt ends the tool`() throws {
    let vault = try makeVault()
    let terminal = try TerminalProcess(["tables", "p.db"], in: vault.folder)
    #expect(terminal.read(until: "> ") != nil)
    terminal.type("\u{3}")
    #expect(terminal.finish().code == 130)
  }

  @Test func `plaintext is only written after a yes`() throws {
    let vault = try Vault()
    for (answer, code) in [("n", 1), ("", 1), ("yes", 0)] as [(String, Int32)] {
      let terminal = try TerminalProcess(
        ["decrypt", "vault.db", "plain.db", "--key-file", "key"], in: vault.folder)
      #expect(terminal.read(until: "> ") != nil)
      terminal.type(line: answer)
      #expect(terminal.finish().code == code)
      #expect(try vault.folder.contents().contains("plain.db") == (code == 0))
    }
  }

  private func shell(_ vault: Vault, columns: UInt16 = 80, environment: [String: String] = [:])
    throws
    -> TerminalProcess
  {
    let terminal = try TerminalProcess(
      ["vault.db", "--key-file", "key"], in: vault.folder, columns: columns,
      environment: environment)
    #expect(terminal.read(until: "coffer> ") != nil)
    return terminal
  }

  @Test func `a statement has several lines and ends with a semicolon`() throws {
    let vault = try Vault()
    let terminal = try shell(vault)
    terminal.type(line: "SELECT 'a;b' AS one, -- not; the end")
    #expect(terminal.read(until: "...> ") != nil)
    terminal.type(line: "2 AS two;")
    #expect(terminal.read(until: "│ a;b │ 2   │") != nil)
    #expect(terminal.read(until: "1 row") != nil)
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type("\u{4}")
    #expect(terminal.finish().code == 0)
  }

  @Test func `the prompt shows a transaction`() throws {
    let vault = try Vault()
    let terminal = try shell(vault)
    terminal.type(line: "BEGIN;")
    #expect(terminal.read(until: "coffer*> ") != nil)
    terminal.type(line: "DELETE FROM player;")
    #expect(terminal.read(until: "3 changed rows") != nil)
    #expect(terminal.read(until: "coffer*> ") != nil)
    terminal.type(line: "ROLLBACK;")
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
    #expect(
      try vault.run("query", "vault.db", "SELECT count(*) AS n FROM player").output == "n\r\n3\r\n")
  }

  @Test func `Ctrl-C ends the statement or the line, and not the shell`() throws {
    let vault = try Vault()
    let terminal = try shell(vault)
    terminal.type(
      line:
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;")
    #expect(terminal.read(until: "\n") != nil)
    // The statement begins after its line is shown.
    terminal.type("\u{3}")
    #expect(terminal.read(until: "coffer> ") != nil, "\(terminal.shown)")
    terminal.type(line: "SELECT 1 +")
    #expect(terminal.read(until: "...> ") != nil)
    terminal.type("\u{3}")
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type(line: "SELECT 'still ' || 'here' AS a;")
    #expect(terminal.read(until: "still here") != nil)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
  }

  @Test func `a box fits a narrow window, and a new size`() throws {
    let vault = try Vault()
    let terminal = try shell(vault, columns: 40)
    let sql =
      "SELECT 1 AS id, '日本語のテキストはとても長いので切られます、たぶん' AS name, NULL AS n, 'NULL' AS s;"
    terminal.type(line: sql)
    #expect(terminal.read(until: "┌") != nil)
    let box = try #require(terminal.read(until: "┘"))
    #expect(box.contains("…"))
    for line in box.split(separator: "\r\n").dropFirst() where line.contains("│") {
      let text = line.replacing("\u{1B}[2m", with: "").replacing("\u{1B}[0m", with: "")
      let width = text.unicodeScalars.reduce(0) {
        $0 + ((0x2E80...0xFFEF).contains($1.value) ? 2 : 1)
      }
      #expect(width <= 40)
    }
    terminal.resize(columns: 100)
    terminal.type(line: sql)
    #expect(terminal.read(until: "┌") != nil)
    #expect(terminal.read(until: "┘")?.contains("…") == false)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
  }

  @Test func `NO_COLOR leaves out all escapes`() throws {
    let vault = try Vault()
    let terminal = try shell(vault, environment: ["NO_COLOR": "1"])
    terminal.type(line: "SELECT NULL AS a;")
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
    #expect(!terminal.shown.contains("\u{1B}[2m"))
  }

  @Test func `what is longer than the window goes through the pager`() throws {
    let vault = try Vault()
    let terminal = try shell(vault, environment: ["PAGER": "sed s/^/PAGED:/"])
    terminal.type(
      line:
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60) SELECT x FROM c;"
    )
    #expect(terminal.read(until: "PAGED:│ 60") != nil)
    #expect(terminal.read(until: "60 rows") != nil)
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
  }

  @Test func `a script in a pipe prints data only, goes on after an error, and ends with 1`() throws
  {
    let vault = try Vault()
    let good = try vault.run(
      "vault.db", input: ".mode ndjson\nSELECT 1 AS a;\nSELECT 2 AS a; SELECT 3\nAS a\n")
    #expect(good.output == "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n")
    #expect(good.error == "")
    #expect(good.code == 0)
    let bad = try vault.run("shell", "vault.db", input: "SELEC;\nSELECT 1 AS a;\n")
    #expect(bad.output == "a\r\n1\r\n")
    #expect(bad.hasOneErrorLine)
    #expect(bad.code == 1)
  }

  @Test(arguments: [
    (".tables", "best\nnote\nplayer\n"), (".indexes", "note_player\n"), (".indexes player", ""),
    (".schema player", Vault.playerSQL + ";\n"), (".mode", "csv\n"),
    (".keys note", "primary key (id)\nforeign key (player) -> player(id)\n"),
    (".export player out.ndjson\n.read commands.sql", "n\r\n3\r\n"),
    (".plan SELECT * FROM player", "QUERY PLAN\n└─ SCAN player   <- full scan\n"),
    (".import rows.csv fresh\nSELECT * FROM fresh;", "a,b\r\n1,x\r\n"),
    (".open other.db\n.tables", ""), (".timer on\n.timer off", ""),
    (
      "CREATE TRIGGER t AFTER INSERT ON note BEGIN SELECT 1; SELECT 2; END; SELECT 1 AS a;",
      "a\r\n1\r\n"
    ),
    ("SELECT 1 AS \"a;b\" /* ; */;", "a;b\r\n1\r\n"),
  ])
  func `dot commands do what they say`(input: String, output: String) throws {
    let vault = try Vault()
    try vault.write("SELECT count(*) AS n FROM player;\n", to: "commands.sql")
    try vault.write("a,b\n1,x\n", to: "rows.csv")
    _ = try vault.run("decrypt", "vault.db", "plain.db", "--yes")
    _ = try vault.runPlain("exec", "plain.db", "DROP VIEW best; DROP TABLE note; DROP TABLE player")
    try FileManager.default.moveItem(
      atPath: vault.folder.path("plain.db"), toPath: vault.folder.path("other.db"))
    let run = try vault.run("vault.db", input: input + "\n")
    #expect(run.output.replacing("SCAN TABLE", with: "SCAN") == output)
    #expect(run.error == "")
    #expect(run.code == 0)
  }

  @Test(arguments: [
    ".foo", ".tabels", ".mode xml", ".keys", ".open none.db", ".read none.sql", ".timer maybe",
  ])
  func `a dot command that fails says so`(input: String) throws {
    let vault = try Vault()
    let run = try vault.run("vault.db", input: input + "\n")
    #expect(run.code == 1)
    #expect(run.hasOneErrorLine)
  }
}
