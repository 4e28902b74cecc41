import Foundation
import Testing

@testable import CofferToolKit

struct KeyScenarios {
  private static let sql = "SELECT count(*) AS n FROM sqlite_master"

  @Test func `a key comes from each of the options`() throws {
    let vault = try Vault()
    #expect(try vault.runPlain("create", "p.db", "--passphrase-file", "passphrase").code == 0)
    let scripts = [
      "$coffer query p.db 'SELECT 1 AS a' --passphrase-file passphrase",
      "$coffer query p.db 'SELECT 1 AS a' --passphrase-fd 7 7<passphrase",
      "$coffer query p.db 'SELECT 1 AS a' --passphrase-fd 0 <passphrase",
      "$coffer query p.db 'SELECT 1 AS a' --passphrase-command 'cat passphrase'",
      "CREDENTIALS_DIRECTORY=$PWD $coffer query p.db 'SELECT 1 AS a' --credential passphrase",
      "CREDENTIALS_DIRECTORY=$PWD $coffer query vault.db 'SELECT 1 AS a' --credential key",
      "$coffer query vault.db 'SELECT 1 AS a' --key-file key",
      "xxd -r -p key >raw; $coffer query vault.db 'SELECT 1 AS a' --key-file raw",
    ]
    for script in scripts where !script.hasPrefix("xxd") || access("/usr/bin/xxd", X_OK) == 0 {
      let run = try vault.bash(script)
      #expect(run.output == "a\r\n1\r\n", "\(script)")
      #expect(run.error == "")
      #expect(run.code == 0)
    }
  }

  @Test func `two lines of a descriptor are two keys`() throws {
    let vault = try Vault()
    _ = try vault.runPlain("create", "p.db", "--passphrase-file", "passphrase")
    let rekey = try vault.bash(
      "cat passphrase other | $coffer rekey p.db --passphrase-fd 0 --new-passphrase-fd 0")
    #expect(rekey.error == "")
    #expect(rekey.code == 0)
    let old = try vault.runPlain("query", "p.db", Self.sql, "--passphrase-file", "passphrase")
    #expect(old.code == 77)
    #expect(try vault.runPlain("query", "p.db", Self.sql, "--passphrase-file", "other").code == 0)
  }

  @Test(arguments: [
    ("--passphrase-file other", 77), ("", 77), ("--key-file passphrase", 77),
    ("--key-file none", 66), ("--passphrase-file none", 66), ("--passphrase-file /dev/null", 77),
    ("--passphrase-command false", 77), ("--passphrase-command true", 77),
    ("--passphrase-fd x", 2), ("--passphrase-fd 99", 74), ("--credential none", 77),
    ("--key-file key --passphrase-file other", 2), ("--cipher 5 --key-file key", 2),
    ("--cipher page-size=1000 --key-file key", 2), ("--key-file .", 66),
  ])
  func `a wrong or missing key is told in one line`(options: String, code: Int32) throws {
    let vault = try Vault()
    let run = try vault.bash(
      "unset CREDENTIALS_DIRECTORY; $coffer query vault.db 'SELECT 1' \(options) </dev/null 2>error; "
        + "code=$?; cat error >&2; exit $code")
    #expect(run.code == code)
    #expect(run.output == "")
    #expect(run.hasOneErrorLine, "\(run.error)")
  }

  @Test func `a file is told from what it isn't`() throws {
    let vault = try Vault()
    try vault.write("", to: "empty")
    try vault.write(String(repeating: "text, no database. ", count: 400), to: "text")
    let cases: [(String, Int32)] = [
      ("none.db", 66), ("empty", 65), ("text", 65), (".", 66), ("/dev/null", 65),
    ]
    for (name, code) in cases {
      let run = try vault.run("query", name, "SELECT 1")
      #expect(run.code == code, "\(name): \(run.error)")
      #expect(run.hasOneErrorLine)
    }
    _ = try vault.run("decrypt", "vault.db", "plain.db", "--yes")
    #expect(try vault.runPlain("query", "plain.db", "SELECT 1").code == 0)
    let keyed = try vault.run("query", "plain.db", "SELECT 1")
    #expect(keyed.code == 65)
    #expect(keyed.error.contains("not encrypted"))
  }

