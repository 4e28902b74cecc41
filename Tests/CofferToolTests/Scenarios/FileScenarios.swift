import Coffer
import Foundation
import Testing

struct FileScenarios {
  @Test func `create makes an encrypted file for its owner alone, and never replaces one`() throws {
    let vault = try Vault()
    #expect(try vault.run("create", "new.db").output == "")
    let data = try vault.contents(of: "new.db")
    #expect(data.count == CipherSettings.default.pageSize)
    #expect(!data.starts(with: Data("SQLite format 3".utf8)))
    let attributes = try FileManager.default.attributesOfItem(atPath: vault.folder.path("new.db"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let again = try vault.run("create", "new.db")
    #expect(again.code == 73)
    #expect(again.hasOneErrorLine)
    #expect(try vault.run("create", "no/new.db").code == 73)
    #expect(try vault.contents(of: "new.db") == data)
    let keyless = try vault.runPlain("create", "keyless.db")
    #expect(keyless.code == 77)
    #expect(!FileManager.default.fileExists(atPath: vault.folder.path("keyless.db")))
  }

  @Test func `a new file is none of another database's by its name`() throws {
    let vault = try Vault()
    let before = try vault.contents(of: "vault.db")
    for suffix in ["-wal", "-shm", "-journal", "-keys", "-tags", "-archive", "-follow"] {
      let name = "vault.db" + suffix
      for command in [
        ["create", name], ["keygen", name], ["backup", "vault.db", name],
        ["decrypt", "vault.db", name, "--yes"], ["salvage", "vault.db", name],
      ] {
        let key = command[0] == "keygen" ? [] : ["--key-file", "key"]
        let run = try runTool(command + key, in: vault.folder)
        #expect(run.code == 73 && run.hasOneErrorLine, "\(command) \(run.code) \(run.error)")
      }
      #expect(!FileManager.default.fileExists(atPath: vault.folder.path(name)))
    }
    #expect(try vault.contents(of: "vault.db") == before)
    #expect(try vault.run("create", "other.db-wal").code == 0)
  }

  @Test func `create makes a file with the journal mode of the library's`() throws {
    let vault = try Vault()
    #expect(try vault.run("create", "new.db").code == 0)
    let info = try vault.run("info", "new.db", "--json")
    let queue = try DatabaseQueue(path: vault.folder.path("library.db"), key: .seeded())
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let expected = try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    #expect(info.output.contains("\"journalMode\":\"\(expected ?? "")\""), "\(info.output)")
  }

  @Test func `info tells more with the key`() throws {
    let vault = try Vault()
    let without = try vault.runPlain("info", "vault.db", "--json")
    #expect(without.code == 0)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(without.output.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "encrypted")
    #expect(object["encrypted"] as? Bool == true)
    #expect(object["tables"] == nil)
    let with = try vault.run("info", "vault.db", "--json")
    let more = try #require(
      try JSONSerialization.jsonObject(with: Data(with.output.utf8)) as? [String: Any])
    #expect(more["pageSize"] as? Int == CipherSettings.default.pageSize)
    #expect((more["tables"] as? [[String: Any]])?.count == 2)
    #expect(try vault.runPlain("info", "vault.db").output.contains("an encrypted database"))
    #expect(try vault.runPlain("info", "none.db").code == 66)
    #expect(try vault.runPlain("info", "vault.db", "--passphrase-file", "other").code == 77)
  }

  @Test func `salvage saves what is left, and says whether that is all`() throws {
    let vault = try Vault()
    let whole = try vault.run("salvage", "vault.db", "whole.db")
    #expect(whole.code == 0)
    #expect(whole.output.hasPrefix("Nothing was lost."))
    #expect(try vault.run("diff", "vault.db", "whole.db").code == 0)
    #expect(try vault.run("salvage", "vault.db", "whole.db").code == 73)
    #expect(try vault.runPlain("salvage", "none.db", "new.db").code == 66)
    try vault.write("hello\n", to: "text.db")
    #expect(try vault.run("salvage", "text.db", "new.db").code == 65)
    #expect(
      try vault.runPlain("salvage", "vault.db", "new.db", "--passphrase-file", "other").code == 77)
    // Nothing but the schema is left.
    var data = try vault.contents(of: "vault.db")
    let size = CipherSettings.default.pageSize
    data.replaceSubrange(size..., with: Data(count: data.count - size))
    try data.write(to: URL(fileURLWithPath: vault.path))
    let damaged = try vault.run("salvage", "vault.db", "left.db", "--json")
    #expect(damaged.code == 3)
    let report = try JSONDecoder().decode(SalvageReport.self, from: Data(damaged.output.utf8))
    #expect(!report.isComplete)
    #expect(report.tables.count == 2)
    #expect(report.tables.allSatisfy { $0.savedRows == 0 && $0.lostPages.count == 1 })
    #expect(try vault.run("tables", "left.db").code == 0)
    #expect(!FileManager.default.fileExists(atPath: vault.folder.path("new.db")))
  }

