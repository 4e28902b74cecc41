@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite struct CancellationTests {
  private static let schema = "CREATE TABLE t(a)"

  /// A query of so many rows.
  private static func rowsSQL(_ count: Int) -> String {
    """
    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(count))
    SELECT x FROM c
    """
  }

  /// Expects that later accesses work as if nothing had been cancelled.
  private func checkUsable(_ queue: DatabaseQueue, committed: Int) throws {
    try queue.inDatabase { db in
      #expect(!db.isInsideTransaction)
      #expect(try Int.fetchOne(db, sql: "SELECT count(DISTINCT a) FROM t") == committed)
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO t VALUES (-1)")
        return .rollback
      }
    }
  }

  // MARK: At any moment

  /// A long access.
  ///
  /// - Returns: How many transactions it has committed.
  private static func run(_ number: Int, rows: Int, in queue: DatabaseQueue) async throws -> Int {
    let insertRows = "INSERT INTO t SELECT \(number) FROM (\(rowsSQL(rows)))"
    switch number % 4 {
    case 0:
      _ = try await queue.read { try Int.fetchAll($0, sql: rowsSQL(rows * 10)).count }
      return 0
    case 1: try await queue.writeWithoutTransaction { try $0.execute(sql: insertRows) }
    case 2:
      try await queue.write { db in
        try db.inSavepoint {
          try db.execute(sql: insertRows)
          return .commit
        }
        let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
        _ = try cursor.next()
        try db.execute(sql: "INSERT INTO t VALUES (\(number))")
      }
    default:
      try await queue.write { db in
        for _ in 0...rows / 20 {
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
        }
      }
    }
    return 1
  }

  @Test func `tasks that are cancelled at any moment leave a usable connection`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let committed = await withTaskGroup(of: Int.self) { group in
      var random = SeededGenerator()
      for number in 1...200 {
        let delay = UInt64.random(in: 0...5_000_000, using: &random)
        let rows = Int.random(in: 1...3000, using: &random)
        group.addTask {
          let task = Task { try await Self.run(number, rows: rows, in: queue) }
          try? await Task.sleep(nanoseconds: delay)
          task.cancel()
          do { return try await task.value } catch {
            #expect(error is CancellationError)
            return 0
          }
        }
      }
      return await group.reduce(0, +)
    }
    try checkUsable(queue, committed: committed)
  }

  @Test func `a commit under cancellation reports how it ended`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    var committed = 0
    var random = SeededGenerator()
    for number in 1...200 {
      let task = Task {
        try await queue.write { db in
          for _ in 0..<20 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
        }
      }
      try await Task.sleep(nanoseconds: UInt64.random(in: 0...400_000, using: &random))
      task.cancel()
      do {
        try await task.value
        committed += 1
      } catch { #expect(error is CancellationError) }
    }
    try checkUsable(queue, committed: committed)
  }

  // MARK: At one moment

  @Test func `a cancellation stops a statement that runs`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let started = DispatchSemaphore(value: 0)
    let task = Task {
      try await database.queue.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        started.signal()
        _ = try Int.fetchOne(db, sql: endlessSQL)
      }
    }
    await started.waited()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try checkUsable(database.queue, committed: 0)
  }

  @Test func `an access that ignores the cancellation commits nothing`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let started = DispatchSemaphore(value: 0)
    let task = Task {
      try await database.queue.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        let cursor = try Int.fetchCursor(db, sql: Self.rowsSQL(10))
        _ = try cursor.next()
        started.signal()
        _ = try? Int.fetchOne(db, sql: endlessSQL)
        try? db.inSavepoint {
          try db.execute(sql: "INSERT INTO t VALUES (2)")
          return .commit
        }
        #expect(throws: CancellationError.self) { try Int.fetchOne(db, sql: "SELECT 1") }
      }
    }
    await started.waited()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try checkUsable(database.queue, committed: 0)
  }

  /// Whether an access that does `work`, whose task is cancelled then, and that returns as if
  /// nothing had happened, throws a `CancellationError`.
  private func isTakenBack(
    _ writer: any DatabaseWriter, barrier: Bool,
    _ work: @escaping @Sendable (Database) throws -> Void
  ) async throws -> Bool {
    let body: @Sendable (Database) throws -> Void = { db in
      try work(db)
      withUnsafeCurrentTask { $0?.cancel() }
    }
    let task = Task {
      if barrier {
        try await writer.barrierWriteWithoutTransaction(body)
      } else {
        try await writer.writeWithoutTransaction(body)
      }
    }
    do { try await task.value } catch is CancellationError { return true }
    return false
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a read that has succeeded returns its value, but a cancelled write commits nothing`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try EncryptedDatabase(kind, Self.schema)
    let writer = database.writer
    let body: @Sendable (Database) throws -> Int? = { db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
      // A statement is left running, so that an interruption lasts.
      let cursor = try Int.fetchCursor(db, sql: Self.rowsSQL(10))
      _ = try cursor.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return count
    }
    let reads = [Task { try await writer.read(body) }, Task { try await writer.unsafeRead(body) }]
    for read in reads { #expect(try await read.value == 0) }
    let write = Task {
      try await writer.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        return try body(db)
      }
    }
    await #expect(throws: CancellationError.self) { try await write.value }
    #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, [false, true])
  func `a write without a transaction that returns after its cancellation has its value`(
    kind: EncryptedDatabase.Kind, barrier: Bool
  ) async throws {
    let schema = "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)"
    let database = try EncryptedDatabase(kind, schema)
    let writer = database.writer
    let works: [@Sendable (Database) throws -> Void] = [
      { _ in },
      { _ = try Int.fetchAll($0, sql: "SELECT a FROM t") },
      { try $0.execute(sql: "BEGIN; INSERT INTO t VALUES (2); ROLLBACK") },
      { db in
        // Statements of a cancelled access throw.
        withUnsafeCurrentTask { $0?.cancel() }
        try? db.execute(sql: "INSERT INTO t VALUES (2)")
      },
      { try $0.readOnly {} },
    ]
    for (index, work) in works.enumerated() {
      #expect(try await !isTakenBack(writer, barrier: barrier, work), "\(index)")
      #expect(try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
    }
    // The error is that of the statement.
    #expect(
      try await isTakenBack(writer, barrier: barrier) { db in
        withUnsafeCurrentTask { $0?.cancel() }
        try db.execute(sql: "INSERT INTO t VALUES (2)")
      })
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, [false, true])
  func `a write that has committed returns, whatever is cancelled afterwards`(
    kind: EncryptedDatabase.Kind, barrier: Bool
  ) async throws {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    let writer = database.writer
    let statements = [
      "INSERT INTO t VALUES (2)", "BEGIN; INSERT INTO t VALUES (3); COMMIT",
      "SAVEPOINT a; INSERT INTO t VALUES (4); RELEASE a", "CREATE TABLE u (a)",
      "PRAGMA user_version = 7", "INSERT INTO t VALUES (5); BEGIN; DELETE FROM t; ROLLBACK",
    ]
    for sql in statements {
      #expect(
        try await !isTakenBack(writer, barrier: barrier) { try $0.execute(sql: sql) }, "\(sql)")
    }
    let works: [@Sendable (Database) throws -> Void] = [
      { db in
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO t VALUES (6)")
          return .commit
        }
      },
      // The rows before the failure stay.
      { db in
        let sql = "INSERT OR FAIL INTO t SELECT 7 UNION ALL SELECT 1"
        #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      },
      { try $0.erase() },
    ]
    for (index, work) in works.enumerated() {
      #expect(try await !isTakenBack(writer, barrier: barrier, work), "\(index)")
      guard index == 1 else { continue }
      #expect(
        try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
          == Array(1...7))
    }
    #expect(
      try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0
    )
  }

  @Test func `a task that is cancelled before its access begins none`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let calls = Locked(0)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await database.queue.write { _ in calls.increment() }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(calls.value == 0)
  }

  @Test func `a cancelled task that waits ends while the access before it lasts`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let isHeld = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    let calls = Locked(0)
    queue.asyncWriteWithoutTransaction { _ in
      isHeld.signal()
      release.wait()
    }
    await isHeld.waited()
    let tasks = (0..<10).map { _ in
      Task { try await queue.write { _ in calls.increment() } }
    }
    for task in tasks { task.cancel() }
    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    release.signal()
    try checkUsable(queue, committed: 0)
    #expect(calls.value == 0)
  }

  @Test func `a cancellation just before a statement's first step stops it`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    for _ in 0..<100 {
      let started = DispatchSemaphore(value: 0)
      let task = Task {
        try await queue.read { db in
          let statement = try db.makeStatement(sql: endlessSQL)
          started.signal()
          return try Int.fetchOne(statement)
        }
      }
      await started.waited()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try checkUsable(queue, committed: 0)
  }

  @Test func `a cancelled access doesn't harm the next`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    var random = SeededGenerator()
    for _ in 0..<50 {
      let first = Task { try await queue.read { try Int.fetchOne($0, sql: endlessSQL) } }
      let second = Task { try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } }
      let third = Task {
        try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (-5)") }
      }
      try await Task.sleep(nanoseconds: UInt64.random(in: 0...1_000_000, using: &random))
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      #expect(try await second.value == 1)
      try await third.value
    }
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 50)
  }

  // MARK: Interruptions

  @Test func `tasks that wait for an access leave a scheduled one its thread`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    // More tasks than there are threads for them, each waiting behind a scheduled access.
    let isHeld = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    detachThread {
      try? queue.inDatabase { _ in
        isHeld.signal()
        release.wait()
      }
    }
    await isHeld.waited()
    queue.asyncWriteWithoutTransaction { _ in }
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<64 {
        group.addTask { try queue.unsafeReentrantRead { _ in 1 } }
      }
      group.addTask {
        release.signal()
        return 0
      }
      detachThread {
        usleep(50_000)
        release.signal()
      }
      return try await group.reduce(0, +)
    }
    #expect(count == 64)
  }

  @Test func `an interruption from another thread stops statements`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let isDone = Atomic(false)
    detachThread {
      while !isDone.load(ordering: .relaxed) {
        queue.interrupt()
        usleep(200)
      }
    }
    let error = databaseError { try queue.read { try Int.fetchOne($0, sql: endlessSQL) } }
    isDone.store(true, ordering: .relaxed)
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
    #expect(error?.isInterruptionError == true)
  }

  @Test func `interruptions leave no transaction open, and commit no half of one`() throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    let isDone = Atomic(false)
    let group = DispatchGroup()
    detachThread(group: group) {
      var random = SeededGenerator()
      while !isDone.load(ordering: .relaxed) {
        queue.interrupt()
        usleep(UInt32.random(in: 0...60, using: &random))
      }
    }
    struct Undone: Error {}
    var committed = 0
    for number in 1...300 {
      do {
        try queue.write { db in
          let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
          _ = try cursor.next()
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
          try? db.inSavepoint {
            // Never committed, however the savepoint ends.
            try db.execute(sql: "INSERT INTO t VALUES (100000)")
            throw Undone()
          }
        }
        committed += 1
      } catch {
        let code = (error as? DatabaseError)?.resultCode
        #expect(code == .SQLITE_INTERRUPT || code == .SQLITE_ABORT, "\(error)")
      }
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    try checkUsable(queue, committed: committed)
    let strays = "SELECT count(*) FROM t WHERE a = 100000"
    #expect(try queue.read { try Int.fetchOne($0, sql: strays) } == 0)
  }

  // MARK: While it is requested

  /// Cancelled at this moment, the task goes on while its request is still being made.
  @Test func `an access lives until it has been requested, though its task is over`() async {
    let task = Mutex<Task<Void, any Error>?>(nil)
    let (begin, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let looked = DispatchSemaphore(value: 0)
    let isAlive = Atomic(false)
    let access = Task(executorPreference: BlockableThreads()) {
      begin.wait()
      defer { over.signal() }
      try await CancellableAccess<Void>.run { token in
        weak let reference = token
        task.withLock { $0 }?.cancel()
        over.wait()
        isAlive.store(reference != nil, ordering: .relaxed)
        looked.signal()
      }
    }
    task.withLock { $0 = access }
    begin.signal()
    await #expect(throws: CancellationError.self) { try await access.value }
    await looked.waited()
    let wasAlive = isAlive.load(ordering: .relaxed)
    #expect(wasAlive)
  }
}

/// Threads that a test can block: the tasks' own are as few as the machine's cores.
private final class BlockableThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
