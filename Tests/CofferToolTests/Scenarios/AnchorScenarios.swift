import Foundation
import Testing

struct AnchorScenarios {
  private static let count = "SELECT count(*) AS n FROM player"

  @Test func `an anchor is made where it is missing, and a replaced file ends with 65`() throws {
    let vault = try Vault()
    #expect(try vault.run("check", "vault.db", "--anchor", "anchor").code == 0)
    #expect(FileManager.default.fileExists(atPath: vault.folder.path("anchor")))
    let old = try vault.contents(of: "vault.db")
    let change = try vault.run(
      "exec", "vault.db", "UPDATE player SET name = 'Ford'", "--anchor", "anchor")
    #expect(change.code == 0, "\(change.error)")
    #expect(try vault.run("query", "vault.db", Self.count, "--anchor", "anchor").code == 0)
    try old.write(to: URL(fileURLWithPath: vault.path))
    for command in [["check"], ["tables"], ["info"]] {
      let run = try runTool(
        command + ["vault.db", "--anchor", "anchor", "--key-file", "key"], in: vault.folder)
      #expect(run.code == 65, "\(command)")
      #expect(run.hasOneErrorLine, "\(run.error)")
      #expect(run.error.contains("coffer accept"))
    }
    // Without the anchor, nothing shows it.
    #expect(try vault.run("check", "vault.db").code == 0)
  }

  @Test func `a file that was replaced on purpose is accepted`() throws {
    let vault = try Vault()
    _ = try vault.run("check", "vault.db", "--anchor", "anchor")
    let old = try vault.contents(of: "vault.db")
    _ = try vault.run("exec", "vault.db", "DELETE FROM note", "--anchor", "anchor")
    _ = try vault.run(
      "exec", "vault.db", "UPDATE player SET name = 'Ford'", "--anchor", "anchor")
    try old.write(to: URL(fileURLWithPath: vault.path))
    #expect(try vault.run("check", "vault.db", "--anchor", "anchor").code == 65)
    let unasked = try vault.bash(
      "$coffer accept vault.db --anchor anchor --key-file key </dev/null")
    #expect(unasked.code == 2)
    #expect(try vault.run("accept", "vault.db", "--yes").code == 2)
    let accepted = try vault.run("accept", "vault.db", "--anchor", "anchor", "--yes")
    #expect(accepted.code == 0, "\(accepted.error)")
    #expect(try vault.run("check", "vault.db", "--anchor", "anchor").code == 0)
  }

  @Test func `a missing or damaged anchor is told in one line`() throws {
    let vault = try Vault()
    _ = try vault.run("check", "vault.db", "--anchor", "anchor")
    _ = try vault.run("exec", "vault.db", "DELETE FROM note", "--anchor", "anchor")
    let missing = try vault.run("check", "vault.db", "--anchor", "other-anchor")
    #expect(missing.code == 65)
    #expect(missing.hasOneErrorLine, "\(missing.error)")
    try vault.write("nonsense", to: "anchor")
    let damaged = try vault.run("tables", "vault.db", "--anchor", "anchor")
    #expect(damaged.code == 65)
    #expect(damaged.hasOneErrorLine, "\(damaged.error)")
  }

  @Test func `accepting with another key leaves nothing behind`() throws {
    let vault = try Vault()
    #expect(try vault.runPlain("keygen", "another.key").code == 0)
    let before = try vault.folder.contents()
    let run = try vault.runPlain(
      "accept", "vault.db", "--anchor", "anchor", "--yes", "--key-file", "another.key")
    #expect(run.code == 77, "\(run.error)")
    #expect(try vault.folder.contents() == before)
  }
}
