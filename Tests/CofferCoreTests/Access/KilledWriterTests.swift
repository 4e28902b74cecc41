import Foundation
import Testing

@testable import CofferCore

struct KilledWriterTests {
  @Test func `what was committed before a kill is there, and nothing in part`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a.db")
    var committed = 0
    for attempt in 1...8 {
      let child = try Child("insert-batches", path, Hex.key(5))
      try #require(child.readLine() == "ready")
      // As many transactions as lines are read, and those that happen on the way.
      for _ in 0..<attempt where child.readLine() != nil { committed += 1 }
      committed += child.kill().count { $0.hasPrefix("committed") }
      let queue = try DatabaseQueue(path: path, key: Hex.databaseKey(Hex.key(5)))
      try queue.read { db in
        let rows = try #require(try Int.fetchOne(db, sql: "SELECT count(*) FROM batch"))
        #expect(rows % 10 == 0)
        // The last commit may have come before its line.
        #expect((committed...(committed + attempt)).contains(rows / 10))
        #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      }
      try queue.close()
    }
  }
}
