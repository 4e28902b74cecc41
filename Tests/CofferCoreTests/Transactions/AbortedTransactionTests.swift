import CSQLCipher
import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

/// Once the transaction of a block has ended, the rest of the block isn't executed.
@Suite struct AbortedTransactionTests {
  private static let schema = """
    CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE ON CONFLICT ROLLBACK);
    CREATE TABLE checked (a);
    CREATE TRIGGER refuse BEFORE INSERT ON checked WHEN new.a < 0
    BEGIN SELECT RAISE(ROLLBACK, 'negative'); END;
    INSERT INTO t VALUES (1, 'one');
    """

  /// The ways to end a transaction inside of its block.
  enum End: String, CaseIterable, CustomTestStringConvertible {
    case conflict, raise, orRollback, sqlRollback, sqlCommit, rollbackMethod, commitMethod
    case interruption

    var testDescription: String { rawValue }

    func end(_ db: Database) throws {
      switch self {
      case .conflict:
        expectFailure(.SQLITE_CONSTRAINT) {
          try db.execute(sql: "INSERT INTO t (b) VALUES ('one')")
        }
      case .raise:
        expectFailure(.SQLITE_CONSTRAINT) {
          try db.execute(sql: "INSERT INTO checked VALUES (-1)")
        }
      case .orRollback:
        expectFailure(.SQLITE_CONSTRAINT) {
          try db.execute(sql: "INSERT OR ROLLBACK INTO t (a) VALUES (1)")
        }
      case .sqlRollback: try db.execute(sql: "ROLLBACK")
      case .sqlCommit: try db.execute(sql: "COMMIT")
      case .rollbackMethod: try db.rollback()
      case .commitMethod: try db.commit()
      case .interruption:
        let connection = Unchecked(db.sqliteConnection)
        db.add(
          function: DatabaseFunction("stop", argumentCount: 0) { _ in
            sqlite3_interrupt(connection.value)
            return nil
          })
        expectFailure(.SQLITE_INTERRUPT) {
          try db.execute(
            sql: """
              INSERT INTO t (b) WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c)
              SELECT x || coalesce(stop(), '') FROM c
              """)
        }
      }
      #expect(!db.isInsideTransaction)
    }

    var keepsFirst: Bool { self == .sqlCommit || self == .commitMethod }
  }

  private func expectAborted(
    _ error: (any Error)?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = error as? DatabaseError
    #expect(error?.resultCode == .SQLITE_ABORT, sourceLocation: sourceLocation)
    #expect(error?.message == "Transaction was aborted", sourceLocation: sourceLocation)
    #expect("\(error as Any)".contains("again"), sourceLocation: sourceLocation)
  }

