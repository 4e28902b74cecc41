import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct FreshnessKillTests {
  @Test(arguments: ["queue", "pool"])
  func `a process that is killed at any moment leaves a database that is the newest`(
    how: String
  ) throws {
    let vault = try FreshVault()
    var random = SeededGenerator()
    var changed = 0
    let trials = trialCount(24) / 2
    for trial in 0..<trials {
      let child = try TestProcess([
        "keep-fresh", vault.path, FreshVault.hexKey, how, vault.anchor.path,
        "\(random.next() >> 1)",
      ])
      if Int.random(in: 0..<4, using: &random) > 0 { _ = child.readLine() }
      usleep(UInt32.random(in: 0...40_000, using: &random))
      Foundation.kill(child.processIdentifier, SIGKILL)
      let error = child.finish().error
      try #require(error == "", "trial \(trial), seed \(SeededGenerator.seed)")
      // Sometimes the next process is the first to see what was left, but after the last kill.
      let isLast = trial == trials - 1
      if !isLast, Bool.random(using: &random) { continue }
      do {
        let queue = try vault.open()
        try queue.read { db throws in
          #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
        if isLast || Bool.random(using: &random) {
          try queue.write { try $0.execute(sql: "PRAGMA user_version = \(trial)") }
          changed += 1
        }
        try queue.close()
      } catch {
        Issue.record("trial \(trial), seed \(SeededGenerator.seed): \(error)")
        return
      }
    }
    #expect(changed > 0)
  }

  @Test func `a process that is killed while it changes the key leaves one of the two`() throws {
    let vault = try FreshVault()
    try vault.change(
      "CREATE TABLE t (text); "
        + String(repeating: "INSERT INTO t VALUES (hex(randomblob(3000)));", count: 200))
    var random = SeededGenerator()
    var keys = [FreshVault.hexKey, Hex.key(7)]
    for trial in 0..<max(5, trialCount(24) / 10) {
      let child = try TestProcess([
        "rekey-fresh", vault.path, keys[0], vault.anchor.path, keys[1],
      ])
      #expect(child.readLine() == "ready")
      usleep(UInt32.random(in: 0...80_000, using: &random))
      Foundation.kill(child.processIdentifier, SIGKILL)
      #expect(child.finish().error == "")
      let opened = try keys.filter { key in
        do {
          try vault.open { $0.key = try? Hex.databaseKey(key) }.close()
          return true
        } catch let error as DatabaseError where error.cipherDiagnosis == .wrongKey {
          return false
        }
      }
      try #require(opened.count == 1, "trial \(trial), seed \(SeededGenerator.seed)")
      if opened[0] != keys[0] { keys.reverse() }
    }
  }
}
