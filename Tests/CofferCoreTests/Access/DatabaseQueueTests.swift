@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite struct DatabaseQueueTests {
  private static let schema = "CREATE TABLE t(a)"

  private func count(_ queue: DatabaseQueue) throws -> Int {
    try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } ?? -1
  }

  private func insert(_ db: Database, _ value: Int = 1) throws {
    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
  }

  // MARK: Reading

  @Test(arguments: [
    "INSERT INTO t VALUES (1)", "DELETE FROM t", "DROP TABLE t", "CREATE TABLE u(a)",
    "PRAGMA user_version = 3", "UPDATE t SET a = 2",
  ])
  func `a write inside a read is refused and changes nothing`(sql: String) throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (7)")
    let queue = database.queue
    for error in [
      databaseError { try queue.read { try $0.execute(sql: sql) } },
      databaseError {
        try queue.read { _ in try queue.unsafeReentrantRead { try $0.execute(sql: sql) } }
      },
      databaseError { try queue.inDatabase { db in try db.readOnly { try db.execute(sql: sql) } } },
    ] {
      #expect(error?.resultCode == .SQLITE_READONLY)
      #expect(error?.message == "attempt to write a readonly database")
      #expect(error?.sql == sql)
      #expect(error?.hint?.contains("write { db in") == true)
    }
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [7])
    #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 0)
    try queue.write { try $0.execute(sql: sql) }
  }

  @Test func `an unsafe read of a queue may write`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    try queue.inDatabase { _ in try queue.unsafeReentrantRead { try insert($0) } }
    try queue.unsafeReentrantRead { try insert($0) }
    func unsafeRead() throws { try queue.unsafeRead { try insert($0) } }
    try unsafeRead()
    try await queue.unsafeRead { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try await withCheckedThrowingContinuation { continuation in
      queue.asyncUnsafeRead { result in
        continuation.resume(
          with: Result { try result.get().execute(sql: "INSERT INTO t VALUES (1)") })
      }
    }
    #expect(try count(queue) == 5)
  }

  @Test func `a read sees one state`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
    let other = try database.other()
    let counts = "SELECT count(*) FROM t"
    try database.queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: counts) == 0)
      try other.write { try insert($0) }
      #expect(try Int.fetchOne(db, sql: counts) == 0)
    }
    try database.queue.unsafeRead { db throws in
      #expect(try Int.fetchOne(db, sql: counts) == 1)
      try other.write { try insert($0) }
      #expect(try Int.fetchOne(db, sql: counts) == 2)
    }
  }

  @Test func `a read inside of a read-only access leaves that read-only`() throws {
    let database = try EncryptedQueue(Self.schema)
    let rows = Locked<[Int]?>(nil)
    try database.queue.inDatabase { db throws in
      try db.readOnly {
        database.queue.spawnConcurrentRead { result in
          rows.set(try? Int.fetchAll(result.get(), sql: "SELECT a FROM t"))
        }
        #expect(throws: DatabaseError.self) { try insert(db) }
      }
    }
    #expect(rows.value == [])
    #expect(try count(database.queue) == 0)
  }

  @Test func `a concurrent read is spawned outside of transactions`() throws {
    let database = try EncryptedQueue(Self.schema)
    let answers = Mutex<[Int?]>([])
    try database.queue.writeWithoutTransaction { db in
      try insert(db)
      let read: @Sendable (Result<Database, any Error>) -> Void = { result in
        let count = try? Int.fetchOne(result.get(), sql: "SELECT count(*) FROM t")
        answers.withLock { $0.append(count) }
      }
      database.queue.spawnConcurrentRead(read)
      try db.inTransaction {
        database.queue.spawnConcurrentRead(read)
        return .commit
      }
    }
    #expect(answers.withLock { $0 } == [1, nil])
  }

  // MARK: Re-entrancy

  @Test func `an access inside an access throws`() throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let message = "Database methods are not reentrant."
    try queue.write { db in
      try insert(db)
      #expect(databaseError { try queue.read { _ in } }?.message == message)
      #expect(databaseError { try queue.write { _ in } }?.message == message)
      #expect(databaseError { try queue.inDatabase { _ in } }?.message == message)
      #expect(databaseError { try queue.inTransaction { _ in .commit } }?.message == message)
      #expect(databaseError { try queue.close() }?.message == message)
    }
    try queue.read { _ in
      #expect(databaseError { try queue.write { _ in } }?.message == message)
    }
    #expect(try count(queue) == 1)
  }

  @Test func `an access to another database inside an access is fine`() throws {
    let a = try EncryptedQueue(Self.schema)
    let b = try EncryptedQueue(Self.schema)
    try a.queue.write { db in
      try insert(db)
      try b.queue.write { try insert($0) }
    }
    #expect(try count(a.queue) == 1)
    #expect(try count(b.queue) == 1)
  }

  @Test func `unsafe re-entrant accesses go inside others`() throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    try queue.unsafeReentrantWrite { db in
      try insert(db)
      try queue.unsafeReentrantWrite { try insert($0) }
      let count = try queue.unsafeReentrantRead {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM t")
      }
      #expect(count == 2)
      try insert(db)
    }
    try queue.read { (_: Database) throws -> Void in
      #expect(throws: DatabaseError.self) { try queue.unsafeReentrantWrite { try insert($0) } }
    }
    #expect(try count(queue) == 3)
  }

  // MARK: Order and threads

  @Test func `accesses run in the order in which they were asked for`() throws {
    let database = try EncryptedQueue(Self.schema)
    let completed = Locked<[Int]>([])
    for number in 0..<100 {
      database.queue.asyncWrite { db in
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
      } completion: { _, result in
        if case .success = result { completed.append(number) }
      }
    }
    let sql = "SELECT a FROM t ORDER BY rowid"
    #expect(try database.queue.read { try Int.fetchAll($0, sql: sql) } == Array(0..<100))
    #expect(completed.value == Array(0..<100))
  }

  @Test func `eight threads that count lose no update`() throws {
    let database = try EncryptedQueue(
      "PRAGMA synchronous = OFF; CREATE TABLE t(a); INSERT INTO t VALUES (0)")
    let failures = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<8 {
      detachThread(group: group) {
        for _ in 0..<500 {
          do {
            try database.queue.write { db in
              let value = try Int.fetchOne(db, sql: "SELECT a FROM t") ?? -1
              try db.execute(sql: "UPDATE t SET a = ?", arguments: [value + 1])
            }
          } catch { failures.add(1, ordering: .relaxed) }
        }
      }
    }
    group.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(try database.queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 4000)
  }

  @Test func `tasks that count lose no update`() async throws {
    let database = try EncryptedQueue(
      "PRAGMA synchronous = OFF; CREATE TABLE t(a); INSERT INTO t VALUES (0)")
    let queue = database.queue
    let sql = "UPDATE t SET a = a + 1"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          switch number % 3 {
          case 0: try await queue.write { try $0.execute(sql: sql) }
          case 1: try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
          default: try await queue.barrierWriteWithoutTransaction { try $0.execute(sql: sql) }
          }
          _ = try await queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
          _ = try await queue.unsafeRead { try Int.fetchOne($0, sql: "SELECT a FROM t") }
        }
      }
      try await group.waitForAll()
    }
    let value = try await queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
    #expect(value == 200)
  }

  @Test func `a connection used on another thread or after its access is refused`() throws {
    let database = try EncryptedQueue(Self.schema)
    let message = "Database was not used on the correct thread."
    let leaked = try database.queue.inDatabase { db in
      let box = Unchecked(db)
      let group = DispatchGroup()
      detachThread(group: group) {
        #expect(databaseError { try box.value.execute(sql: "DELETE FROM t") }?.message == message)
        #expect(databaseError { try Int.fetchOne(box.value, sql: "SELECT 1") }?.message == message)
        #expect(databaseError { try box.value.beginTransaction() }?.message == message)
      }
      group.wait()
      return box
    }
    for error in [
      databaseError { try leaked.value.execute(sql: "DELETE FROM t") },
      databaseError { try leaked.value.makeStatement(sql: "SELECT 1") },
      databaseError { try leaked.value.allStatements(sql: "SELECT 1") },
      databaseError { try leaked.value.inTransaction { .commit } },
      databaseError { try leaked.value.rollback() },
    ] {
      #expect(error?.message == message)
    }
    #expect(try count(database.queue) == 0)
  }

  // MARK: Scheduled accesses

  @Test func `an asynchronous write reports its result`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a UNIQUE)")
    let results = Mutex<[Bool]>([])
    for value in [1, 1, 2] {
      database.queue.asyncWrite { db in
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
      } completion: { db, result in
        results.withLock { $0.append((try? result.get()) != nil) }
        #expect(!db.isInsideTransaction)
        #expect(throws: Never.self) { try Int.fetchOne(db, sql: "SELECT count(*) FROM t") }
      }
    }
    #expect(try count(database.queue) == 2)
    #expect(results.withLock { $0 } == [true, false, true])
  }

  @Test func `scheduled reads can't write, but for unsafe ones`() throws {
    let database = try EncryptedQueue(Self.schema)
    let refusals = Atomic(0)
    let read: @Sendable (Result<Database, any Error>) -> Void = { result in
      do { try result.get().execute(sql: "INSERT INTO t VALUES (1)") } catch {
        refusals.add(1, ordering: .relaxed)
      }
    }
    database.queue.asyncRead(read)
    database.queue.asyncUnsafeRead(read)
    #expect(try count(database.queue) == 1)
    #expect(refusals.load(ordering: .relaxed) == 1)
  }

  @Test func `a scheduled access is called once, whatever it leaves open`() throws {
    let database = try EncryptedQueue(Self.schema)
    let calls = Atomic(0)
    database.queue.asyncBarrierWriteWithoutTransaction { result in
      calls.add(1, ordering: .relaxed)
      try? result.get().execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    }
    database.queue.asyncWriteWithoutTransaction { db in
      calls.add(1, ordering: .relaxed)
      try? db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    }
    database.queue.asyncRead { result in
      calls.add(1, ordering: .relaxed)
      try? result.get().execute(sql: "ROLLBACK; BEGIN")
    }
    #expect(try count(database.queue) == 0)
    #expect(calls.load(ordering: .relaxed) == 3)
  }

  // MARK: Closing

  @Test func `accesses after closing throw`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    try queue.close()
    try queue.close()
    let message = "Connection is closed"
    #expect(databaseError { try queue.unsafeRead { _ in } }?.message == message)
    #expect(databaseError { try queue.inDatabase { _ in } }?.message == message)
    #expect(databaseError { try queue.unsafeReentrantWrite { _ in } }?.message == message)
    await #expect(throws: DatabaseError.self) { try await queue.read { _ in } }
    await #expect(throws: DatabaseError.self) { try await queue.write { _ in } }
    queue.interrupt()
    queue.releaseMemory()
  }

  @Test func `a scheduled access of a closed queue gets an error`() async throws {
    let database = try EncryptedQueue(Self.schema)
    try await database.queue.read { _ in }
    try database.queue.close()
    let written = await withCheckedContinuation { continuation in
      database.queue.asyncWrite {
        try $0.execute(sql: "DELETE FROM t")
      } completion: { _, result in
        continuation.resume(returning: databaseError { try result.get() }?.message)
      }
    }
    #expect(written == "Connection is closed")
    let read = await withCheckedContinuation { continuation in
      database.queue.asyncRead { result in
        continuation.resume(returning: databaseError { try result.get() }?.message)
      }
    }
    #expect(read == "Connection is closed")
  }

  @Test func `closing lets the accesses before it end`() throws {
    let database = try EncryptedQueue(Self.schema)
    let results = Mutex<[Bool]>([])
    for _ in 0..<50 {
      database.queue.asyncWrite {
        try $0.execute(sql: "INSERT INTO t VALUES (1)")
      } completion: { _, result in
        results.withLock { $0.append((try? result.get()) != nil) }
      }
    }
    try database.queue.close()
    #expect(results.withLock { $0 } == Array(repeating: true, count: 50))
    #expect(try count(database.other()) == 50)
  }

  @Test func `tasks that wait while the queue closes either commit or fail`() async throws {
    for _ in 0..<20 {
      let database = try EncryptedQueue(Self.schema)
      let queue = database.queue
      let committed = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let result: Void? = try? await queue.write {
              try $0.execute(sql: "INSERT INTO t VALUES (1)")
            }
            return result == nil ? 0 : 1
          }
        }
        group.addTask {
          #expect(throws: Never.self) { try queue.close() }
          return 0
        }
        return await group.reduce(0, +)
      }
      #expect(try count(database.other()) == committed)
    }
  }
}
