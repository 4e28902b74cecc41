@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Concurrent reads and barriers of a pool", .timeLimit(.minutes(15)))
struct PoolBarrierTests {
  // MARK: Concurrent reads of a write

  @Test func `a concurrent read sees the state in which it was asked for`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    let result = Mutex<Int?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let mayRead = DispatchSemaphore(value: 0)
    try pool.writeWithoutTransaction { db in
      try PoolPlayers.insert(db)
      pool.asyncConcurrentRead { read in
        mayRead.wait()
        result.withLock { $0 = try? PoolPlayers.count(read.get()) }
        isDone.signal()
      }
      try PoolPlayers.insert(db)
      mayRead.signal()
    }
    isDone.wait()
    #expect(result.withLock(\.self) == 1)
  }

  @Test func `a concurrent read can't begin inside a transaction`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
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
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    let events = Mutex<[String]>([])
    let isReading = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? pool.read { db in
        _ = try PoolPlayers.count(db)
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
        try PoolPlayers.insert(db)
        Thread.sleep(forTimeInterval: 0.02)
        events.withLock { $0.append("end of barrier") }
      }
    }
    mayEnd.signal()
    isInside.wait()
    #expect(try pool.read { try PoolPlayers.count($0) } == 1)
    events.withLock { $0.append("later read") }
    group.wait()
    #expect(events.withLock(\.self) == ["read", "barrier", "end of barrier", "later read"])
  }

  @Test func `writes that read and reads that write don't block a barrier for ever`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
    let pool = database.pool
    let group = DispatchGroup()
    for number in 0..<6 {
      detachThread(group: group) {
        for _ in 0..<20 {
          switch number % 3 {
          case 0: try? pool.write { _ in _ = try pool.read { try PoolPlayers.count($0) } }
          case 1: try? pool.read { _ in try pool.write { try PoolPlayers.insert($0) } }
          default: try? pool.barrierWriteWithoutTransaction { try PoolPlayers.insert($0) }
          }
        }
      }
    }
    group.wait()
    #expect(try pool.read { try PoolPlayers.count($0) } == 80)
  }

  @Test func `a barrier in a read or a write throws`() throws {
    let database = try EncryptedPool(PoolPlayers.schema)
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
}
