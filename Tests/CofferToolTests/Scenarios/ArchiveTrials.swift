import Coffer
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferToolKit

/// A database that is written to while its run and a copy's follower are killed, and its archive is
/// pruned, for as long as `COFFER_ARCHIVE_SECONDS` says.
struct ArchiveTrials {
  private static let seconds =
    Double(ProcessInfo.processInfo.environment["COFFER_ARCHIVE_SECONDS"] ?? "") ?? 4

  /// The numbers from 1 on, each with one more row than the commit before.
  private static let sql = "INSERT INTO trial (n) SELECT 1 + coalesce(max(n), 0) FROM trial"

  /// Returns the last number of a state, which has all before it.
  private static func last(_ reader: some DatabaseReader) throws -> Int {
    try reader.read { db in
      let row = try #require(
        try Row.fetchOne(
          db, sql: "SELECT count(*), coalesce(max(n), 0), coalesce(sum(n), 0) FROM trial"))
      let (count, last, sum): (Int, Int, Int) = (row[0], row[1], row[2])
      #expect(count == last && sum == last * (last + 1) / 2, "\(count) \(last) \(sum)")
      return last
    }
  }

  @Test func `kills and prunes lose no commit that was archived, and no read of a copy is torn`()
    throws
  {
    let vault = try Vault()
    let key = vault.folder.path("key")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let pool = try DatabasePool(path: vault.path, key: .file(key))
    try pool.write { try $0.execute(sql: "CREATE TABLE trial (n INTEGER PRIMARY KEY)") }
    let isDone = Atomic(false)
    let script = """
      finish=$(($(date +%s%N) + \(Int(Self.seconds * 1e9))))
      going() { [ $(date +%s%N) -lt $finish ]; }
      ( while going; do
          $coffer archive run vault.db --to arch --interval 0.05 --layers 1s,3s,9s --keep-commits 5s \\
            --key-file key 2>>run.errors & child=$!
          sleep 0.$((RANDOM % 900 + 100)); kill -KILL $child; wait $child
        done ) 2>/dev/null &
      ( while going; do
          $coffer archive follow copy.db --from arch --interval 0.05 --key-file key >/dev/null 2>>follow.errors &
          child=$!; sleep 0.$((RANDOM % 900 + 100)); kill -KILL $child; wait $child
        done ) 2>/dev/null &
      ( while going; do
          sleep 0.5
          $coffer archive prune vault.db --from arch --keep-commits 3s --keep-5min 5s --keep-hours 8s \\
            --key-file key >/dev/null 2>>prune.errors
        done ) &
      wait
      # A copy that stays behind for long begins anew; nothing else ends it for good.
      ! grep -l 'coffer exec\\|malformed\\|damaged' run.errors follow.errors prune.errors
      """
    let writer = Work {
      while !isDone.load(ordering: .relaxed) {
        do { try pool.write { try $0.execute(sql: Self.sql) } } catch { Issue.record(error) }
        usleep(5_000)
      }
    }
    let work = Work {
      defer { isDone.store(true, ordering: .relaxed) }
      return try vault.bash(script)
    }
    var last = 0
    while !work.isDone {
      usleep(20_000)
      guard let seen = try Self.copied(vault, key) else { continue }
      #expect(seen >= last, "the copy went back from \(last) to \(seen)")
      last = seen
    }
    writer.wait()
    let killed = try #require(try work.result?.get())
    #expect(killed.code == 0, "\(killed.output) \(killed.error)")
    let written = try Self.last(pool)
    try pool.close()
    let run = try vault.run("archive", "run", "vault.db", "--to", "arch", "--once")
    #expect(run.code == 0, "\(run.error)")
    let verified = try vault.run("archive", "verify", "--from", "arch")
    #expect(verified.code == 0, "\(verified.output) \(verified.error)")
    let restored = try vault.run("archive", "restore", "r.db", "--from", "arch")
    #expect(restored.code == 0, "\(restored.error)")
    let queue = try DatabaseQueue(path: vault.folder.path("r.db"), key: .file(key))
    #expect(try Self.last(queue) == written && last <= written)
    try queue.close()
  }

  /// Returns the last number of the copy; nil where it is in the making, or can't be read now.
  private static func copied(_ vault: Vault, _ key: String) throws -> Int? {
    let path = vault.folder.path("copy.db")
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.key = try .file(key)
    guard let copy = try? DatabaseQueue(path: path, configuration: configuration) else {
      return nil
    }
    defer { try? copy.close() }
    do { return try last(copy) } catch let error as DatabaseError
      where [.SQLITE_BUSY, .SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
    {
      // A log that a killed process has left is recovered by one that can write.
      return nil
    }
  }

  /// Work on a thread of its own.
  private final class Work<Value: Sendable>: Sendable {
    private let state = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
      Thread.detachNewThread { [self] in
        let result = Result { try body() }
        state.withLock { $0 = result }
      }
    }

    var result: Result<Value, any Error>? { state.withLock { $0 } }
    var isDone: Bool { result != nil }

    func wait() { while !isDone { usleep(1_000) } }
  }
}
