import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct KilledWriterTests {
  @Test func `transactions that were committed before a kill are there, and none in part`() throws {
    let directory = try TemporaryDirectory()
    var committed = 0
    for trial in 0..<trialCount(8) {
      // Another file from time to time, since all of it is read after each attempt.
      let attempt = 1 + trial % 8
      let path = directory.path("\(trial / 8).db")
      if attempt == 1 { committed = 0 }
      let child = try TestProcess(["insert-batches", path, Hex.key(5)])
      try #require(child.readLine() == "ready")
      // At least as many transactions are committed as lines are read.
      for _ in 0..<attempt where child.readLine() != nil { committed += 1 }
      committed += child.kill().count { $0.hasPrefix("committed") }
      let queue = try DatabaseQueue(path: path, key: Hex.databaseKey(Hex.key(5)))
      try queue.read { db in
        let rows = try #require(try Int.fetchOne(db, sql: "SELECT count(*) FROM batch"))
        #expect(rows % 10 == 0)
        // The process may have been killed between its last commit and the line about it.
        #expect((committed...(committed + attempt)).contains(rows / 10))
        #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      }
      try queue.close()
    }
  }
}
