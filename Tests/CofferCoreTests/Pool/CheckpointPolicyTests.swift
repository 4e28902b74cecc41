@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Checkpoints of a pool", .serialized, .timeLimit(.minutes(15)))
struct CheckpointPolicyTests {
  private static let schema = "CREATE TABLE t (a)"
  private static let label = "a pool with short logs"

  /// Writes about so many pages, in commits of ten.
  private func write(
    pages: Int, to pool: DatabasePool, afterCommit: (Int) -> Void = { _ in }
  ) throws {
    for number in 1...pages / 10 {
      try pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (zeroblob(36000))")
      }
      afterCommit(number)
    }
  }

  private func policy(_ automatic: Int, _ maximum: Int) -> (inout Configuration) -> Void {
    {
      $0.label = Self.label
      $0.checkpointPolicy = CheckpointPolicy(
        automaticPageCount: automatic, maximumPageCount: maximum)
    }
  }

  /// Runs `body`, and returns the warnings of long logs that this suite's pools logged meanwhile.
  private func warnings(_ body: () throws -> Void) rethrows -> [String] {
    let warnings = Mutex<[String]>([])
    let usual = Database.logError
    Database.logError = { code, message in
      if code == .SQLITE_WARNING, message.contains("write-ahead log"), message.contains(Self.label)
      {
        warnings.withLock { $0.append(message) }
      }
    }
    defer { Database.logError = usual }
    try body()
    return warnings.withLock { $0 }
  }

  @Test func `the log stays short with short reads around`() throws {
    let database = try EncryptedPool(Self.schema, configure: policy(50, 200))
    let stop = Atomic(false)
    let group = DispatchGroup()
    /// The number of commits, and that at the beginning of each thread's read.
    let progress = Mutex((commits: 0, reads: [Int: Int]()))
    for thread in 0..<3 {
      detachThread(group: group) {
        while !stop.load(ordering: .relaxed) {
          progress.withLock { $0.reads[thread] = $0.commits }
          _ = try? database.pool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
            Thread.sleep(forTimeInterval: 0.001)
          }
          progress.withLock { $0.reads[thread] = nil }
        }
      }
    }
    let warnings = try warnings {
      try write(pages: 3_000, to: database.pool) { number in
        progress.withLock { $0.commits = number }
        // A read is short if it lasts for few commits, also where a busy machine leaves it waiting.
        while progress.withLock({ $0.reads.values.contains { $0 < number - 10 } }) { usleep(200) }
      }
    }
    stop.store(true, ordering: .relaxed)
    group.wait()
    let pageSize = try database.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 0
    // Where a busy machine stretches reads to more than 0.1 s, the log grows by half until the next
    // try.
    let limit = 220 * pow(1.5, Double(warnings.count)) + 300
    #expect(Double(database.logSize()) < limit * Double(pageSize + 24), "\(warnings)")
  }

  @Test func `a reader that keeps the log long is logged, and the log shrinks after it`() throws {
    let database = try EncryptedPool(Self.schema, configure: policy(50, 200))
    let snapshot = try database.pool.makeSnapshot()
    let warnings = try warnings { try write(pages: 600, to: database.pool) }
    let pageSize = try database.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 0
    #expect(database.logSize() > 500 * pageSize)
    #expect(warnings.first?.contains("holds on to an old state") == true)
    #expect(warnings.count < 8)
    try snapshot.close()
    try write(pages: 900, to: database.pool)
    #expect(database.logSize() < 500 * (pageSize + 24))
  }

  @Test func `a manual policy leaves the log alone`() throws {
    let database = try EncryptedPool(Self.schema) { $0.checkpointPolicy = .manual }
    try write(pages: 1_500, to: database.pool)
    let pageSize = try database.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 0
    #expect(database.logSize() > 1_400 * pageSize)
    try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    #expect(database.logSize() == 0)
  }
}
