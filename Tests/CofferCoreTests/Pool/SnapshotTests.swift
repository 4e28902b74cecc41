@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@Suite("Snapshots", .timeLimit(.minutes(15)))
struct SnapshotTests {
  private static let schema = "CREATE TABLE t (a); INSERT INTO t VALUES (1)"

  private static func count(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
  }

  private static func insert(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO t VALUES (2)")
  }

  private static func snapshots(
    _ pool: DatabasePool
  ) throws -> [any DatabaseSnapshotReader] {
    [try pool.makeSnapshot(), try pool.makeSnapshotPool()]
  }

  @Test func `a snapshot keeps its state, whatever is written`() throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      let last = try database.pool.read { try Self.count($0) }
      try database.pool.write { try Self.insert($0) }
      #expect(try snapshot.read { try Self.count($0) } == 1)
      #expect(try snapshot.unsafeRead { try Self.count($0) } == 1)
      #expect(try snapshot.reentrantRead { try Self.count($0) } == 1)
      #expect(try database.pool.read { try Self.count($0) } == (last ?? 0) + 1)
    }
  }

  @Test func `a snapshot keeps its state for tasks and for callbacks`() async throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      let before = try await snapshot.read { try Self.count($0) }
      try await database.pool.write { try Self.insert($0) }
      #expect(try await snapshot.read { try Self.count($0) } == before)
      #expect(try await snapshot.unsafeRead { try Self.count($0) } == before)
      for read in [snapshot.asyncRead, snapshot.asyncUnsafeRead] {
        let count: Int? = try await withCheckedThrowingContinuation { continuation in
          read { result in continuation.resume(with: Result { try Self.count(result.get()) }) }
        }
        #expect(count == before)
      }
    }
  }

  @Test func `a snapshot can't write`() throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      let error = databaseError { try snapshot.read { try Self.insert($0) } }
      #expect(error?.resultCode == .SQLITE_READONLY)
      #expect(try snapshot.read { try Self.count($0) } == 1)
    }
  }

  @Test func `a snapshot is the last commit inside a write, and can't be made in a transaction`()
    throws
  {
    let database = try EncryptedPool(Self.schema)
    try database.pool.writeWithoutTransaction { db in
      try Self.insert(db)
      for snapshot in try Self.snapshots(database.pool) {
        #expect(try snapshot.read { try Self.count($0) } == 2)
      }
      try db.inTransaction {
        try Self.insert(db)
        #expect(databaseError { try database.pool.makeSnapshot() } != nil)
        #expect(databaseError { try database.pool.makeSnapshotPool() } != nil)
        return .commit
      }
    }
    #expect(try database.pool.read { try Self.count($0) } == 3)
  }

  @Test func `a snapshot whose transaction was ended throws`() throws {
    let database = try EncryptedPool(Self.schema)
    let snapshot = try database.pool.makeSnapshot()
    #expect(databaseError { try snapshot.read { try $0.execute(sql: "COMMIT") } } != nil)
    let error = databaseError { try snapshot.read { try Self.count($0) } }
    #expect(error?.message?.contains("lost") == true)
  }

  @Test func `a statement may end a snapshot's transaction and begin another`() throws {
    let database = try EncryptedPool(Self.schema)
    let snapshot = try database.pool.makeSnapshot()
    try database.pool.write { try Self.insert($0) }
    try snapshot.read { db in
      #expect(try Self.count(db) == 1)
      try db.execute(sql: "ROLLBACK; BEGIN TRANSACTION")
      #expect(try Self.count(db) == 2)
    }
    try database.pool.write { try Self.insert($0) }
    #expect(try snapshot.read { try Self.count($0) } == 2)
    try snapshot.read { try $0.execute(sql: "ROLLBACK; BEGIN TRANSACTION") }
    #expect(try snapshot.read { try Self.count($0) } == 3)
  }

  @Test(arguments: [
    "COMMIT", "COMMIT; BEGIN", "COMMIT; BEGIN; SELECT count(*) FROM t", "ROLLBACK; SAVEPOINT a",
  ])
  func `a snapshot pool drops a connection whose transaction was ended`(sql: String) throws {
    let database = try EncryptedPool(Self.schema) {
      $0.maximumReaderCount = 3
      // The checkpoint below waits in vain.
      $0.busyMode = .timeout(0.05)
    }
    let snapshot = try database.pool.makeSnapshotPool()
    try database.pool.write { try Self.insert($0) }
    for _ in 0..<2 {
      try snapshot.read { db in
        #expect(try Self.count(db) == 1)
        try db.execute(sql: sql)
        #expect(try Self.count(db) == 2)
      }
      _ = try? database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      for _ in 0..<4 { #expect(try snapshot.read { try Self.count($0) } == 1) }
    }
    // The last one: the snapshot is lost, and no connection waits for it.
    try snapshot.unsafeReentrantRead { db in
      try db.commit()
      try db.beginTransaction()
      #expect(try Self.count(db) == 2)
    }
    let error = databaseError { try snapshot.read { try Self.count($0) } }
    #expect(error?.message?.contains("lost") == true)
    try snapshot.close()
  }

  @Test func `a snapshot pool whose snapshot is lost throws in tasks and callbacks`() async throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 2 }
    let snapshot = try database.pool.makeSnapshotPool()
    try await snapshot.read { try $0.execute(sql: "COMMIT") }
    #expect(try await snapshot.read { try Self.count($0) } == 1)
    let isOver: Bool = try await withCheckedThrowingContinuation { continuation in
      snapshot.asyncRead { result in
        continuation.resume(
          with: Result {
            try result.get().execute(sql: "COMMIT")
            return true
          })
      }
    }
    #expect(isOver)
    await #expect(throws: DatabaseError.self) { try await snapshot.read { try Self.count($0) } }
    let count = await withCheckedContinuation { continuation in
      snapshot.asyncRead { continuation.resume(returning: try? Self.count($0.get())) }
    }
    #expect(count == .some(nil) || count == nil)
  }

  @Test func `savepoints leave a snapshot pool as it is`() throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 1 }
    let snapshot = try database.pool.makeSnapshotPool()
    try database.pool.write { try Self.insert($0) }
    for _ in 0..<3 {
      try snapshot.read { db in
        try db.inSavepoint {
          let value = try Self.count(db)
          #expect(value == 1)
          return .commit
        }
        try db.execute(sql: "SAVEPOINT a; RELEASE a")
      }
    }
    #expect(try snapshot.read { try Self.count($0) } == 1)
  }

  @Test func `a snapshot pool is made in writes that have written nothing`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    // Statements before the transaction make no difference.
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = wal")
      try Self.insert(db)
    }
    for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
      var snapshot: DatabaseSnapshotPool?
      try pool.writeInTransaction(kind) { db in
        snapshot = try DatabaseSnapshotPool(db)
        try Self.insert(db)
        #expect(databaseError { try DatabaseSnapshotPool(db) }?.resultCode == .SQLITE_ERROR)
        return .rollback
      }
      #expect(try snapshot?.read { try Self.count($0) } == 2)
    }
    let snapshot = try pool.write { try DatabaseSnapshotPool($0) }
    try pool.write { try Self.insert($0) }
    #expect(try snapshot.read { try Self.count($0) } == 2)
    for sql in ["CREATE TABLE u (a)", "PRAGMA user_version = 3", "DELETE FROM t"] {
      try pool.writeInTransaction { db in
        try db.execute(sql: sql)
        #expect(databaseError { try DatabaseSnapshotPool(db) }?.resultCode == .SQLITE_ERROR)
        return .rollback
      }
    }
  }

  @Test func `a snapshot pool is made in a read before its first statement`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let ofRead = try pool.read { db in
      let snapshot = try DatabaseSnapshotPool(db)
      try pool.write { try Self.insert($0) }
      // The read began with the snapshot.
      #expect(try Self.count(db) == 1)
      #expect(databaseError { try DatabaseSnapshotPool(db) }?.resultCode == .SQLITE_ERROR)
      return snapshot
    }
    let ofUnsafeRead = try pool.unsafeRead { db in
      #expect(try Self.count(db) == 2)
      return try DatabaseSnapshotPool(db)
    }
    try pool.write { try Self.insert($0) }
    #expect(try ofRead.read { try Self.count($0) } == 1)
    #expect(try ofUnsafeRead.read { try Self.count($0) } == 2)
    #expect(try pool.read { try Self.count($0) } == 3)
  }

  @Test func `a snapshot pool is made in a task's read`() async throws {
    let database = try EncryptedPool(Self.schema)
    let snapshot = try await database.pool.read { try DatabaseSnapshotPool($0) }
    try await database.pool.write { try Self.insert($0) }
    #expect(try await snapshot.read { try Self.count($0) } == 1)
  }

  @Test func `all connections of a reader's snapshot pool see what the read sees`() throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 3 }
    let stop = Atomic(false)
    let group = DispatchGroup()
    detachThread(group: group) {
      while !stop.load(ordering: .relaxed) { try? database.pool.write { try Self.insert($0) } }
    }
    for _ in 0..<50 {
      let (snapshot, count) = try database.pool.read { db in
        (try DatabaseSnapshotPool(db), try Self.count(db))
      }
      let meeting = Rendezvous(3)
      let readers = DispatchGroup()
      let counts = Mutex<[Int?]>([])
      for _ in 0..<3 {
        detachThread(group: readers) {
          try? snapshot.read { db in
            meeting.meet()
            let number = try Self.count(db)
            counts.withLock { $0.append(number) }
          }
        }
      }
      readers.wait()
      #expect(counts.withLock(\.self) == [count, count, count])
    }
    stop.store(true, ordering: .relaxed)
    group.wait()
  }

  @Test func `a read-only pool has snapshot pools where the file is in WAL mode`() throws {
    let queue = try EncryptedQueue(Self.schema) { $0.journalMode = .delete }
    let pool = try EncryptedPool(Self.schema)
    func readOnlyPool(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
      var configuration = configuration
      configuration.readonly = true
      return try DatabasePool(path: path, configuration: configuration)
    }
    let notWAL = try readOnlyPool(queue.path, queue.configuration)
    #expect(databaseError { try notWAL.makeSnapshotPool() }?.resultCode == .SQLITE_ERROR)
    let snapshot = try readOnlyPool(pool.path, pool.configuration).makeSnapshotPool()
    try pool.pool.write { try Self.insert($0) }
    #expect(try snapshot.read { try Self.count($0) } == 1)
  }

  @Test func `an error in a snapshot leaves it as it is`() throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      #expect(throws: TestError.self) {
        try snapshot.read { db in
          _ = try Self.count(db)
          throw TestError()
        }
      }
      #expect(databaseError { try snapshot.read { try $0.execute(sql: "nonsense") } } != nil)
      try database.pool.write { try Self.insert($0) }
      #expect(try snapshot.read { try Self.count($0) } == 1)
    }
  }

  @Test func `a cancelled read leaves the snapshot as it is`() async throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      let begun = AsyncStream<Void>.makeStream()
      let task = Task {
        try await snapshot.read { db in
          begun.continuation.yield()
          return try Int.fetchOne(db, sql: endlessSQL)
        }
      }
      for await _ in begun.stream { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await snapshot.read { try Self.count($0) } == 1)
    }
  }

  @Test func `a snapshot of a file needs WAL mode`() throws {
    let queue = try EncryptedQueue(Self.schema) { $0.journalMode = .delete }
    let error = databaseError {
      try DatabaseSnapshot(path: queue.path, configuration: queue.configuration)
    }
    #expect(error?.message?.contains("WAL") == true)
    let database = try EncryptedPool(Self.schema)
    let configuration = database.configuration
    let snapshot = try DatabaseSnapshot(path: database.path, configuration: configuration)
    let pool = try DatabaseSnapshotPool(path: database.path, configuration: configuration)
    try database.pool.write { try Self.insert($0) }
    #expect(try snapshot.read { try Self.count($0) } == 1)
    #expect(try pool.read { try Self.count($0) } == 1)
  }

  @Test func `all connections of a snapshot pool see the same, while others write`() throws {
    let database = try EncryptedPool(Self.schema)
    let stop = Atomic(false)
    let group = DispatchGroup()
    detachThread(group: group) {
      while !stop.load(ordering: .relaxed) { try? database.pool.write { try Self.insert($0) } }
    }
    for _ in 0..<10 {
      let snapshot = try database.pool.makeSnapshotPool()
      let counts = Mutex<Set<Int>>([])
      let readers = DispatchGroup()
      let count = snapshot.configuration.maximumReaderCount
      let meeting = Rendezvous(count)
      for _ in 0..<count {
        detachThread(group: readers) {
          try? snapshot.read { db in
            meeting.meet()
            let number = try Self.count(db) ?? -1
            counts.withLock { _ = $0.insert(number) }
          }
        }
      }
      readers.wait()
      #expect(counts.withLock(\.count) == 1)
    }
    stop.store(true, ordering: .relaxed)
    group.wait()
  }

  @Test func `a closed snapshot throws`() throws {
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      try snapshot.close()
      try snapshot.close()
      #expect(databaseError { try snapshot.read { try Self.count($0) } } != nil)
    }
  }
}