  @Test func `keygen makes a key that only its owner can read`() throws {
    let vault = try Vault()
    #expect(try vault.runPlain("keygen", "new").output == "")
    let key = String(decoding: try vault.contents(of: "new"), as: UTF8.self)
    #expect(key.count == 65)
    #expect(key.dropLast().allSatisfy { $0.isHexDigit })
    let attributes = try FileManager.default.attributesOfItem(atPath: vault.folder.path("new"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try vault.runPlain("keygen", "new").code == 73)
    #expect(try vault.runPlain("keygen", "no/file").code == 73)
    #expect(try vault.runPlain("create", "k.db", "--key-file", "new").code == 0)
    #expect(try vault.runPlain("query", "k.db", Self.sql, "--key-file", "new").code == 0)
  }

  /// Runs commands that all hold a key, and looks for it everywhere that others can see.
  @Test func `no key is in an argument, the environment, an output or a file`() throws {
    let vault = try Vault()
    let marker = "5ec2e75ec2e7"
    let secret = "sesame open"
    _ = try vault.runPlain("create", "p.db", "--passphrase-file", "passphrase")
    let terminal = try TerminalProcess(["p.db"], in: vault.folder)
    #expect(terminal.read(until: "> ") != nil)
    terminal.type(line: "sesame open marker")
    #expect(terminal.read(until: "coffer> ") != nil)
    terminal.type(line: "PRAGMA key = 'sesame open marker';")
    #expect(terminal.read(until: "coffer> ") != nil)
    let shown = terminal.shown.replacing("PRAGMA key = 'sesame open marker'", with: "")
    #expect(!shown.contains(secret))
    for name in ["cmdline", "environ"] {
      let data = try Data(
        contentsOf: URL(fileURLWithPath: "/proc/\(terminal.processIdentifier)/\(name)"))
      let text = String(decoding: data, as: UTF8.self)
      #expect(text.contains(name == "cmdline" ? "p.db" : "TERM="))
      #expect(!text.contains(secret) && !text.contains(marker))
    }
    terminal.type(line: ".quit")
    #expect(terminal.finish().code == 0)
    let runs = [
      try vault.run("info", "vault.db", "--json"), try vault.run("check", "vault.db"),
      try vault.run("dump", "vault.db", "--yes"), try vault.run("query", "vault.db", "SELEC"),
      try vault.run("query", "p.db", "SELECT 1"),
      try vault.runPlain("query", "vault.db", "SELECT 1", "--passphrase-file", "passphrase"),
      try vault.run("shell", "vault.db", input: "PRAGMA rekey = '\(marker)' x;\n"),
    ]
    for run in runs {
      for text in [run.output, run.error] {
        #expect(!text.contains(marker) && !text.contains(secret))
      }
    }
    for name in try vault.folder.contents() where !["key", "passphrase", "other"].contains(name) {
      let data = try vault.contents(of: name)
      #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
      #expect(data.range(of: Data(marker.utf8)) == nil, "\(name)")
    }
  }

  @Test(arguments: [
    ("", PassphraseStrength.veryWeak), ("aaaaaaaaaaaaaaaaaaaa", .veryWeak),
    ("12345678901234", .veryWeak), ("password", .veryWeak), ("Tr0ub4dor&3", .fair),
    ("correct horse battery staple", .strong),
  ])
  func `a passphrase's strength is estimated`(text: String, strength: PassphraseStrength) {
    let estimate = PassphraseStrength(Array(text.utf8))
    #expect(abs(estimate.rawValue - strength.rawValue) <= 1)
    #expect(PassphraseStrength([]) == .veryWeak)
  }
}
