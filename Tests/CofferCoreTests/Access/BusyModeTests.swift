import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Coffer

struct BusyModeTests {
  let database: EncryptedQueue

  init() throws {
    database = try EncryptedQueue("CREATE TABLE t (x)")
  }

  private func queue(_ mode: Database.BusyMode) throws -> DatabaseQueue {
    try database.other { $0.busyMode = mode }
  }

  private func insert(_ queue: DatabaseQueue) throws {
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  @Test func `without a wait, a busy database throws`() throws {
    let other = try queue(.immediateError)
    try database.queue.write { _ in
      expectFailure(.SQLITE_BUSY) { try insert(other) }
    }
    try insert(other)
  }

  @Test func `a wait ends when its time is over`() throws {
    let other = try queue(.timeout(0.02))
    try database.queue.write { _ in
      expectFailure(.SQLITE_BUSY) { try insert(other) }
    }
    try insert(other)
  }

  @Test func `a writer waits for another one`() throws {
    let other = try queue(.timeout(60))
    let holds = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    let first = database.queue
    let done = DispatchGroup()
    detachThread(group: done) {
      try? first.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        holds.signal()
        release.wait()
      }
    }
    holds.wait()
    detachThread {
      usleep(20_000)
      release.signal()
    }
    try insert(other)
    done.wait()
    #expect(try other.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [2, 1])
  }

  @Test func `a function decides how long a writer waits`() throws {
    let tries = Mutex<[Int]>([])
    let other = try queue(
      .callback { count in
        tries.withLock { $0.append(count) }
        return count < 3
      })
    try database.queue.write { _ in
      expectFailure(.SQLITE_BUSY) { try insert(other) }
    }
    #expect(tries.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test func `a cancelled access stops waiting`() async throws {
    let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
    let other = try queue(
      .callback { _ in
        waiting.yield()
        usleep(1000)
        return true
      })
    try await holdingLock {
      let task = Task { try await other.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
      for await _ in waits { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try insert(other)
  }

  @Test func `an interruption ends a wait`() async throws {
    let other = try queue(.timeout(3600))
    try await holdingLock {
      // On threads, since tasks have only as many as the machine has cores.
      let isOver = Atomic(false)
      let interrupting = DispatchGroup()
      detachThread(group: interrupting) {
        while !isOver.load(ordering: .relaxed) {
          other.interrupt()
          usleep(1000)
        }
      }
      let error: DatabaseError? = await withCheckedContinuation { continuation in
        detachThread { continuation.resume(returning: databaseError { try insert(other) }) }
      }
      #expect(error?.resultCode == .SQLITE_INTERRUPT)
      isOver.store(true, ordering: .relaxed)
      await withCheckedContinuation { continuation in
        interrupting.notify(queue: DispatchQueue(label: "interrupting")) { continuation.resume() }
      }
    }
    try insert(other)
  }

  /// Executes `body` while another connection holds the right to write.
  private func holdingLock(_ body: () async throws -> Void) async throws {
    let release = DispatchSemaphore(value: 0)
    let first = database.queue
    let (holds, holding) = AsyncStream.makeStream(of: Void.self)
    let done = DispatchGroup()
    detachThread(group: done) {
      try? first.write { _ in
        holding.finish()
        release.wait()
      }
    }
    for await _ in holds {}
    defer {
      release.signal()
      done.wait()
    }
    try await body()
  }
}
