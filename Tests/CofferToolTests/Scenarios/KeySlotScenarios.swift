import Coffer
import Foundation
import Testing

struct KeySlotScenarios {
  /// What `made()` copies, since making slots takes time.
  private static let template = Result {
    let vault = try Vault()
    let run = try vault.runPlain(
      "create", "s.db", "--slots", "--label", "Ada", "--passphrase-file", "passphrase")
    #expect(run.code == 0, "\(run.error)")
    let filled = try vault.runPlain(
      "exec", "s.db", "CREATE TABLE t (a); INSERT INTO t VALUES (7)", "--passphrase-file",
      "passphrase")
    #expect(filled.code == 0, "\(filled.error)")
    vault.folder.staysUntilExit()
    return vault
  }

  /// A vault whose file `s.db` has slots; the passphrase file opens the first.
  private func made() throws -> Vault {
    let vault = try Vault()
    let template = try Self.template.get()
    for name in ["s.db", "s.db-keys"] {
      try FileManager.default.copyItem(
        atPath: template.folder.path(name), toPath: vault.folder.path(name))
    }
    return vault
  }

  private func opens(_ vault: Vault, _ options: String...) throws -> Bool {
    let words = ["query", "s.db", "SELECT a FROM t"] + options
    let run = try runTool(words, in: vault.folder)
    #expect(run.code == 0 || run.hasOneErrorLine, "\(run.error)")
    #expect(run.code == 0 || run.code == 77, "\(run.error)")
    return run.output == "a\r\n7\r\n"
  }

  @Test func `slots are added, changed, listed and removed`() throws {
    let vault = try made()
    #expect(try vault.folder.contents().contains("s.db-keys"))
    let added = try vault.runPlain(
      "key", "add", "s.db", "--passphrase-file", "passphrase", "--new-key-file", "key", "--label",
      "service")
    #expect(added.code == 0 && added.output == "", "\(added.error)")
    #expect(try opens(vault, "--passphrase-file", "passphrase"))
    #expect(try opens(vault, "--key-file", "key"))
    #expect(try !opens(vault, "--passphrase-file", "other"))
    let changed = try vault.runPlain(
      "key", "change", "s.db", "--passphrase-file", "passphrase", "--new-passphrase-file", "other")
    #expect(changed.code == 0, "\(changed.error)")
    #expect(try !opens(vault, "--passphrase-file", "passphrase"))
    #expect(try opens(vault, "--passphrase-file", "other"))

    let list = try vault.runPlain("key", "list", "s.db", "--json")
    let slots = try #require(
      JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
    #expect(slots.map { $0["id"] as? Int } == [1, 2])
    #expect(slots.map { $0["label"] as? String } == ["Ada", "service"])
    #expect(slots.map { $0["kind"] as? String } == ["passphrase", "file"])
    let created = try #require(slots.first?["created"] as? String)
    #expect(try Date(created, strategy: .iso8601).timeIntervalSinceNow > -600)
    let table = try vault.runPlain("key", "list", "s.db")
    #expect(table.output.contains("service") && table.lines.count == 4)

    let removed = try vault.runPlain(
      "key", "remove", "s.db", "1", "--key-file", "key")
    #expect(removed.code == 0, "\(removed.error)")
    #expect(try !opens(vault, "--passphrase-file", "other"))
    let last = try vault.runPlain("key", "remove", "s.db", "2", "--key-file", "key")
    #expect(last.code == 1 && last.hasOneErrorLine)
    #expect(try opens(vault, "--key-file", "key"))
  }

  @Test func `a recovery key is alone on its line, and opens the file`() throws {
    let vault = try made()
    let run = try vault.bash(
      "$coffer key recovery s.db --passphrase-file passphrase >recovery; cat recovery")
    #expect(run.code == 0 && run.lines.count == 1)
    let key = try #require(run.lines.first)
    #expect(key.count == 47 && key.split(separator: "-").count == 8)
    #expect(try opens(vault, "--recovery-key-file", "recovery"))
    let changed = try vault.runPlain(
      "key", "change", "s.db", "1", "--recovery-key-file", "recovery", "--new-passphrase-file",
      "other")
    #expect(changed.code == 0, "\(changed.error)")
    #expect(try opens(vault, "--passphrase-file", "other"))
    // The third group is mistyped.
    var groups = key.split(separator: "-").map(String.init)
    groups[2] = groups[2] == "00000" ? "11111" : "00000"
    try vault.write(groups.joined(separator: "-") + "\n", to: "mistyped")
    let mistyped = try vault.runPlain(
      "query", "s.db", "SELECT 1", "--recovery-key-file", "mistyped")
    #expect(mistyped.code == 77 && mistyped.error.contains("Group 3"), "\(mistyped.error)")
  }