  @Test func `check is silent about a whole file, and lists what is wrong`() throws {
    let vault = try Vault()
    let whole = try vault.run("check", "vault.db")
    #expect(whole.output == "")
    #expect(whole.code == 0)
    _ = try vault.run(
      "exec", "vault.db", "PRAGMA foreign_keys = OFF; CREATE TABLE big(x)")
    let orphan = try vault.bash(
      "printf 'PRAGMA foreign_keys=OFF;\\nINSERT INTO note VALUES (1, 99, 1);\\n' | "
        + "$coffer vault.db --key-file key && $coffer check vault.db --key-file key")
    #expect(orphan.code == 3)
    #expect(orphan.output.contains("foreign key: "))
    var data = try vault.contents(of: "vault.db")
    data[data.count - 1000] ^= 1
    try data.write(to: URL(fileURLWithPath: vault.path))
    let damaged = try vault.run("check", "vault.db")
    #expect(damaged.code == 3)
    #expect(damaged.output.contains("wrong authentication code"))
    try data.dropLast(700).write(to: URL(fileURLWithPath: vault.path))
    #expect(try vault.run("check", "vault.db").code == 3)
    #expect(try vault.runPlain("check", "vault.db").code == 77)
    #expect(try vault.run("check", "none.db").code == 66)
  }

  @Test func `encrypt and decrypt make whole copies`() throws {
    let vault = try Vault()
    let refused = try vault.run("decrypt", "vault.db", "plain.db")
    #expect(refused.code == 2)
    #expect(!FileManager.default.fileExists(atPath: vault.folder.path("plain.db")))
    #expect(try vault.run("decrypt", "vault.db", "plain.db", "--yes").code == 0)
    #expect(try vault.contents(of: "plain.db").starts(with: Data("SQLite format 3\0".utf8)))
    #expect(try vault.run("decrypt", "vault.db", "plain.db", "--yes").code == 73)
    #expect(try vault.run("decrypt", "plain.db", "other.db", "--yes").code == 65)
    #expect(try vault.run("encrypt", "plain.db", "a.db").code == 0)
    #expect(try vault.runPlain("encrypt", "plain.db", "b.db", "--new-key-file", "key").code == 0)
    #expect(try vault.run("encrypt", "plain.db", "c.db", "--new-key-file", "key").code == 2)
    #expect(try vault.run("encrypt", "plain.db", "b.db").code == 73)
    #expect(try vault.run("encrypt", "vault.db", "c.db").code == 65)
    #expect(try vault.run("encrypt", "none.db", "c.db").code == 66)
    #expect(try vault.runPlain("encrypt", "plain.db", "c.db").code == 77)
    for name in ["a.db", "b.db"] {
      #expect(try vault.run("diff", "vault.db", name).code == 0)
    }
  }

