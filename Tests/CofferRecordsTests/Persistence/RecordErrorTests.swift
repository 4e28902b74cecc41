import Coffer
import CofferTestSupport
import Foundation
import Testing

struct RecordErrorTests {
  private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
  }

  private static let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"

  @Test func `updating a record without an id says so, and changes nothing`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur')")
      let error = #expect(throws: RecordError.self) {
        try Player(id: nil, name: "Barbara").update(db)
      }
      let text = "\(error as Any)"
      #expect(text.contains("no row whose key is NULL (id)") && text.contains("inserted"))
      #expect(try !Player(id: nil, name: "Arthur").delete(db))
      #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["Arthur"])
    }
  }

  @Test func `errors have localized descriptions`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let calls: [() throws -> Void] = [
        { _ = try Player.find(db, key: 7) },
        { try Player(id: nil, name: "").update(db) },
        { _ = try Player.fetchAll(db, sql: "SELECT 1 AS id, NULL AS name") },
        { _ = try Row.fetchOne(db, sql: "SELECT 1 AS id")!.decode(String.self, forColumn: "a") },
        { try db.execute(sql: "INSERT INTO nowhere VALUES (1)") },
        { throw DocumentError("a message") },
      ]
      for call in calls {
        do {
          try call()
          Issue.record("no error")
        } catch {
          #expect(error.localizedDescription == "\(error)")
        }
      }
    }
  }
}
