@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

/// Statements and cursors that are released on other threads than the connection's.
@Suite struct StatementLifetimeTests {
  @Test func `statements die on other threads while the connection is busy`() throws {
    let database = try EncryptedQueue(
      "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)"
    ) { $0.statementCacheCapacity = 4 }
    let queue = database.queue
    let group = DispatchGroup()
    for worker in 0..<4 {
      detachThread(group: group) {
        for round in 0..<200 {
          let leaked = try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t WHERE a IN (?)")
            try statement.setArguments([(0..<round).map { "\($0)" }])
            let cursor = try Int.fetchCursor(
              db, sql: "SELECT a + \(worker) FROM t WHERE a IN (?)", arguments: [[1, round]])
            if round % 2 == 0 { _ = try cursor.next() }
            let fresh = try Row.fetchCursor(db, sql: "SELECT \(round % 8)")
            return Unchecked((statement, cursor, fresh))
          }
          // Here they are released, outside of any access, while other threads have theirs.
          _ = consume leaked
        }
      }
    }
    group.wait()
    try queue.inDatabase { db throws in
      #expect(
        try Int.fetchAll(db, sql: "SELECT a FROM t WHERE a IN (?)", arguments: [[1, 3]]) == [1, 3])
    }
    try queue.close()
  }

  @Test func `statements die while the connection closes`() throws {
    for _ in 0..<50 {
      let database = try EncryptedQueue("CREATE TABLE t(a)")
      let holder = try database.queue.inDatabase { db in
        Unchecked(Holder(try (0..<20).map { try db.makeStatement(sql: "SELECT \($0)") }))
      }
      weak var statement: Statement?
      statement = holder.value.statements.last
      #expect(statement != nil)
      let group = DispatchGroup()
      detachThread(group: group) { holder.value.statements = [] }
      try database.queue.close()
      group.wait()
      #expect(statement == nil)
      // The file isn't locked by what was left of the connection.
      try database.other().write { try $0.execute(sql: "DROP TABLE t") }
    }
  }

  private final class Holder {
    var statements: [Statement]
    init(_ statements: [Statement]) { self.statements = statements }
  }

  @Test func `a cursor that leaves its access throws, and its statement is free again`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let sql = "SELECT a FROM t"
    let (running, fresh) = try database.queue.read { db in
      let running = try Int.fetchCursor(db, sql: sql)
      #expect(try running.next() == 1)
      return (running, try Int.fetchCursor(db, sql: sql))
    }
    #expect(databaseError { try running.next() }?.message == "The cursor is no longer valid.")
    #expect(
      databaseError { try fresh.next() }?.message == "Database was not used on the correct thread.")
    #expect(throws: DatabaseError.self) { try running.next() }
    #expect(throws: DatabaseError.self) { try fresh.next() }
    // The table isn't locked by the statement that was left running.
    try database.other().write { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func `a cursor read after its connection has closed throws`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let (cursor, rows) = try database.queue.inDatabase { db in
      let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
      let rows = try Row.fetchCursor(db, sql: "SELECT a FROM t")
      #expect(try cursor.next() == 1)
      return (cursor, rows)
    }
    try database.queue.close()
    #expect(databaseError { try cursor.next() }?.message == "Connection is closed")
    #expect(databaseError { try rows.next() }?.message == "Connection is closed")
    #expect(throws: DatabaseError.self) { try cursor.next() }
  }
}
