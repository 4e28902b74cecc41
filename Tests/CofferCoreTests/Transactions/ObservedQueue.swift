@testable import CofferCore
import CofferTestSupport

/// A queue with the tables `a` and `b`, and an observer of all changes.
struct ObservedQueue {
  let database: EncryptedQueue
  let observer = LogObserver()

  init() throws {
    database = try EncryptedQueue(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, x, y);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a(id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED);
      """)
    database.queue.add(transactionObserver: observer)
  }

  func insert(_ table: String, _ ids: Int..., in db: Database) throws {
    for id in ids { try db.execute(sql: "INSERT INTO \(table) (id) VALUES (?)", arguments: [id]) }
  }
}
