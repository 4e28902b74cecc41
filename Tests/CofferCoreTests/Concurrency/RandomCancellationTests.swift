@testable import CofferCore
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Tasks that are cancelled while they wait, run, commit, or have just ended.
@Suite("Cancellation at any moment", .timeLimit(.minutes(15)))
struct RandomCancellationTests {
  private static let schema = "CREATE TABLE t (task INTEGER, part INTEGER)"

  /// Each way that suspends a task.
  private enum Access: Int, CaseIterable {
    case read, unsafeRead, write, writeWithoutTransaction, barrierWrite, carefreeWrite
    case snapshot, readInWrite, twoAccesses

    /// - Returns: How many pairs of rows it has committed.
    func run(_ task: Int, in writer: any DatabaseWriter) async throws -> Int {
      switch self {
      case .read: _ = try await writer.read(Self.look)
      case .unsafeRead: _ = try await writer.unsafeRead(Self.look)
      case .write: try await writer.write { try Self.insertPair($0, task) }
      case .writeWithoutTransaction:
        try await writer.writeWithoutTransaction { db in
          try db.inTransaction {
            try Self.insertPair(db, task)
            return .commit
          }
        }
      case .barrierWrite:
        try await writer.barrierWriteWithoutTransaction { db in
          try db.inTransaction {
            try Self.insertPair(db, task)
            return .commit
          }
        }
      case .carefreeWrite:
        let hasCommitted = try await writer.writeWithoutTransaction { db in
          // The error is ignored, so that the access returns.
          let result: Void? = try? db.inTransaction {
            try Self.insertPair(db, task)
            return .commit
          }
          return result != nil
        }
        return hasCommitted ? 1 : 0
      case .snapshot:
        if let pool = writer as? DatabasePool {
          let snapshot = try pool.makeSnapshot()
          let first = try await snapshot.read(Self.look)
          #expect(try await snapshot.read(Self.look) == first)
        }
      case .readInWrite:
        try await writer.write { db in
          try Self.insertPair(db, task)
          _ = try Self.look(db)
        }
      case .twoAccesses:
        let before = try await writer.read(Self.look)
        try await writer.write { try Self.insertPair($0, task) }
        // The pair is committed, even if this task is cancelled from now on.
        if let after = try? await writer.read(Self.look) { #expect(after > before) }
      }
      return changesRows ? 1 : 0
    }

    private var changesRows: Bool {
      switch self {
      case .read, .unsafeRead, .snapshot: false
      default: true
      }
    }

    @Sendable private static func look(_ db: Database) throws -> Int {
      let rows = try Row.fetchAll(db, sql: "SELECT task, count(*) AS n FROM t GROUP BY task")
      // Reads outside of a transaction may look between the halves of none: they see commits only.
      for row in rows { #expect(row["n"] as Int == 2) }
      return rows.count
    }

    @Sendable private static func insertPair(_ db: Database, _ task: Int) throws {
      for part in 0..<2 {
        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [task, part])
        _ = try Int.fetchOne(
          db,
          sql: """
            WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500)
            SELECT sum(x) FROM c
            """)
      }
    }
  }

  /// Runs accesses of all kinds and cancels each after a random time.
  ///
  /// - Returns: How many have committed.
  private func cancelAtRandom(
    _ writer: any DatabaseWriter, count: Int, delay: UInt64
  ) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      var random = SeededGenerator()
      for number in 0..<count {
        let access = Access.allCases[number % Access.allCases.count]
        let delay = UInt64.random(in: 0...delay, using: &random)
        group.addTask {
          let task = Task { try await access.run(number, in: writer) }
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
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, [0, 200_000, 20_000_000])
  func `an access that returns has committed, whatever else is cancelled`(
    kind: EncryptedDatabase.Kind, delay: UInt64
  ) async throws {
    let trials = trialCount(400)
    // Each file with a few, since reads look at all rows.
    for start in stride(from: 0, to: trials, by: 400) {
      let database = try EncryptedDatabase(kind, Self.schema)
      let committed = await cancelAtRandom(
        database.writer, count: min(400, trials - start), delay: delay)
      try await checkUsable(database.writer, committed: committed)
    }
  }

  private func checkUsable(_ writer: any DatabaseWriter, committed: Int) async throws {
    let sql = "SELECT count(*) FROM t"
    // A task may throw its cancellation after a commit, but never returns without one.
    let rows = try await writer.read { try Int.fetchOne($0, sql: sql) ?? 0 }
    #expect(rows == 2 * committed)
    try await writer.barrierWriteWithoutTransaction { db in
      #expect(!db.isInsideTransaction)
      try db.execute(sql: "INSERT INTO t VALUES (-1, 0)")
    }
    // All readers of a pool are there, and see the last commit.
    let count = writer.configuration.maximumReaderCount
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count * 2 {
        group.addTask { try await writer.read { try Int.fetchOne($0, sql: sql) ?? 0 } }
      }
      for try await read in group { #expect(read == rows + 1) }
    }
    try writer.close()
  }

  @Test func `cancelled tasks that wait for a reader leave the line to the others`() async throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let readers = pool.configuration.maximumReaderCount
    let mayEnd = DispatchSemaphore(value: 0)
    let begun = AsyncStream<Void>.makeStream()
    let busy = (0..<readers).map { _ in
      Task {
        try await pool.read { _ in
          begun.continuation.yield()
          mayEnd.wait()
        }
      }
    }
    var count = 0
    for await _ in begun.stream {
      count += 1
      if count == readers { break }
    }
    let waiting = (0..<200).map { _ in
      Task { try await pool.read { try Int.fetchOne($0, sql: "SELECT 1") } }
    }
    await Task.yield()
    for (index, task) in waiting.enumerated() where index % 2 == 0 { task.cancel() }
    for (index, task) in waiting.enumerated() where index % 2 == 0 {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    for _ in busy { mayEnd.signal() }
    for task in busy { try await task.value }
    for (index, task) in waiting.enumerated() where index % 2 == 1 {
      #expect(try await task.value == 1)
    }
  }
}
