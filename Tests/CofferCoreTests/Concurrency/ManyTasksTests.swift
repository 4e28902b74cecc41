@testable import CofferCore
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@Suite("Many tasks", .serialized, .timeLimit(.minutes(15)))
struct ManyTasksTests {
  /// The threads of this process.
  private static func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a thousand tasks that read and write at once need few threads`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let writer = database.writer
    let before = Self.threadCount()
    let threads = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          if number % 10 == 0 {
            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
          }
          return try await writer.read { db in
            let ones = try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = 1")
            #expect(ones == 1)
            return number % 50 == 0 ? Self.threadCount() : 0
          }
        }
      }
      return try await group.reduce(0, max)
    }
    // Other tests that run at the same time have threads too.
    #expect(threads > 0)
    #expect(threads < before + 300)
    #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 101)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a thousand callbacks are all called`(kind: EncryptedDatabase.Kind) throws {
    let database = try EncryptedDatabase(kind, "CREATE TABLE t (a)")
    let group = DispatchGroup()
    let counts = Locked<[Int?]>([])
    for _ in 0..<1_000 {
      group.enter()
      database.writer.asyncRead { result in
        counts.append(try? Int.fetchOne(result.get(), sql: "SELECT count(*) FROM t"))
        group.leave()
      }
    }
    group.wait()
    #expect(counts.value == Array(repeating: 0, count: 1_000))
  }
}
