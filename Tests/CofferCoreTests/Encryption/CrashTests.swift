import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Processes that are killed in the middle of their work.
@Suite struct CrashTests {
  private static let raw = [UInt8](0x40..<0x60)
  private static let key = DatabaseKey(form: .raw, bytes: SecureBytes(copying: raw))
  private static let hexKey = raw.map { String($0, radix: 16) }.joined()

  @Test(arguments: ["DELETE", "WAL"])
  func `a killed process loses nothing that was committed, and leaves nothing else`(
    journalMode: String
  ) throws {
    let folder = try TemporaryDirectory()
    let trials = trialCount(10)
    var committed = 0
    var allCommitted = 0
    var hotJournals = 0
    var random = SeededGenerator()
    for round in 0..<trials {
      // Another file from time to time, since all of it is read after each round.
      let path = folder.path("db\(round / 30)")
      if round % 30 == 0 { committed = 0 }
      let child = try TestProcess(["append", path, Self.hexKey, journalMode])
      #expect(child.readLine() == "started after \(committed)")
      // The process is killed after some batches, somewhere inside the next.
      var acknowledged = committed
      for _ in 0..<(round % 3) {
        let line = try #require(child.readLine())
        acknowledged = try #require(Int(line.dropFirst("committed ".count)))
      }
      usleep(UInt32.random(in: 0...15_000, using: &random))
      for line in child.kill() {
        acknowledged = try #require(Int(line.dropFirst("committed ".count)))
      }
      let inspection = DatabaseFile.inspect(at: path)
      if inspection.hasJournal || inspection.hasWAL { hotJournals += 1 }

      let queue = try DatabaseQueue(path: path, key: Self.key)
      let last = try queue.read { db throws in
        #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        #expect(try db.checkCipherIntegrity() == [])
        let batches = try Row.fetchAll(
          db, sql: "SELECT number, count(*) AS n FROM batch GROUP BY number ORDER BY number")
        // All batches are whole, and in order.
        #expect(batches.map { $0["number"] as Int } == Array(1..<(batches.count + 1)))
        #expect(batches.allSatisfy { $0["n"] == 100 })
        return batches.count
      }
      try queue.close()
      // The child may have been killed between its commit and the line about it.
      #expect(last == acknowledged || last == acknowledged + 1)
      allCommitted += last - committed
      committed = last
    }
    guard trials >= 30 else { return }
    #expect(allCommitted > trials / 3)
    #expect(hotJournals > trials / 6)
  }

  /// A derivation that takes less time than the creation.
  private static func quickly(_ passphrase: String) -> Configuration {
    var configuration = Configuration()
    configuration.key = .passphrase(passphrase)
    configuration.cipher.kdfIterations = 1000
    return configuration
  }

  @Test func `a process that is killed while it creates a file leaves nothing in the way`() throws {
    let folder = try TemporaryDirectory()
    let trials = trialCount(4)
    var round = 0
    var created = 0
    var delay = 500.0
    // However slow the machine is, the delays come to lie around its creations: after one that
    // came too early the next is longer, and after one that came too late shorter.
    while created < trials {
      round += 1
      // A creation that never ends is a fault, on any machine.
      try #require(round < 50 * trials && delay < 10_000_000)
      let path = folder.path("db\(round)")
      let child = try TestProcess(["create-together", path, "secret", "3", "1000"])
      #expect(child.readLine() == "ready")
      child.goOn()
      usleep(UInt32(delay))
      child.kill()
      guard DatabaseFile.inspect(at: path).size > 0 else {
        delay *= 1.2
        let queue = try DatabaseQueue(path: path, configuration: Self.quickly("another"))
        try queue.close()
        continue
      }
      delay *= 0.5
      created += 1
      let queue = try DatabaseQueue(path: path, configuration: Self.quickly("secret"))
      try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (id, pid)") }
      #expect(try queue.read { try $0.checkCipherIntegrity() } == [])
      try queue.close()
    }
  }
}
