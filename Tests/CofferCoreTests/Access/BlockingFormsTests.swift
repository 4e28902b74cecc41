import Coffer
import CofferTestSupport
import Testing

/// Blocking accesses in asynchronous code, as in applications: each must compile without
/// a warning.
///
/// A form that was unavailable in asynchronous contexts would be so in closures of tasks without an
/// `await`, in `defer`, and for values that tasks can't send each other.
struct BlockingFormsTests {
  private let database: EncryptedQueue
  private let queue: DatabaseQueue

  init() throws {
    database = try EncryptedQueue("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    queue = database.queue
  }

  private let sql = "SELECT a FROM t"

  @Test func `a task's closure without await blocks`() async throws {
    let task = Task { [queue, sql] in
      let number = try queue.read { try Int.fetchOne($0, sql: sql) }
      try queue.write { try $0.execute(sql: "UPDATE t SET a = a + 1") }
      return number
    }
    #expect(try await task.value == 1)
    let other = Task.detached { [queue, sql] in
      try queue.unsafeRead { try Int.fetchOne($0, sql: sql) }
    }
    #expect(try await other.value == 2)
    try await withThrowingTaskGroup(of: Int?.self) { group in
      group.addTask { [queue, sql] in try queue.read { try Int.fetchOne($0, sql: sql) } }
      for try await number in group { #expect(number == 2) }
    }
  }

  @Test func `values that can't be sent are read without await`() async throws {
    let row = try queue.read { try Row.fetchOne($0, sql: sql) }
    #expect(row?["a"] == 1)
    let rows = try queue.inDatabase { try Row.fetchAll($0, sql: sql) }
    #expect(rows.count == 1)
    await Task.yield()
  }

  @Test func `functions that don't escape are called without await`() async throws {
    func read(_ value: (Database) throws -> Int?) async throws -> Int? { try queue.read(value) }
    #expect(try await read { try Int.fetchOne($0, sql: sql) } == 1)
  }

  @Test func `deferred code, and functions inside of asynchronous ones, block`() async throws {
    func number() throws -> Int? { try queue.read { try Int.fetchOne($0, sql: sql) } }
    do {
      defer { try? queue.write { try $0.execute(sql: "UPDATE t SET a = 5") } }
      #expect(try number() == 1)
      await Task.yield()
    }
    #expect(try number() == 5)
    let increments = try [1, 2].map { increment in
      try queue.read { try Int.fetchOne($0, sql: sql) ?? 0 } + increment
    }
    #expect(increments == [6, 7])
  }

  @Test func `values that can be sent are awaited`() async throws {
    let number = try await queue.read { [sql] db in try Int.fetchOne(db, sql: sql) }
    #expect(number == 1)
    let reader: any DatabaseReader = queue
    let other = try await reader.read { [sql] db in try Int.fetchOne(db, sql: sql) }
    #expect(other == 1)
  }
}