  @Test func `the exported key opens the file, also in SQLCipher's own shell`() throws {
    let vault = try made()
    #expect(
      try vault.runPlain("key", "export", "s.db", "--passphrase-file", "passphrase").code == 2)
    let run = try vault.bash(
      "$coffer key export s.db --yes --passphrase-file passphrase >exported; cat exported")
    #expect(run.code == 0 && run.lines.count == 1 && run.lines[0].count == 64)
    #expect(run.lines[0].allSatisfy { $0.isHexDigit })
    #expect(try opens(vault, "--key-file", "exported"))
    try FileManager.default.removeItem(atPath: vault.folder.path("s.db-keys"))
    #expect(try opens(vault, "--key-file", "exported"))
    let shell = ProcessInfo.processInfo.environment["COFFER_SQLCIPHER_SHELL"] ?? ""
    guard access(shell, X_OK) == 0 else { return }
    let stock = try vault.bash(
      "printf \"PRAGMA key = \\\"x'$(cat exported)'\\\"; SELECT a FROM t;\" | \(shell) s.db")
    #expect(stock.output.hasSuffix("7\n"), "\(stock.error)")
  }

  @Test func `a file gets slots, and a new data key`() throws {
    let vault = try Vault()
    let enabled = try vault.runPlain(
      "key", "enable", "vault.db", "--key-file", "key", "--new-passphrase-file", "passphrase",
      "--label", "Ada")
    #expect(enabled.code == 0, "\(enabled.error)")
    let sql = "SELECT count(*) AS n FROM player"
    #expect(try vault.run("query", "vault.db", sql).code == 77)
    let read = try vault.runPlain("query", "vault.db", sql, "--passphrase-file", "passphrase")
    #expect(read.output == "n\r\n3\r\n")
    let again = try vault.runPlain(
      "key", "enable", "vault.db", "--passphrase-file", "passphrase")
    #expect(again.code == 73 && again.hasOneErrorLine)
    // A new data key takes the other slots away, which has to be said.
    _ = try vault.runPlain(
      "key", "add", "vault.db", "--passphrase-file", "passphrase", "--new-key-file", "key")
    let words = ["rekey", "vault.db", "--key-file", "key", "--new-passphrase-file", "other"]
    #expect(try runTool(words, in: vault.folder).code == 2)
    #expect(try runTool(words + ["--yes"], in: vault.folder).code == 0)
    let list = try vault.runPlain("key", "list", "vault.db", "--json")
    #expect(list.output.contains("\"Ada\"") && !list.output.contains("},{"))
    #expect(
      try vault.runPlain("query", "vault.db", sql, "--passphrase-file", "other").output
        == "n\r\n3\r\n")
  }

  @Test func `a file without slots is told how to get some`() throws {
    let vault = try Vault()
    let list = try vault.runPlain("key", "list", "vault.db")
    #expect(list.code == 66)
    #expect(list.error.contains("coffer key enable"), "\(list.error)")
    let label = try vault.runPlain("create", "new.db", "--key-file", "key", "--label", "Ada")
    #expect(label.code == 2)
    #expect(try vault.runPlain("create", ":memory:", "--key-file", "key").code == 2)
  }

  @Test func `a change of the key that was interrupted locks nobody out`() throws {
    let vault = try made()
    let rename = FileManager.default.moveItem(atPath:toPath:)
    // Before the slots got their name, and after the key was changed.
    try rename(vault.folder.path("s.db-keys"), vault.folder.path("s.db-keys-next"))
    #expect(try opens(vault, "--passphrase-file", "passphrase"))
    #expect(try vault.folder.contents().contains("s.db-keys"))
    // Before the key was changed.
    try rename(vault.folder.path("s.db-keys"), vault.folder.path("vault.db-keys-next"))
    let sql = "SELECT count(*) AS n FROM player"
    #expect(try vault.run("query", "vault.db", sql).output == "n\r\n3\r\n")
  }

  @Test func `a backup and a conversion take the slots along`() throws {
    let vault = try made()
    for words in [
      ["backup", "s.db", "b.db"], ["convert", "s.db", "c.db", "--new-cipher", "page-size=8192"],
    ] {
      let run = try runTool(words + ["--passphrase-file", "passphrase"], in: vault.folder)
      #expect(run.code == 0, "\(run.error)")
    }
    let names = try vault.folder.contents()
    #expect(names.contains("b.db-keys") && names.contains("c.db-keys"))
    for words in [["b.db"], ["c.db", "--cipher", "page-size=8192"]] {
      let run = try runTool(
        ["query", words[0], "SELECT a FROM t", "--passphrase-file", "passphrase"]
          + words.dropFirst(), in: vault.folder)
      #expect(run.output == "a\r\n7\r\n", "\(run.error)")
    }
  }

  @Test(arguments: [
    ("key", 2), ("key frobnicate s.db", 2), ("key lost s.db", 2), ("key list none.db", 66),
    ("key list vault.db", 66), ("key remove s.db x --passphrase-file passphrase", 2),
    ("key remove s.db 9 --passphrase-file passphrase", 1),
    ("key add s.db --passphrase-file other --new-key-file key", 77),
    ("key add s.db --passphrase-file passphrase --new-key-file none", 66),
    ("key recovery vault.db --key-file key", 66),
    ("query vault.db 'SELECT 1' --recovery-key-file key", 66),
    ("key recovery s.db --recovery-key-file key", 77),
    ("create s.db --slots --passphrase-file passphrase", 73), ("help key", 0), ("help key add", 0),
    ("key --help", 0), ("key add --help", 0),
  ])
  func `what can't be is told in one line`(words: String, code: Int32) throws {
    let vault = try made()
    let before = try vault.contents(of: "s.db-keys")
    let run = try vault.bash("$coffer \(words) </dev/null")
    #expect(run.code == code, "\(run.error)")
    #expect(code == 0 || run.hasOneErrorLine, "\(run.error)")
    #expect(code != 0 || run.output.contains("Usage: coffer key"))
    #expect(try vault.contents(of: "s.db-keys") == before)
  }

  @Test func `damaged, lost and foreign slots have their exit codes`() throws {
    let vault = try made()
    let bytes = try vault.contents(of: "s.db-keys")
    let path = URL(fileURLWithPath: vault.folder.path("s.db-keys"))
    func code() throws -> Int32 {
      let run = try vault.runPlain(
        "query", "s.db", "SELECT 1", "--passphrase-file", "passphrase")
      #expect(run.hasOneErrorLine && run.error.contains("s.db-keys"), "\(run.error)")
      return run.code
    }
    try bytes.dropLast().write(to: path)
    #expect(try code() == 65)
    var newer = bytes
    newer[8] = 9
    try newer.write(to: path)
    #expect(try code() == 65)
    var foreign = bytes
    foreign[16] ^= 1
    try foreign.write(to: path)
    #expect(try code() == 65)
  }

  @Test func `a person types the passphrases`() throws {
    let vault = try made()
    let terminal = try TerminalProcess(["key", "add", "s.db", "--label", "Bob"], in: vault.folder)
    #expect(terminal.read(until: "> ") != nil)
    terminal.type(line: "wrong")
    #expect(terminal.read(until: "wrong. Try again.") != nil)
    #expect(terminal.read(until: "> ") != nil)
    terminal.type(line: "sesame open marker")
    #expect(terminal.read(until: "New passphrase of s.db> ") != nil)
    terminal.type(line: "typed marker")
    #expect(terminal.read(until: "The same again> ") != nil)
    terminal.type(line: "typed marker")
    #expect(terminal.read(until: "Slot 2 opens the file.") != nil)
    #expect(terminal.finish().code == 0)
    #expect(!terminal.shown.contains("marker"))
    let second = try TerminalProcess(["key", "recovery", "s.db"], in: vault.folder)
    #expect(second.read(until: "> ") != nil)
    second.type(line: "typed marker")
    #expect(second.read(until: "write it down now") != nil)
    #expect(second.finish().code == 0)
  }
}