  @Test func `convert changes the settings, and finds the old ones`() throws {
    let vault = try Vault()
    #expect(try vault.run("convert", "vault.db", "three.db", "--new-cipher", "3").code == 0)
    let wrong = try vault.run("query", "three.db", "SELECT 1")
    let isOld = CipherSettings.default == .sqlcipher3
    #expect(wrong.code == (isOld ? 0 : 65))
    if !isOld { #expect(wrong.error.contains("--cipher 3")) }
    #expect(try vault.run("query", "three.db", "SELECT 1", "--cipher", "3").code == 0)
    #expect(try vault.run("convert", "three.db", "four.db").code == 0)
    #expect(try vault.run("diff", "vault.db", "four.db").code == 0)
    #expect(
      try vault.runPlain("convert", "three.db", "x.db", "--passphrase-file", "other").code == 77)
    #expect(try vault.run("convert", "three.db", "four.db").code == 73)
  }

  @Test func `an argument that isn't UTF-8 is refused, as it would become another one`() throws {
    let vault = try Vault()
    let lines = [
      #"n=$(printf 'x\xff.db'); cp vault.db "$n"; $coffer query "$n" 'SELECT 1' --key-file key"#,
      #"$coffer exec vault.db "CREATE TABLE x AS SELECT '$(printf '\xe9')'" --key-file key"#,
    ]
    for line in lines {
      let run = try vault.bash(line)
      #expect(run.code == 2 && run.error.contains("must be UTF-8"), "\(line): \(run.error)")
    }
    #expect(try !vault.run("tables", "vault.db").lines.contains("x"))
  }

  @Test func `rekey changes the key in place`() throws {
    let vault = try Vault()
    _ = try vault.runPlain("keygen", "new")
    #expect(try vault.run("rekey", "vault.db", "--new-key-file", "new").code == 0)
    #expect(try vault.run("query", "vault.db", "SELECT 1").code == 77)
    #expect(try vault.runPlain("query", "vault.db", "SELECT 1", "--key-file", "new").code == 0)
    #expect(try vault.runPlain("rekey", "vault.db", "--key-file", "new").code == 77)
    _ = try vault.runPlain("decrypt", "vault.db", "plain.db", "--yes", "--key-file", "new")
    #expect(try vault.runPlain("rekey", "plain.db", "--new-key-file", "new").code == 65)
  }

  @Test func `backup copies with the same key or another`() throws {
    let vault = try Vault()
    _ = try vault.runPlain("keygen", "new")
    #expect(try vault.run("backup", "vault.db", "same.db").code == 0)
    #expect(try vault.run("backup", "vault.db", "same.db").code == 73)
    #expect(try vault.run("backup", "vault.db", "other.db", "--new-key-file", "new").code == 0)
    #expect(try vault.run("diff", "vault.db", "same.db").code == 0)
    #expect(try vault.run("diff", "vault.db", "other.db", "--new-key-file", "new").code == 0)
    #expect(try vault.run("backup", "none.db", "x.db").code == 66)
  }

