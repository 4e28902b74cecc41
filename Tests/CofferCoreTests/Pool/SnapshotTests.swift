import CofferCore
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

  @Test func `a snapshot whose transaction was ended says so`() throws {
    let database = try EncryptedPool(Self.schema)
    let snapshot = try database.pool.makeSnapshot()
    #expect(databaseError { try snapshot.read { try $0.execute(sql: "COMMIT") } } != nil)
    let error = databaseError { try snapshot.read { try Self.count($0) } }
    #expect(error?.message?.contains("lost") == true)
  }

  @Test func `an error in a snapshot leaves it as it is`() throws {
    struct Failure: Error {}
    let database = try EncryptedPool(Self.schema)
    for snapshot in try Self.snapshots(database.pool) {
      #expect(throws: Failure.self) {
        try snapshot.read { db in
          _ = try Self.count(db)
          throw Failure()
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
    let queue = try EncryptedQueue(Self.schema)
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