  /// Expects the rows from before the block, and a connection that works.
  private func check(
    _ queue: some DatabaseWriter, _ end: End, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = end.keepsFirst ? [1, 2] : [1]
    try queue.writeWithoutTransaction { db in
      #expect(
        try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") == expected,
        sourceLocation: sourceLocation)
      #expect(!db.isInsideTransaction, sourceLocation: sourceLocation)
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO t VALUES (99, 'later')")
        return .rollback
      }
    }
  }

  @Test(arguments: End.allCases)
  func `the rest of a write throws, and leaves nothing`(end: End) throws {
    let database = try EncryptedQueue(Self.schema)
    let error = databaseError {
      try database.queue.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
        try end.end(db)
        for sql in ["INSERT INTO t VALUES (3, 'three')", "SELECT 1", "BEGIN", "COMMIT"] {
          expectAborted(databaseError { try db.execute(sql: sql) })
        }
        expectAborted(databaseError { try db.execute(sql: "ROLLBACK; BEGIN; DELETE FROM t") })
        expectAborted(databaseError { try Row.fetchOne(db, sql: "SELECT * FROM t") })
        expectAborted(databaseError { try db.beginTransaction() })
        expectAborted(databaseError { try db.commit() })
        expectAborted(databaseError { try db.inTransaction { .commit } })
        expectAborted(databaseError { try db.inSavepoint { .commit } })
        try db.rollback()
        let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
        expectAborted(databaseError { try statement.execute(arguments: [4, "four"]) })
        expectAborted(databaseError { try statement.execute(values: 5, "five") })
      }
    }
    expectAborted(error)
    try check(database.queue, end)
  }

  @Test(arguments: End.allCases)
  func `the rest of a transaction throws, in any of its forms`(end: End) throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let block: (Database) throws -> Database.TransactionCompletion = { db in
      try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
      try end.end(db)
      try? db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
      return .commit
    }
    expectAborted(databaseError { try pool.writeInTransaction(.deferred, block) })
    try check(pool, end)
    if end.keepsFirst { try pool.write { try $0.execute(sql: "DELETE FROM t WHERE a = 2") } }
    expectAborted(
      databaseError {
        try pool.writeWithoutTransaction { db in try db.inSavepoint { try block(db) } }
      })
    try check(pool, end)
  }

  @Test(arguments: End.allCases)
  func `the rest of an asynchronous write throws`(end: End) async throws {
    let database = try EncryptedPool(Self.schema)
    await expectFailure(.SQLITE_ABORT) {
      try await database.pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
        try end.end(db)
        try? db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
      }
    }
    try await database.pool.writeWithoutTransaction { db in
      let rows = try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a")
      #expect(rows == (end.keepsFirst ? [1, 2] : [1]))
    }
  }

  @Test(arguments: End.allCases)
  func `the rest of the savepoints around throws`(end: End) throws {
    let database = try EncryptedQueue(Self.schema)
    expectAborted(
      databaseError {
        try database.queue.write { db in
          try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
          for completion in [Database.TransactionCompletion.commit, .rollback] {
            expectAborted(
              databaseError {
                try db.inSavepoint {
                  expectAborted(
                    databaseError {
                      try db.inSavepoint {
                        if db.isInsideTransaction { try end.end(db) }
                        try db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
                        return .commit
                      }
                    })
                  try? db.execute(sql: "INSERT INTO t VALUES (4, 'four')")
                  return completion
                }
              })
          }
          try? db.execute(sql: "INSERT INTO t VALUES (5, 'five')")
        }
      })
    try check(database.queue, end)
  }

  @Test func `a savepoint inside of a transaction in SQL is a separate block`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.inDatabase { db in
      try db.execute(sql: "BEGIN; INSERT INTO t VALUES (2, 'two')")
      expectAborted(
        databaseError {
          try db.inSavepoint {
            try End.conflict.end(db)
            try? db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
            return .commit
          }
        })
      // The SQL around it decides about its own transaction.
      try db.execute(sql: "INSERT INTO t VALUES (4, 'four')")
    }
    let rows = try database.queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    #expect(rows == [1, 4])
  }

  @Test func `transactions in SQL end and begin as they like`() throws {
    let database = try EncryptedQueue(Self.schema)
    for _ in 1...2 {
      try database.queue.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN; INSERT INTO t VALUES (2, 'two'); ROLLBACK; SELECT 1")
        try db.beginTransaction()
        try End.conflict.end(db)
        try db.execute(sql: "INSERT INTO t VALUES (3, 'three'); DELETE FROM t WHERE a = 3")
        try db.execute(sql: "BEGIN; INSERT INTO t VALUES (4, 'four'); COMMIT")
        try db.execute(sql: "DELETE FROM t WHERE a = 4")
      }
    }
    try check(database.queue, .conflict)
  }

  @Test func `a read whose transaction is over reads no other state`() throws {
    let database = try EncryptedPool(Self.schema)
    expectAborted(
      databaseError {
        try database.pool.read { db in
          #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
          try db.execute(sql: "COMMIT")
          _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        }
      })
    let snapshot = try database.pool.makeSnapshot()
    expectFailure(.SQLITE_ABORT) {
      try snapshot.read { db in
        try db.execute(sql: "ROLLBACK")
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
      }
    }
    #expect(try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }

  @Test func `a cursor that is under way reads on, and changes nothing`() throws {
    let database = try EncryptedQueue(Self.schema)
    expectAborted(
      databaseError {
        try database.queue.write { db in
          let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t UNION ALL VALUES (7), (8)")
          _ = try cursor.next()
          try db.execute(sql: "ROLLBACK")
          // SQLite decides whether the cursor can go on.
          while let _ = (try? cursor.next()) ?? nil {}
          _ = try db.makeStatement(sql: "SELECT 1")
          try db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
        }
      })
    try check(database.queue, .sqlRollback)
  }

  @Test func `observers use the connection after the end`() throws {
    final class Observer: TransactionObserver {
      var seen: [Int] = []
      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) { look(db) }
      func databaseDidRollback(_ db: Database) { look(db) }
      private func look(_ db: Database) {
        seen.append((try? Int.fetchOne(db, sql: "SELECT count(*) FROM t")) ?? -1)
      }
    }
    let database = try EncryptedQueue(Self.schema)
    let observer = Observer()
    database.queue.add(transactionObserver: observer, extent: .databaseLifetime)
    for end in [End.conflict, .sqlRollback, .rollbackMethod] {
      expectAborted(
        databaseError {
          try database.queue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
            try end.end(db)
            try db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
          }
        })
    }
    #expect(observer.seen == [1, 1, 1])
    try database.queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2, 'two')") }
    #expect(observer.seen == [1, 1, 1, 2])
  }

  @Test(arguments: End.allCases)
  func `a migration leaves nothing after its transaction`(end: End) throws {
    let database = try EncryptedQueue(Self.schema)
    for checks in [DatabaseMigrator.ForeignKeyChecks.deferred, .immediate] {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("broken", foreignKeyChecks: checks) { db in
        try end.end(db)
        try? db.execute(sql: "CREATE TABLE left_behind (a)")
        try? db.create(table: "left_too") { $0.column("a") }
      }
      expectFailure(.SQLITE_ABORT) { try migrator.migrate(database.queue) }
      try database.queue.read { db throws in
        #expect(try db.tableExists("left_behind") == false)
        #expect(try db.tableExists("left_too") == false)
        #expect(try migrator.appliedMigrations(db) == [])
      }
    }
    try check(database.queue, end == .sqlCommit || end == .commitMethod ? .conflict : end)
  }

  @Test func `documents are stored in one transaction or not at all`() throws {
    struct Note: Codable, Identifiable {
      var id: Int
      var text: String
    }
    let database = try EncryptedQueue(Self.schema)
    let store = DocumentStore(database.queue)
    let notes = try store.collection(Note.self)
    expectFailure(.SQLITE_ABORT) {
      try store.transaction {
        try notes.insert(Note(id: 1, text: "first"))
        try? store.write { try $0.execute(sql: "ROLLBACK") }
        try notes.insert(Note(id: 2, text: "second"))
      }
    }
    #expect(try notes.all().fetchCount() == 0)
    try notes.insert(Note(id: 3, text: "third"))
    #expect(try notes.all().fetchCount() == 1)
  }

  @Test func `a cancelled write throws a cancellation, whatever comes after its rollback`()
    async throws
  {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let began = DispatchSemaphore(value: 0)
    let task = Task {
      try await queue.write { db in
        began.signal()
        try? db.execute(
          sql: """
            INSERT INTO t (b) WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c)
            SELECT x FROM c
            """)
        try db.execute(sql: "INSERT INTO t VALUES (3, 'three')")
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        began.wait()
        continuation.resume()
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try check(queue, .conflict)
  }
}