  @Test func `diff tells schemas and rows apart by key`() throws {
    let vault = try Vault()
    _ = try vault.run("backup", "vault.db", "b.db")
    _ = try vault.run(
      "exec", "b.db",
      "UPDATE player SET name = 'Ford' WHERE id = 2; DELETE FROM player WHERE id = 3;"
        + "INSERT INTO player(id) VALUES (9); CREATE TABLE x(a)")
    let run = try vault.run("diff", "vault.db", "b.db")
    #expect(run.code == 3)
    #expect(
      run.lines == [
        "+ table x", "- player id=2 name=NULL score=3.0 photo=NULL",
        "+ player id=2 name='Ford' score=3.0 photo=NULL",
        "- player id=3 name='' score=0.1 photo=X''",
        "+ player id=9 name=NULL score=NULL photo=NULL",
      ])
    #expect(try vault.run("diff", "vault.db", "none.db").code == 66)
  }

  @Test func `a locked file is another program's`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      mkfifo in
      $coffer vault.db --key-file key <in >out 2>/dev/null & holder=$!
      exec 3>in
      printf 'BEGIN EXCLUSIVE;\\nSELECT 1 AS one;\\n' >&3
      until grep -qs '^1' out; do sleep 0.01; done
      $coffer exec vault.db 'DELETE FROM player' --key-file key
      code=$?
      kill $holder
      exit $code
      """)
    #expect(run.code == 75)
    #expect(run.hasOneErrorLine)
  }

  @Test func `a transaction that a killed process has left is rolled back by a query`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      mkfifo in
      $coffer vault.db --key-file key <in >out 2>/dev/null & tool=$!
      exec 3>in
      printf 'PRAGMA cache_size = 1;\\nBEGIN;\\nINSERT INTO note(text) WITH RECURSIVE c(x) AS \
      (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT hex(zeroblob(200)) FROM c;\\nSELECT 1 AS one;\\n' >&3
      until grep -qs '^1' out; do sleep 0.01; done
      { kill -KILL $tool; wait $tool; } 2>/dev/null
      cat out; ls vault.db-journal; $coffer query vault.db 'SELECT count(*) AS n FROM note' --key-file key
      """)
    #expect(run.output == "one\r\n1\r\nvault.db-journal\nn\r\n0\r\n")
    #expect(run.code == 0)
  }

  /// A folder with a large table, in a file of text and in a database.
  private static let large = Result {
    let vault = try Vault()
    _ = try vault.bash(
      """
      yes 'some text,12345' | head -400000 | sed '1s/.*/x,y/' >big.csv
      $coffer decrypt vault.db big.db --yes --key-file key
      $coffer import big.db t big.csv --create
      """)
    vault.folder.staysUntilExit()
    return vault
  }

  @Test(arguments: [
    "import vault.db t big.csv --create --key-file key", "encrypt big.db e.db --key-file key",
    "dump big.db --yes --output d.sql", "export big.db t --output e.csv",
    "backup big.db b.db --new-key-file key", "exec big.db 'UPDATE t SET x = hex(zeroblob(300))'",
  ])
  func `Ctrl-C in a long command ends it with 130 and leaves nothing behind`(command: String) throws
  {
    let vault = try Vault()
    let large = try Self.large.get()
    for name in ["big.csv", "big.db"] {
      try FileManager.default.copyItem(
        atPath: large.folder.path(name), toPath: vault.folder.path(name))
    }
    let before = try vault.folder.contents().filter { !$0.hasPrefix(".") }
    let run = try vault.bash(
      "set -m; $coffer \(command) & sleep 0.15; kill -INT %1; wait %1")
    // A quick machine can be done before the signal.
    #expect(run.code == 130 || run.code == 0)
    if run.code == 130 {
      let after = try vault.folder.contents().filter { !$0.hasPrefix(".") }
      #expect(after == before)
      #expect(try vault.runPlain("check", "big.db").code == 0)
      #expect(try vault.run("check", "vault.db").code == 0)
    }
  }

  @Test func `a full or closed output is told by the exit code`() throws {
    let vault = try Vault()
    let full = try vault.bash("$coffer query vault.db 'SELECT 1' --key-file key >/dev/full")
    #expect(full.code == 74)
    #expect(full.hasOneErrorLine)
    #expect(try vault.bash("$coffer help >/dev/full").code == 74)
    #expect(try vault.bash("$coffer tables vault.db --key-file key >/dev/full").code == 74)
    #expect(
      try vault.bash("$coffer export vault.db player --output /dev/full --key-file key").code == 74)
    let rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    let closed = try vault.bash(
      "$coffer query vault.db '\(rows)' --key-file key | head -1; exit ${PIPESTATUS[0]}")
    #expect(closed.code == 141)
    #expect(closed.output == "x\r\n")
    #expect(closed.error == "")
  }

  @Test func `output doesn't go to a file that another user may have put there`() throws {
    let vault = try Vault()
    func export(to name: String) throws -> CInt {
      try vault.run("export", "vault.db", "player", "--output", name).code
    }
    try vault.write("mine", to: "own.csv")
    #expect(try export(to: "own.csv") == 0)
    #expect(try vault.bash("wc -c < own.csv").output != "4\n")
    symlink("own.csv", vault.folder.path("link.csv"))
    #expect(try export(to: "link.csv") == 0)
    try vault.write("precious", to: "victim")
    link(vault.folder.path("victim"), vault.folder.path("hard.csv"))
    let run = try vault.run("export", "vault.db", "player", "--output", "hard.csv")
    #expect(run.code == 73)
    #expect(run.hasOneErrorLine)
    if geteuid() == 0 {
      try vault.write("precious", to: "foreign.csv")
      chown(vault.folder.path("foreign.csv"), 65534, 65534)
      chmod(vault.folder.path("foreign.csv"), 0o666)
      #expect(try export(to: "foreign.csv") == 73)
      symlink("own.csv", vault.folder.path("planted.csv"))
      lchown(vault.folder.path("planted.csv"), 65534, 65534)
      #expect(try export(to: "planted.csv") == 73)
      #expect(try vault.bash("cat foreign.csv").output == "precious")
      // A pipe of another user, also behind an own link, isn't even waited for.
      mkfifo(vault.folder.path("foreign"), 0o666)
      chown(vault.folder.path("foreign"), 65534, 65534)
      chmod(vault.folder.path("foreign"), 0o666)
      #expect(try export(to: "foreign") == 73)
      symlink("foreign", vault.folder.path("piped"))
      #expect(try export(to: "piped") == 73)
    }
    #expect(try vault.bash("cat victim").output == "precious")
  }

  @Test(arguments: [
    "vault.db", "vault.db-wal", "vault.db-shm", "vault.db-journal", "vault.db-keys",
    "vault.db-tags",
    "vault.db-archive", "vault.db-follow", "key", "link", "linked-wal", "folder/../vault.db-wal",
    "linked-folder/vault.db-wal", "/dev/fd/7",
  ])
  func `output doesn't go to a file of the database, or to that of its key`(name: String) throws {
    let vault = try Vault()
    let before = try vault.bash(
      """
      mkdir folder; ln -s . linked-folder; ln -s key link; touch vault.db-wal
      ln -s vault.db-wal linked-wal; sha256sum vault.db key vault.db-wal
      """
    ).output
    for command in ["export vault.db player", "dump vault.db --yes"] {
      let run = try vault.bash("$coffer \(command) --key-file key --output \(name) 7<key")
      #expect(run.code == 2)
      #expect(run.hasOneErrorLine)
    }
    #expect(try vault.bash("sha256sum vault.db key vault.db-wal").output == before)
    let names = try vault.folder.contents().filter { $0.hasPrefix("vault.db-") }
    #expect(Set(names).isSubset(of: ["vault.db-wal", "vault.db-shm"]))
  }

  @Test func `output that fails leaves the file that was there`() throws {
    let vault = try Vault()
    try vault.write("precious", to: "rows.csv")
    chmod(vault.folder.path("rows.csv"), 0o640)
    let failing = "SELECT 1 UNION ALL SELECT abs(-9223372036854775807 - 1)"
    let failed = try vault.run("export", "vault.db", "--sql", failing, "--output", "rows.csv")
    #expect(failed.code != 0)
    #expect(try vault.bash("cat rows.csv").output == "precious")
    #expect(try vault.run("export", "vault.db", "player", "--output", "rows.csv").code == 0)
    #expect(try vault.bash("stat -c %a rows.csv").output == "640\n")
    #expect(try vault.folder.contents().allSatisfy { !$0.hasSuffix("partial") })
    // What the shell has opened goes on where it is.
    let added = try vault.bash(
      "echo first >all; $coffer export vault.db player --key-file key --output /dev/stdout >>all; head -1 all"
    )
    #expect(added.output == "first\n")
  }

  @Test func `output goes to own pipes, and to those that the shell has made`() throws {
    let vault = try Vault()
    let rows = try vault.run("export", "vault.db", "player").output
    for output in ["pipe", "link"] {
      let run = try vault.bash(
        """
        mkfifo pipe; ln -s pipe link; timeout 60 cat pipe >got &
        timeout 60 $coffer export vault.db player --output \(output) --key-file key
        wait; cat got; rm -f pipe link
        """)
      #expect(run.output == rows, "\(output): \(run.error)")
    }
    for (output, redirection) in [
      ("/dev/stdout", "| cat"), ("/dev/fd/1", "| cat"), ("/dev/stdout", ">f; cat f"),
    ] {
      let run = try vault.bash(
        "$coffer export vault.db player --output \(output) --key-file key \(redirection)")
      #expect(run.output == rows, "\(output) \(redirection): \(run.error)")
    }
  }

  @Test func `Ctrl-C ends a long statement with 130 and changes nothing`() throws {
    let vault = try Vault()
    let sql =
      "INSERT INTO note(text) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    // A background job of a script ignores SIGINT, unless it is its own process group's.
    let run = try vault.bash(
      "set -m; $coffer exec vault.db '\(sql)' --key-file key & sleep 1; kill -INT %1; wait %1")
    #expect(run.code == 130)
    #expect(run.output == "")
    let count = try vault.run("query", "vault.db", "SELECT count(*) AS n FROM note")
    #expect(count.output == "n\r\n0\r\n")
  }

  @Test func `check finds full-text indexes that don't have the words of their content`() throws {
    let vault = try Vault()
    let hasFTS5 =
      try vault.run("exec", "vault.db", "CREATE VIRTUAL TABLE t USING fts5(a)").code == 0
    let modules = hasFTS5 ? ["fts4", "fts5"] : ["fts4"]
    for module in modules {
      let run = try vault.run(
        "exec", "vault.db",
        """
        CREATE TABLE "the \(module)" (id INTEGER PRIMARY KEY, a TEXT, b);
        INSERT INTO "the \(module)" VALUES (3, 'one two', 'three'), (5, 'four four', NULL);
        CREATE VIRTUAL TABLE "\(module) own" USING \(module)(a, b);
        INSERT INTO "\(module) own" VALUES ('one', 'two');
        CREATE VIRTUAL TABLE \(module)_none USING \(module)(a, content="");
        INSERT INTO \(module)_none(rowid, a) VALUES (1, 'one');
        CREATE VIRTUAL TABLE \(module)_index
        USING \(module)(a, b, content="the \(module)"\(module == "fts5" ? ", content_rowid=id" : ""));
        INSERT INTO \(module)_index(\(module)_index) VALUES ('rebuild');
        """)
      #expect(run.code == 0, "\(run.error)")
    }
    let whole = try vault.run("check", "vault.db")
    #expect(whole.code == 0 && whole.output.isEmpty, "\(whole.output) \(whole.error)")
    for module in modules {
      _ = try vault.run(
        "exec", "vault.db", "UPDATE \"the \(module)\" SET b = 'four' WHERE id = 3")
    }
    let before = try vault.contents(of: "vault.db")
    let check = try vault.run("check", "vault.db")
    #expect(check.code == 3)
    for module in modules {
      #expect(
        check.output.contains(
          "full-text: the index \(module)_index doesn't have the words of the \(module): rebuild it\n"
        ))
    }
    #expect(try vault.contents(of: "vault.db") == before)
    _ = try vault.run(
      "exec", "vault.db",
      modules.map { "INSERT INTO \($0)_index(\($0)_index) VALUES ('rebuild');" }.joined())
    #expect(try vault.run("check", "vault.db").code == 0)
  }
}
