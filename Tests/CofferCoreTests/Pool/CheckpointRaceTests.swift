import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import CofferCore

/// SQLite before 3.51.3 loses commits if another connection's commit restarts the log while a
/// checkpoint begins. Tests/CFaults/race.c makes that happen at the one moment that counts.
@Suite struct CheckpointRaceTests {
  private static let hexKey = String(repeating: "07", count: 32)

  /// What the process says after it has armed the race.
  private func race(_ way: String) throws -> [String] {
    let folder = try TemporaryDirectory()
    let (status, lines, error) = try TestProcess.run([
      "race", folder.path("db"), Self.hexKey, way,
    ])
    #expect(status == 0, "\(error)")
    return Array(lines.drop { $0 != "armed" }.dropFirst())
  }

  @Test(arguments: [
    "passive", "full", "restart", "truncate", "queue", "pragma", "attached", "archive",
  ])
  func `no commit gets between a checkpoint's looks at the log`(way: String) throws {
    let lines = try race(way)
    try #require(lines.count == 3, "\(lines)")
    if SQLiteFeatures.linked.losesCommitsAtCheckpoints { #expect(lines[0] == "refused") }
    let counts = lines[1].split(separator: " ")
    #expect(counts.count == 4 && counts[1] == counts[3], "\(lines)")
    #expect(lines[2] == "integrity ok")
  }

  @Test(arguments: ["key", "close"])
  func `what ends with a checkpoint loses no commit`(way: String) throws {
    let lines = try race(way)
    #expect(!lines.contains("failed"), "\(lines)")
    let counts = try #require(lines.first { $0.hasPrefix("rows ") }).split(separator: " ")
    #expect(counts[1] == counts[3], "\(lines)")
    #expect(lines.last == "integrity ok")
  }

  @Test func `the engines with the fault are known`() {
    for version in [3_015_002, 3_044_005, 3_046_001, 3_050_006, 3_051_000, 3_051_002] {
      #expect(SQLiteFeatures(version: version).losesCommitsAtCheckpoints, "\(version)")
    }
    for version in [3_044_006, 3_050_007, 3_051_003, 3_052_000, 4_000_000] {
      #expect(!SQLiteFeatures(version: version).losesCommitsAtCheckpoints, "\(version)")
    }
  }

  @Test func `a checkpoint that waits for readers waits for a writer, too`() throws {
    let database = try EncryptedPool("CREATE TABLE t (a)") { $0.checkpointPolicy = .manual }
    let other = try database.other()
    let (holds, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    detachThread {
      try other.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        holds.signal()
        goOn.wait()
      }
    }
    holds.wait()
    // A passive one is left out, or moves what is there.
    _ = try? database.pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
    detachThread {
      // Time is the subject: the checkpoint has begun to wait.
      usleep(50_000)
      goOn.signal()
    }
    let result = try database.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    #expect(result.walFrameCount == 0)
    #expect(try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }
}
