@testable import CofferCore
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Database pools", .timeLimit(.minutes(15)))
struct DatabasePoolTests {
  private static let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"

  private static func insert(_ db: Database, _ name: String = "Arthur") throws {
    try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
  }

  private static func count(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
  }

  // MARK: Opening

  @Test func `the file is encrypted, and in WAL mode`() throws {
    let database = try EncryptedPool(Self.schema)
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
    let database = try EncryptedPool(Self.schema)
    try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    let key = DatabaseKey.random()
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

  /// Has as many reads under way at the same time.
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
    let database = try EncryptedPool(Self.schema)
    var configuration = database.configuration
    configuration.readonly = true
    let pool = try DatabasePool(path: database.path, configuration: configuration)
    #expect(try pool.read { try Self.count($0) } == 0)
    let error = databaseError { try pool.write { try Self.insert($0) } }
    #expect(error?.resultCode == .SQLITE_READONLY)
  }

  // MARK: Reading

  @Test func `a read sees the last commit before its first statement, and nothing later`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    try pool.read { db in
      try pool.write { try Self.insert($0) }
      #expect(try Self.count(db) == 1)
      try pool.write { try Self.insert($0) }
      #expect(try Self.count(db) == 1)
    }
    #expect(try pool.read { try Self.count($0) } == 2)
  }

  @Test func `a read in a write doesn't see what isn't committed`() throws {
    let database = try EncryptedPool(Self.schema)
    try database.pool.write { db in
      try Self.insert(db)
      #expect(try database.pool.read { try Self.count($0) } == 0)
    }
  }

  @Test func `a read doesn't wait for a write`() throws {
    let database = try EncryptedPool(Self.schema)
    let isWriting = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? database.pool.write { db in
        try Self.insert(db)
        isWriting.signal()
        hasRead.wait()
      }
    }
    isWriting.wait()
    #expect(try database.pool.read { try Self.count($0) } == 0)
    hasRead.signal()
    group.wait()
    #expect(try database.pool.read { try Self.count($0) } == 1)
  }

  @Test func `reads run at the same time, up to the maximum`() throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 3 }
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
    let database = try EncryptedPool(Self.schema)
    #expect(
      databaseError { try database.pool.read { try Self.insert($0) } }?.resultCode
        == .SQLITE_READONLY)
    #expect(
      databaseError { try database.pool.unsafeRead { try Self.insert($0) } }?.resultCode
        == .SQLITE_READONLY)
  }

  @Test func `a read in a read throws, unless it is reentrant`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    try pool.read { db in
      let error = databaseError { try pool.read { try Self.count($0) } }
      #expect(error?.message?.contains("not reentrant") == true)
      try pool.unsafeReentrantRead { #expect($0 === db) }
    }
    try pool.write { _ in
      let error = databaseError { try pool.write { _ in } }
      #expect(error?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `a reentrant read in a write sees what the write has done, and can't write`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    try pool.write { db in
      try Self.insert(db)
      try pool.unsafeReentrantRead { inner in
        #expect(inner === db)
        let count = try Self.count(inner)
        #expect(count == 1)
        let error = databaseError { try Self.insert(inner) }
        #expect(error?.resultCode == .SQLITE_READONLY)
      }
      // A read of the write's thread has the state before, for its reentrant reads too.
      try pool.read { reader in
        let count = try Self.count(reader)
        #expect(count == 0)
        try pool.unsafeReentrantRead { #expect($0 === reader) }
      }
      try Self.insert(db)
    }
    #expect(try pool.unsafeReentrantRead { try Self.count($0) } == 2)
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
        .write { try $0.execute(sql: Self.schema) }
    } else if file == "closed log" {
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.write { try $0.execute(sql: Self.schema) }
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
    let database = try EncryptedPool(Self.schema)
    let statement = try database.pool.writeWithoutTransaction {
      try $0.makeStatement(sql: "SELECT 1")
    }
    try database.pool.close()
    #expect(databaseError { try statement.execute() }?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `an unsafe read sees what is committed meanwhile`() throws {
    let database = try EncryptedPool(Self.schema)
    try database.pool.unsafeRead { db in
      #expect(try Self.count(db) == 0)
      try database.pool.write { try Self.insert($0) }
      #expect(try Self.count(db) == 1)
    }
  }

  @Test func `asynchronous reads and writes give their results`() async throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    try await pool.write { try Self.insert($0) }
    #expect(try await pool.read { try Self.count($0) } == 1)
    #expect(try await pool.unsafeRead { try Self.count($0) } == 1)
    try await pool.barrierWriteWithoutTransaction { try Self.insert($0) }
    let count: Int? = try await withCheckedThrowingContinuation { continuation in
      pool.asyncRead { result in
        continuation.resume(with: Result { try Self.count(result.get()) })
      }
    }
    #expect(count == 2)
  }

  @Test func `a thousand tasks that read at once all get their result`() async throws {
    let database = try EncryptedPool(Self.schema)
    try await database.pool.write { try Self.insert($0) }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<1_000 {
        group.addTask { try await database.pool.read { try Self.count($0) ?? 0 } }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 1_000)
  }

  // MARK: Concurrent reads of a write

  @Test func `a concurrent read sees the state in which it was asked for`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let result = Mutex<Int?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let mayRead = DispatchSemaphore(value: 0)
    try pool.writeWithoutTransaction { db in
      try Self.insert(db)
      pool.asyncConcurrentRead { read in
        mayRead.wait()
        result.withLock { $0 = try? Self.count(read.get()) }
        isDone.signal()
      }
      try Self.insert(db)
      mayRead.signal()
    }
    isDone.wait()
    #expect(result.withLock(\.self) == 1)
  }

  @Test func `a concurrent read can't begin inside a transaction`() throws {
    let database = try EncryptedPool(Self.schema)
    let errors = Mutex<[String]>([])
    try database.pool.write { _ in
      database.pool.spawnConcurrentRead { result in
        if case .failure(let error) = result { errors.withLock { $0.append("\(error)") } }
      }
    }
    #expect(errors.withLock(\.count) == 1)
    #expect(errors.withLock { $0[0].contains("inside a transaction") })
  }

  // MARK: Barriers

  @Test func `a barrier waits for reads, and keeps others waiting`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let events = Mutex<[String]>([])
    let isReading = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? pool.read { db in
        _ = try Self.count(db)
        isReading.signal()
        mayEnd.wait()
        events.withLock { $0.append("read") }
      }
    }
    isReading.wait()
    let isInside = DispatchSemaphore(value: 0)
    detachThread(group: group) {
      try? pool.barrierWriteWithoutTransaction { db in
        isInside.signal()
        events.withLock { $0.append("barrier") }
        try Self.insert(db)
        Thread.sleep(forTimeInterval: 0.02)
        events.withLock { $0.append("end of barrier") }
      }
    }
    mayEnd.signal()
    isInside.wait()
    #expect(try pool.read { try Self.count($0) } == 1)
    events.withLock { $0.append("later read") }
    group.wait()
    #expect(events.withLock(\.self) == ["read", "barrier", "end of barrier", "later read"])
  }

  @Test func `writes that read and reads that write don't block a barrier for ever`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let group = DispatchGroup()
    for number in 0..<6 {
      detachThread(group: group) {
        for _ in 0..<20 {
          switch number % 3 {
          case 0: try? pool.write { _ in _ = try pool.read { try Self.count($0) } }
          case 1: try? pool.read { _ in try pool.write { try Self.insert($0) } }
          default: try? pool.barrierWriteWithoutTransaction { try Self.insert($0) }
          }
        }
      }
    }
    group.wait()
    #expect(try pool.read { try Self.count($0) } == 80)
  }

  @Test func `a barrier in a read or a write throws`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    try pool.read { _ in
      #expect(
        databaseError { try pool.barrierWriteWithoutTransaction { _ in } }?.resultCode
          == .SQLITE_MISUSE)
    }
    try pool.write { _ in
      #expect(
        databaseError { try pool.barrierWriteWithoutTransaction { _ in } }?.resultCode
          == .SQLITE_MISUSE)
    }
  }

  // MARK: The connections

  @Test func `invalidated readers are opened anew`() throws {
    let opened = Mutex(0)
    let database = try EncryptedPool(Self.schema) {
      $0.prepareDatabase { _ in opened.withLock { $0 += 1 } }
    }
    _ = try database.pool.read { try Self.count($0) }
    let before = opened.withLock(\.self)
    try database.pool.read { db in
      database.pool.invalidateReadOnlyConnections()
      let count = try Self.count(db)
      #expect(count == 0)
    }
    #expect(try database.pool.read { try Self.count($0) } == 0)
    #expect(opened.withLock(\.self) == before + 1)
  }

  @Test(arguments: [true, false])
  func `released memory comes with closed readers, unless they persist`(
    isPersistent: Bool
  ) throws {
    let opened = Mutex(0)
    let database = try EncryptedPool(Self.schema) {
      $0.persistentReadOnlyConnections = isPersistent
      $0.prepareDatabase { _ in opened.withLock { $0 += 1 } }
    }
    _ = try database.pool.read { try Self.count($0) }
    let before = opened.withLock(\.self)
    database.pool.releaseMemory()
    database.pool.releaseMemoryEventually()
    _ = try database.pool.read { try Self.count($0) }
    #expect(opened.withLock(\.self) == (isPersistent ? before : before + 1))
  }

  @Test func `a closed pool throws, for waiting reads as well`() throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 1 }
    let pool = database.pool
    try pool.close()
    try pool.close()
    #expect(databaseError { try pool.read { try Self.count($0) } }?.resultCode == .SQLITE_MISUSE)
    #expect(databaseError { try pool.write { try Self.insert($0) } }?.resultCode == .SQLITE_MISUSE)
    let failed = DispatchSemaphore(value: 0)
    pool.asyncRead { if case .failure = $0 { failed.signal() } }
    pool.asyncConcurrentRead { if case .failure = $0 { failed.signal() } }
    failed.wait()
    failed.wait()
    #expect(FileManager.default.fileExists(atPath: database.path + "-wal") == false)
  }

  @Test func `an interruption ends reads and writes`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let codes = Mutex<[ResultCode]>([])
    let begun = Rendezvous(3)
    let group = DispatchGroup()
    for writes in [true, false] {
      detachThread(group: group) {
        let run: (Database) throws -> Void = { db in
          begun.meet()
          _ = try Int.fetchOne(db, sql: endlessSQL)
        }
        do { try writes ? pool.write(run) : pool.read(run) } catch {
          let code = (error as? DatabaseError)?.resultCode ?? .SQLITE_OK
          codes.withLock { $0.append(code) }
        }
      }
    }
    begun.meet()
    let isOver = DispatchSemaphore(value: 0)
    group.notify(queue: DispatchQueue(label: "over")) { isOver.signal() }
    repeat { pool.interrupt() } while isOver.wait(timeout: .now() + 0.01) == .timedOut
    #expect(codes.withLock(\.self) == [.SQLITE_INTERRUPT, .SQLITE_INTERRUPT])
    #expect(try pool.read { try Self.count($0) } == 0)
  }

  @Test func `a cancelled read ends, and its reader can be used again`() async throws {
    let database = try EncryptedPool(Self.schema) { $0.maximumReaderCount = 1 }
    let pool = database.pool
    for _ in 0..<5 {
      let begun = AsyncStream<Void>.makeStream()
      let task = Task {
        try await pool.read { db in
          begun.continuation.yield()
          return try Int.fetchOne(db, sql: endlessSQL)
        }
      }
      let waiting = Task { try await pool.read { try Self.count($0) } }
      for await _ in begun.stream { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await waiting.value == 0)
    }
  }

  // MARK: The key

  @Test func `the key changes with readers around`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let stop = Atomic(false)
    let failures = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<3 {
      detachThread(group: group) {
        while !stop.load(ordering: .relaxed) {
          do { _ = try pool.read { try Self.count($0) } } catch {
            failures.add(1, ordering: .relaxed)
          }
        }
      }
    }
    let newKey = try DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    for number in 0..<6 {
      try pool.changeKey(to: number % 2 == 0 ? newKey : .raw(EncryptedQueue.rawKey))
      try pool.write { try Self.insert($0) }
    }
    try pool.changeKey(to: newKey)
    stop.store(true, ordering: .relaxed)
    group.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(try pool.read { try Self.count($0) } == 6)
    let error = databaseError {
      try DatabaseQueue(path: database.path, configuration: database.configuration)
    }
    #expect(error?.cipherDiagnosis == .wrongKey)
    let other = try DatabasePool(path: database.path, key: newKey)
    #expect(try other.read { try Self.count($0) } == 6)
  }

  @Test func `the key can't change while a snapshot lives`() throws {
    let database = try EncryptedPool(Self.schema) { $0.busyMode = .immediateError }
    let snapshot = try database.pool.makeSnapshot()
    try database.pool.write { try Self.insert($0) }
    let error = databaseError { try database.pool.changeKey(to: .random()) }
    #expect(error?.resultCode == .SQLITE_BUSY)
    #expect(try snapshot.read { try Self.count($0) } == 0)
    #expect(try database.pool.read { try Self.count($0) } == 1)
  }

  @Test func `observers are told of what a pool writes after its key has changed`() throws {
    let database = try EncryptedPool(Self.schema)
    let commits = Mutex(0)
    try database.pool.changeKey(to: .random())
    try database.pool.write { db in
      db.afterNextTransaction { _ in commits.withLock { $0 += 1 } }
      try Self.insert(db)
    }
    #expect(commits.withLock(\.self) == 1)
  }
}

/// Where a number of threads wait for each other.
final class Rendezvous: Sendable {
  private let missing: Mutex<Int>
  private let semaphore = DispatchSemaphore(value: 0)
  private let count: Int

  init(_ count: Int) {
    self.count = count
    missing = Mutex(count)
  }

  func meet() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { for _ in 1..<count { semaphore.signal() } } else { semaphore.wait() }
  }
}
