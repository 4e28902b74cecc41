import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CofferCore

@Suite struct CreationTests {
  @Test func `processes that create one file at the same time share it`() throws {
    let folder = try TemporaryDirectory()
    for round in 0..<trialCount(2) {
      let path = folder.path("db\(round)")
      let children = try (0..<5).map { _ in
        try TestProcess(["create-together", path, "shared secret", "4"])
      }
      for child in children { #expect(child.readLine() == "ready") }
      for child in children { child.goOn() }
      for child in children {
        let (status, lines, error) = child.finish()
        #expect(status == 0)
        #expect(lines == ["done"])
        #expect(error == "")
      }
      let queue = try DatabaseQueue(path: path, key: .passphrase("shared secret"))
      try queue.read { db throws in
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 20)
        #expect(try Int.fetchOne(db, sql: "SELECT count(DISTINCT pid) FROM t") == 5)
        #expect(try db.checkCipherIntegrity() == [])
      }
      try queue.close()
    }
  }

  @Test(arguments: [true, false])
  func `connections with a raw key that create one file at the same time share it`(
    isPool: Bool
  ) throws {
    let folder = try TemporaryDirectory()
    for round in 0..<trialCount(8) {
      let path = folder.path("db\(round)")
      let failures = Mutex<[String]>([])
      let group = DispatchGroup()
      for index in 0..<6 {
        detachThread(group: group) {
          do {
            let key = try DatabaseKey.raw([UInt8](repeating: 7, count: 32))
            let writer: any DatabaseWriter =
              try isPool
              ? DatabasePool(path: path, key: key) : DatabaseQueue(path: path, key: key)
            try writer.write { db in
              try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
              try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index])
            }
            try writer.close()
          } catch { failures.withLock { $0.append("\(error)") } }
        }
      }
      group.wait()
      #expect(failures.withLock(\.self) == [])
      let queue = try DatabaseQueue(path: path, key: .raw([UInt8](repeating: 7, count: 32)))
      try queue.read { db throws in
        #expect(try Int.fetchAll(db, sql: "SELECT x FROM t ORDER BY x") == Array(0..<6))
      }
    }
  }
}
