import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer

struct TransactionClockTests {
  let database: EncryptedQueue
  var queue: DatabaseQueue { database.queue }

  init() throws {
    let ticks = Mutex(0.0)
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in
      ticks.withLock { ticks in
        ticks += 1
        return Date(timeIntervalSince1970: ticks)
      }
    }
    database = try EncryptedQueue { $0 = configuration }
  }

  private func time(_ db: Database) throws -> Double {
    try db.transactionDate.timeIntervalSince1970
  }

  @Test func `the date is constant inside a transaction`() throws {
    try queue.write { db in
      #expect(try time(db) == 1)
      try db.execute(sql: "CREATE TABLE t (x UNIQUE)")
      #expect(try time(db) == 1)
    }
    try queue.write { db in try #expect(time(db) == 2) }
    try? queue.write { db in
      #expect(try time(db) == 3)
      throw TestError()
    }
    try queue.read { db in
      #expect(try time(db) == 4)
      _ = try Int.fetchOne(db, sql: "SELECT 1")
      #expect(try time(db) == 4)
    }
    try queue.read { db in try #expect(time(db) == 5) }
    try queue.inDatabase { db in
      #expect(try time(db) == 6)
      #expect(try time(db) == 7)
      try db.execute(sql: "BEGIN")
      #expect(try time(db) == 8)
      try db.execute(sql: "INSERT INTO t VALUES (1); COMMIT; BEGIN")
      #expect(try time(db) == 9)
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
      }
      try db.execute(sql: "BEGIN")
      #expect(try time(db) == 10)
      try db.execute(sql: "ROLLBACK")
    }
  }

  @Test func `an error of the clock is thrown`() throws {
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in throw TestError() }
    let queue = try DatabaseQueue(configuration: configuration)
    #expect(throws: TestError.self) { try queue.write { _ = try $0.transactionDate } }
  }

  @Test func `the default clock is the system's`() throws {
    let queue = try DatabaseQueue()
    let before = Date()
    let date = try queue.write { try $0.transactionDate }
    #expect(date >= before && date <= Date())
  }
}
