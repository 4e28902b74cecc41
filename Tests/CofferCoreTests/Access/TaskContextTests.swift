import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

/// The context of a task is visible in the closures of its accesses.
@Suite struct TaskContextTests {
  private enum Request {
    @TaskLocal static var number = 0
  }

  @Test func `task-local values are seen inside of every asynchronous access`() async throws {
    let database = try EncryptedPool("CREATE TABLE t (a)")
    let pool = database.pool
    let queue = try EncryptedQueue()
    let snapshot = try pool.makeSnapshot()
    let snapshots = try pool.makeSnapshotPool()
    let readers: [any DatabaseReader] = [
      pool, queue.queue, snapshot, snapshots, AnyDatabaseWriter(pool), AnyDatabaseReader(snapshot),
    ]
    let writers: [any DatabaseWriter] = [pool, queue.queue, AnyDatabaseWriter(queue.queue)]
    let numbers = try await Request.$number.withValue(42) {
      var numbers: [Int] = []
      for reader in readers {
        numbers.append(try await reader.read { _ in Request.number })
        numbers.append(try await reader.unsafeRead { _ in Request.number })
      }
      for writer in writers {
        numbers.append(try await writer.write { _ in Request.number })
        numbers.append(try await writer.writeWithoutTransaction { _ in Request.number })
        numbers.append(try await writer.barrierWriteWithoutTransaction { _ in Request.number })
      }
      numbers.append(try await DocumentStore(pool).write { _ in Request.number })
      return numbers
    }
    #expect(numbers == Array(repeating: 42, count: 22))
    let outside = try await pool.read { _ in Request.number }
    #expect(outside == 0)
  }

  @Test func `each of many tasks sees its own`() async throws {
    let database = try EncryptedPool("CREATE TABLE t (a)")
    let pool = database.pool
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...200 {
        group.addTask {
          try await Request.$number.withValue(number) {
            let mine = Request.number
            let read = try await pool.read { db in
              try Int.fetchOne(db, sql: "SELECT ?", arguments: [Request.number]) ?? 0
            }
            let written = try await pool.write { db in
              try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [Request.number])
              return Request.number
            }
            return read == mine && written == mine ? mine : 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 200 * 201 / 2)
    #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT sum(a) FROM t") } == sum)
  }

  @Test func `the cancellation of the task is seen inside`() async throws {
    let database = try EncryptedPool("CREATE TABLE t (a)")
    let pool = database.pool
    for isWrite in [false, true] {
      let began = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        let body: @Sendable (Database) throws -> Bool = { _ in
          let before = Task.isCancelled
          began.continuation.yield()
          while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
          return before
        }
        return isWrite ? try await pool.write(body) : try await pool.read(body)
      }
      for await _ in began.stream.prefix(1) {}
      task.cancel()
      switch await task.result {
      // A write that has committed nothing has no result.
      case .success(let before): #expect(!isWrite && !before)
      case .failure(let error): #expect(isWrite && error is CancellationError)
      }
    }
    #expect(try await pool.read { _ in Task.isCancelled } == false)
  }

  @Test func `an access runs on a thread of the database, and its caller goes on where it was`()
    async throws
  {
    let database = try EncryptedQueue()
    let queue = database.queue
    await MainActor.run { MainActor.assertIsolated() }
    try await Task { @MainActor in
      let label = try await queue.read { _ in
        #expect(!Thread.isMainThread)
        return 1
      }
      MainActor.assertIsolated()
      #expect(label == 1)
    }.value
  }

  @Test func `cancelled requests that wait end at once, and others keep their turn`() async throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let queue = database.queue
    let isHeld = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    queue.asyncWriteWithoutTransaction { _ in
      isHeld.signal()
      mayEnd.wait()
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isHeld.wait()
        continuation.resume()
      }
    }
    let given = (1...20).map { number in
      Task { try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (\(number))") } }
    }
    let kept = (101...120).map { number in
      Task { try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (\(number))") } }
    }
    for task in given { task.cancel() }
    // While the connection is still held.
    for task in given {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    mayEnd.signal()
    for task in kept { try await task.value }
    let numbers = try await queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    #expect(numbers == Array(101...120))
  }

  @Test func `a closed database fails the access`() async throws {
    let database = try EncryptedPool()
    let queue = try EncryptedQueue()
    try database.pool.close()
    try queue.queue.close()
    for writer in [database.pool, queue.queue] as [any DatabaseWriter] {
      await expectFailure(.SQLITE_MISUSE) { try await writer.read { _ in } }
      await expectFailure(.SQLITE_MISUSE) { try await writer.write { _ in } }
      await expectFailure(.SQLITE_MISUSE) {
        try await writer.barrierWriteWithoutTransaction { _ in }
      }
    }
  }
}
