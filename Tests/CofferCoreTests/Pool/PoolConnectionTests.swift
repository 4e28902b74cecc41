@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("The connections of a pool", .timeLimit(.minutes(15)))
struct PoolConnectionTests {
  // MARK: The connections

  @Test func `invalidated readers are opened anew`() throws {
    let opened = Mutex(0)
    let database = try EncryptedPool(PoolPlayers.schema) {
      $0.prepareDatabase { _ in opened.withLock { $0 += 1 } }
    }
    _ = try database.pool.read { try PoolPlayers.count($0) }
    let before = opened.withLock(\.self)
    try database.pool.read { db in
      database.pool.invalidateReadOnlyConnections()
      let count = try PoolPlayers.count(db)
      #expect(count == 0)
    }
    #expect(try database.pool.read { try PoolPlayers.count($0) } == 0)
    #expect(opened.withLock(\.self) == before + 1)
  }

  @Test(arguments: [true, false])
  func `released memory comes with closed readers, unless they persist`(
    isPersistent: Bool
  ) throws {
    let opened = Mutex(0)
    let database = try EncryptedPool(PoolPlayers.schema) {
      $0.persistentReadOnlyConnections = isPersistent
      $0.prepareDatabase { _ in opened.withLock { $0 += 1 } }
    }
    _ = try database.pool.read { try PoolPlayers.count($0) }
    let before = opened.withLock(\.self)
    database.pool.releaseMemory()
    database.pool.releaseMemoryEventually()
    _ = try database.pool.read { try PoolPlayers.count($0) }
    #expect(opened.withLock(\.self) == (isPersistent ? before : before + 1))
  }

  @Test func `a closed pool throws, for waiting reads as well`() throws {
    let database = try EncryptedPool(PoolPlayers.schema) { $0.maximumReaderCount = 1 }
    let pool = database.pool
    try pool.close()
    try pool.close()
    #expect(
      databaseError { try pool.read { try PoolPlayers.count($0) } }?.resultCode == .SQLITE_MISUSE)
    #expect(
      databaseError { try pool.write { try PoolPlayers.insert($0) } }?.resultCode == .SQLITE_MISUSE)
    let failed = DispatchSemaphore(value: 0)
    pool.asyncRead { if case .failure = $0 { failed.signal() } }
    pool.asyncConcurrentRead { if case .failure = $0 { failed.signal() } }
    failed.wait()
    failed.wait()
    #expect(FileManager.default.fileExists(atPath: database.path + "-wal") == false)
  }

  @Test func `an interruption ends reads and writes`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
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
    #expect(try pool.read { try PoolPlayers.count($0) } == 0)
  }

  @Test func `a cancelled read ends, and its reader can be used again`() async throws {
    let database = try EncryptedPool(PoolPlayers.schema) { $0.maximumReaderCount = 1 }
    let pool = database.pool
    for _ in 0..<5 {
      let begun = AsyncStream<Void>.makeStream()
      let task = Task {
        try await pool.read { db in
          begun.continuation.yield()
          return try Int.fetchOne(db, sql: endlessSQL)
        }
      }
      let waiting = Task { try await pool.read { try PoolPlayers.count($0) } }
      for await _ in begun.stream { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await waiting.value == 0)
    }
  }

  // MARK: The key

  @Test func `the key changes with readers around`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    let stop = Atomic(false)
    let failures = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<3 {
      detachThread(group: group) {
        while !stop.load(ordering: .relaxed) {
          do { _ = try pool.read { try PoolPlayers.count($0) } } catch {
            failures.add(1, ordering: .relaxed)
          }
        }
      }
    }
    let newKey = try DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    for number in 0..<6 {
      try pool.changeKey(to: number % 2 == 0 ? newKey : .raw(EncryptedQueue.rawKey))
      try pool.write { try PoolPlayers.insert($0) }
    }
    try pool.changeKey(to: newKey)
    stop.store(true, ordering: .relaxed)
    group.wait()
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(try pool.read { try PoolPlayers.count($0) } == 6)
    let error = databaseError {
      try DatabaseQueue(path: database.path, configuration: database.configuration)
    }
    #expect(error?.cipherDiagnosis == .wrongKey)
    let other = try DatabasePool(path: database.path, key: newKey)
    #expect(try other.read { try PoolPlayers.count($0) } == 6)
  }

  @Test func `the key can't change while a snapshot lives`() throws {
    let database = try EncryptedPool(PoolPlayers.schema) { $0.busyMode = .immediateError }
    let snapshot = try database.pool.makeSnapshot()
    try database.pool.write { try PoolPlayers.insert($0) }
    let error = databaseError { try database.pool.changeKey(to: .seeded()) }
    #expect(error?.resultCode == .SQLITE_BUSY)
    #expect(try snapshot.read { try PoolPlayers.count($0) } == 0)
    #expect(try database.pool.read { try PoolPlayers.count($0) } == 1)
  }

  @Test func `observers are told of what a pool writes after its key has changed`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let commits = Mutex(0)
    try database.pool.changeKey(to: .seeded())
    try database.pool.write { db in
      db.afterNextTransaction { _ in commits.withLock { $0 += 1 } }
      try PoolPlayers.insert(db)
    }
    #expect(commits.withLock(\.self) == 1)
  }
}
