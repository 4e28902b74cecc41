@testable import CofferCore
@testable import CofferVault
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Database pools", .timeLimit(.minutes(15)))
struct DatabasePoolTests {
  // MARK: Opening

  @Test func `the file is encrypted, and in WAL mode`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let mode = try database.pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    #expect(mode == "wal")
    let plain = Array("SQLite format 3".utf8)
    let start = try ReadOnlyFile(path: database.path).read(count: plain.count, at: 0)
    #expect(start != plain)
  }

  @Test(arguments: [":memory:", ""]) func `a pool needs a file`(path: String) {
    let error = databaseError { try DatabasePool(path: path) }
    #expect(error?.hint?.contains("DatabaseQueue") == true)
  }

  @Test func `a wrong key is refused, with its diagnosis`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    let key = DatabaseKey.seeded()
    let error = databaseError { try DatabasePool(path: database.path, key: key) }
    #expect(error?.cipherDiagnosis == .wrongKey)
  }

  @Test func `a pool and all of its readers derive the key once`() throws {
    DerivationCount.startCountingBySalt()
    let directory = try TemporaryDirectory()
    let path = directory.path("db")
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    let pool = try DatabasePool(
      path: path, key: .passphrase("a passphrase"), configuration: configuration)
    try openReaders(of: pool, 4)
    let salt = try ReadOnlyFile(path: path).read(count: 16, at: 0)
    #expect(DerivationCount.count(salt: salt) == 1)
  }

  @Test func `a pool that is keyed by its preparation derives the key once`() throws {
    DerivationCount.startCountingBySalt()
    let directory = try TemporaryDirectory()
    let path = directory.path("db")
    var configuration = Configuration()
    configuration.maximumReaderCount = 3
    configuration.prepareDatabase { try $0.usePassphrase("a passphrase") }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try openReaders(of: pool, 3)
    let salt = try ReadOnlyFile(path: path).read(count: 16, at: 0)
    #expect(DerivationCount.count(salt: salt) == 1)
  }

  /// Keeps this many reads under way at the same time.
  private func openReaders(of pool: DatabasePool, _ count: Int) throws {
    let handles = Mutex<Set<UInt>>([])
    let group = DispatchGroup()
    let barrier = Rendezvous(count)
    for _ in 0..<count {
      detachThread(group: group) {
        try? pool.read { db in
          _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
          let handle = UInt(bitPattern: db.sqliteConnection)
          handles.withLock { _ = $0.insert(handle) }
          barrier.meet()
        }
      }
    }
    group.wait()
    #expect(handles.withLock(\.count) == count)
  }

  @Test func `a read-only pool reads, and refuses writes`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    var configuration = database.configuration
    configuration.readonly = true
    let pool = try DatabasePool(path: database.path, configuration: configuration)
    #expect(try pool.read { try PoolPlayers.count($0) } == 0)
    let error = databaseError { try pool.write { try PoolPlayers.insert($0) } }
    #expect(error?.resultCode == .SQLITE_READONLY)
  }

  // MARK: Reading

  @Test func `a read sees the last commit before its first statement, and nothing later`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    try pool.read { db in
      try pool.write { try PoolPlayers.insert($0) }
      #expect(try PoolPlayers.count(db) == 1)
      try pool.write { try PoolPlayers.insert($0) }
      #expect(try PoolPlayers.count(db) == 1)
    }
    #expect(try pool.read { try PoolPlayers.count($0) } == 2)
  }

  @Test func `a read in a write doesn't see what isn't committed`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    try database.pool.write { db in
      try PoolPlayers.insert(db)
      #expect(try database.pool.read { try PoolPlayers.count($0) } == 0)
    }
  }

  @Test func `a read doesn't wait for a write`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let isWriting = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? database.pool.write { db in
        try PoolPlayers.insert(db)
        isWriting.signal()
        hasRead.wait()
      }
    }
    isWriting.wait()
    #expect(try database.pool.read { try PoolPlayers.count($0) } == 0)
    hasRead.signal()
    group.wait()
    #expect(try database.pool.read { try PoolPlayers.count($0) } == 1)
  }

  @Test func `reads run at the same time, up to the maximum`() throws {
    let database = try EncryptedPool(PoolPlayers.schema) { $0.maximumReaderCount = 3 }
    try openReaders(of: database.pool, 3)
    let running = Mutex((now: 0, most: 0))
    let group = DispatchGroup()
    for _ in 0..<12 {
      detachThread(group: group) {
        try? database.pool.read { db in
          running.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
          Thread.sleep(forTimeInterval: 0.002)
          running.withLock { $0.now -= 1 }
        }
      }
    }
    group.wait()
    #expect(running.withLock(\.most) <= 3)
  }

  @Test func `a read can't write`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    #expect(
      databaseError { try database.pool.read { try PoolPlayers.insert($0) } }?.resultCode
        == .SQLITE_READONLY)
    #expect(
      databaseError { try database.pool.unsafeRead { try PoolPlayers.insert($0) } }?.resultCode
        == .SQLITE_READONLY)
  }

  @Test func `a read in a read throws, unless it is reentrant`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    try pool.read { db in
      let error = databaseError { try pool.read { try PoolPlayers.count($0) } }
      #expect(error?.message?.contains("not reentrant") == true)
      try pool.unsafeReentrantRead { #expect($0 === db) }
    }
    try pool.write { _ in
      let error = databaseError { try pool.write { _ in } }
      #expect(error?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `a reentrant read in a write sees what the write has done, and can't write`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    try pool.write { db in
      try PoolPlayers.insert(db)
      try pool.unsafeReentrantRead { inner in
        #expect(inner === db)
        let count = try PoolPlayers.count(inner)
        #expect(count == 1)
        let error = databaseError { try PoolPlayers.insert(inner) }
        #expect(error?.resultCode == .SQLITE_READONLY)
      }
      // A read of the write's thread has the state before, for its reentrant reads too.
      try pool.read { reader in
        let count = try PoolPlayers.count(reader)
        #expect(count == 0)
        try pool.unsafeReentrantRead { #expect($0 === reader) }
      }
      try PoolPlayers.insert(db)
    }
    #expect(try pool.unsafeReentrantRead { try PoolPlayers.count($0) } == 2)
  }

  @Test(arguments: ["new", "plain journal", "closed log"])
  func `opening a pool makes the log's files, so that others can open it for reading`(
    file: String
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("db")
    var configuration = Configuration()
    configuration.key = try .raw(EncryptedQueue.rawKey)
    if file == "plain journal" {
      try DatabaseQueue(path: path, configuration: configuration)
        .write { try $0.execute(sql: PoolPlayers.schema) }
    } else if file == "closed log" {
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.write { try $0.execute(sql: PoolPlayers.schema) }
      try pool.close()
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(FileManager.default.fileExists(atPath: path + "-shm"))
    configuration.readonly = true
    let reader = try DatabaseQueue(path: path, configuration: configuration)
    let count = try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
    #expect(count != nil)
    try pool.close()
  }

  @Test func `a pool closes though a statement lives, which throws from then on`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let statement = try database.pool.writeWithoutTransaction {
      try $0.makeStatement(sql: "SELECT 1")
    }
    try database.pool.close()
    #expect(databaseError { try statement.execute() }?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `an unsafe read sees what is committed meanwhile`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    try database.pool.unsafeRead { db in
      #expect(try PoolPlayers.count(db) == 0)
      try database.pool.write { try PoolPlayers.insert($0) }
      #expect(try PoolPlayers.count(db) == 1)
    }
  }

  @Test func `asynchronous reads and writes give their results`() async throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    try await pool.write { try PoolPlayers.insert($0) }
    #expect(try await pool.read { try PoolPlayers.count($0) } == 1)
    #expect(try await pool.unsafeRead { try PoolPlayers.count($0) } == 1)
    try await pool.barrierWriteWithoutTransaction { try PoolPlayers.insert($0) }
    let count: Int? = try await withCheckedThrowingContinuation { continuation in
      pool.asyncRead { result in
        continuation.resume(with: Result { try PoolPlayers.count(result.get()) })
      }
    }
    #expect(count == 2)
  }

  @Test func `a thousand tasks that read at once all get their result`() async throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    try await database.pool.write { try PoolPlayers.insert($0) }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<1_000 {
        group.addTask { try await database.pool.read { try PoolPlayers.count($0) ?? 0 } }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 1_000)
  }
}
