import Foundation
import Testing

@testable import CofferCore

@Suite struct CreationTests {
  @Test func `processes that create one file at the same time share it`() throws {
    let folder = try TemporaryDirectory()
    for round in 0..<6 {
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
}
