@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct TransactionTests {
  private static let schema = "CREATE TABLE t(a)"

  private func count(_ queue: DatabaseQueue) throws -> Int {
    try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } ?? -1
  }

  private func insert(_ db: Database, _ value: Int = 1) throws {
    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
  }

  @Test func `a write is committed, and rolled back where it throws`() throws {
    let database = try EncryptedQueue(Self.schema)
    let result = try database.queue.write { db in
      try insert(db)
      return 42
    }
    #expect(result == 42)
    #expect(throws: TestError.self) {
      try database.queue.write { db in
        try insert(db)
        throw TestError()
      }
    }
    #expect(try count(database.queue) == 1)
  }

  @Test(arguments: [nil, .deferred, .immediate, .exclusive] as [Database.TransactionKind?])
  func `a transaction ends as its closure says`(kind: Database.TransactionKind?) throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.inTransaction(kind) { db in
      try insert(db)
      return .rollback
    }
    #expect(try count(database.queue) == 0)
    try database.queue.inTransaction(kind) { db in
      try insert(db)
      #expect(db.isInsideTransaction)
      return .commit
    }
    #expect(try count(database.queue) == 1)
  }

  @Test func `statements outside of a transaction are committed one by one`() throws {
    let database = try EncryptedQueue(Self.schema)
    #expect(throws: TestError.self) {
      try database.queue.inDatabase { db in
        try insert(db)
        throw TestError()
      }
    }
    #expect(try count(database.queue) == 1)
  }

  @Test func `savepoints nest`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.write { db in
      try insert(db, 1)
      try db.inSavepoint {
        try insert(db, 2)
        try db.inSavepoint {
          try insert(db, 3)
          return .rollback
        }
        #expect(throws: TestError.self) {
          try db.inSavepoint {
            try insert(db, 4)
            throw TestError()
          }
        }
        try db.inSavepoint {
          try insert(db, 5)
          return .commit
        }
        return .commit
      }
      try? db.inSavepoint {
        try db.inSavepoint {
          try insert(db, 6)
          return .commit
        }
        throw TestError()
      }
    }
    let sql = "SELECT a FROM t ORDER BY a"
    #expect(try database.queue.read { try Int.fetchAll($0, sql: sql) } == [1, 2, 5])
  }

  @Test func `a savepoint outside of a transaction is one`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.inDatabase { db in
      try db.inSavepoint {
        #expect(db.isInsideTransaction)
        try insert(db)
        return .rollback
      }
      #expect(!db.isInsideTransaction)
      try db.inSavepoint {
        try insert(db)
        return .commit
      }
    }
    #expect(try count(database.queue) == 1)
  }

  @Test func `a transaction that is left open is rolled back, and is an error`() throws {
    let database = try EncryptedQueue(Self.schema)
    let error = databaseError {
      try database.queue.inDatabase { db in
        try db.beginTransaction()
        try insert(db)
      }
    }
    #expect(error?.message == "A transaction has been left opened at the end of a database access")
    #expect(try count(database.queue) == 0)
    // The closure's error comes first.
    #expect(throws: TestError.self) {
      try database.queue.inDatabase { db in
        try db.execute(sql: "BEGIN")
        throw TestError()
      }
    }
    try database.queue.write { try insert($0) }
    #expect(try count(database.queue) == 1)
  }

  @Test func `a transaction may stay open where that is allowed`() throws {
    let database = try EncryptedQueue(Self.schema) { $0.allowsUnsafeTransactions = true }
    let queue = database.queue
    try queue.inDatabase { db in
      try db.beginTransaction()
      try insert(db)
    }
    try queue.read { db throws in
      #expect(db.isInsideTransaction)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
      #expect(throws: DatabaseError.self) { try insert(db) }
    }
    try queue.inDatabase { try $0.rollback() }
    #expect(try count(queue) == 0)
  }

  @Test func `a transaction that SQL has ended is an error`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a UNIQUE ON CONFLICT ROLLBACK)")
    try database.queue.write { try insert($0, 1) }
    let error = databaseError {
      try database.queue.write { db in
        try insert(db, 2)
        try? insert(db, 1)
      }
    }
    #expect(error?.resultCode == .SQLITE_ABORT)
    #expect(try count(database.queue) == 1)
  }

  @Test func `a commit that fails rolls back`() throws {
    let database = try EncryptedQueue(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); "
        + "CREATE TABLE t(a REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
    let error = databaseError { try database.queue.write { try insert($0, 7) } }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    #expect(try count(database.queue) == 0)
    try database.queue.write { db in
      try db.execute(sql: "INSERT INTO p VALUES (7)")
      try insert(db, 7)
    }
    #expect(try count(database.queue) == 1)
  }

  @Test func `a transaction that writes can't begin in a read-only block`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.inDatabase { db in
      for kind in [Database.TransactionKind.immediate, .exclusive] {
        expectFailure(.SQLITE_READONLY) {
          try db.readOnly { try db.inTransaction(kind) { .commit } }
        }
        #expect(!db.isInsideTransaction)
      }
      try db.readOnly { try db.inTransaction { .commit } }
      try db.readOnly { try db.inTransaction(.deferred) { .commit } }
    }
  }

  @Test func `a rollback ends the transaction despite an interruption`() throws {
    guard SQLiteFeatures.linked.hasFTS5 else { return }
    let database = try EncryptedQueue()
    try database.queue.inDatabase { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(body)")
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO f VALUES ('x')")
        let cursor = try Int.fetchCursor(
          db,
          sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c")
        _ = try cursor.next()
        // It lasts as long as the cursor's statement.
        database.queue.interrupt()
        return .rollback
      }
      #expect(!db.isInsideTransaction)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM f") == 0)
    }
  }

  @Test func `a transaction inside a transaction throws, and the outer one goes on`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.write { db in
      try insert(db)
      #expect(throws: DatabaseError.self) { try db.inTransaction { .commit } }
      #expect(db.isInsideTransaction)
      try insert(db)
    }
    #expect(try count(database.queue) == 2)
  }
}
