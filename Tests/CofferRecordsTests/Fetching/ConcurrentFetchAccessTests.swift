import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Concurrent fetches beside writers, and their errors and ends.
@Suite(.timeLimit(.minutes(5))) struct ConcurrentFetchAccessTests {
  private typealias Item = ConcurrentFetchTests.Item

  private func items(
    _ ids: some Sequence<Int64>, length: Int = 40,
    configure: (inout Configuration) -> Void = { _ in }
  ) throws -> EncryptedPool {
    try ConcurrentFetchTests.items(ids, length: length, configure: configure)
  }

  /// Expects that all readers are free, and none is inside a transaction.
  private func expectIdle(_ pool: DatabasePool) throws {
    try pool.barrierWriteWithoutTransaction { _ in }
    for _ in 0..<4 { #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1) }
    // A reader in an old transaction would block this.
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA user_version = 1")
      _ = try db.checkpoint(.truncate)
    }
  }

  // MARK: One commit

  @Test func `all readers see one commit, beside writing threads`() throws {
    let database = try EncryptedPool("CREATE TABLE entry (id INTEGER PRIMARY KEY, amount INTEGER)")
    {
      $0.maximumReaderCount = 4
    }
    let pool = database.pool
    try pool.write { db in
      for index in 0..<20_000 {
        try db.execute(
          sql: "INSERT INTO entry VALUES (?, ?)",
          arguments: [index, index % 2 == 0 ? 5 : -5])
      }
    }
    let isOver = Atomic(false)
    let group = DispatchGroup()
    for seed in 0..<2 {
      detachThread(group: group) {
        var random = SeededGenerator(line: UInt(seed + 1))
        while !isOver.load(ordering: .relaxed) {
          try pool.write { db in
            // The sum stays zero, and the number of rows even.
            let amount = Int.random(in: 1...9, using: &random)
            let ids = (0..<2).map { _ in Int.random(in: 0..<20_000, using: &random) }
            for (id, amount) in [(ids[0], amount), (ids[1], -amount)] {
              try db.execute(
                sql: "UPDATE entry SET amount = amount + ? WHERE id = ?", arguments: [amount, id])
            }
            let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM entry") ?? 0
            for offset in 1...2 {
              try db.execute(
                sql: "INSERT INTO entry VALUES (?, ?)",
                arguments: [last + Int64(offset), offset == 1 ? 7 : -7])
            }
          }
        }
      }
    }
    let amounts = Table("entry").select(Column("amount"), as: Int.self)
    for _ in 0..<15 {
      let all = try pool.concurrentFetchAll(amounts)
      #expect(all.reduce(0, +) == 0)
      #expect(all.count % 2 == 0)
      var (sum, count) = (0, 0)
      try pool.concurrentForEach(amounts) { amount in
        sum += amount
        count += 1
      }
      #expect(sum == 0)
      #expect(count % 2 == 0)
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    try expectIdle(pool)
  }

  @Test func `all readers see one commit, beside a writing process`() throws {
    let database = try EncryptedPool(
      """
      CREATE TABLE ledger (
        name TEXT, number INTEGER, part INTEGER, text TEXT, UNIQUE (name, number, part));
      """)
    let pool = database.pool
    let hexKey = String(repeating: "5a", count: 32)
    let process = try TestProcess(["ledger", database.path, hexKey, "pool", "a"])
    defer { process.kill() }
    #expect(process.readLine() == "ready")
    for _ in 0..<40 { #expect(process.readLine()?.hasPrefix("committed") == true) }
    let numbers = Table("ledger").select(Column("number"), as: Int.self)
    for _ in 0..<15 {
      let all = try pool.concurrentFetchAll(numbers)
      // Each transaction has ten rows, so a torn one shows.
      #expect(all.count % 10 == 0)
      #expect(all == (0..<all.count).map { $0 / 10 + 1 })
      #expect(process.readLine()?.hasPrefix("committed") == true)
    }
  }

  @Test func `inside a write it sees the state before, like a read`() throws {
    let database = try items(1...3_000)
    let pool = database.pool
    try pool.write { db in
      try db.execute(sql: "DELETE FROM item")
      #expect(try pool.concurrentFetchAll(Item.all()).count == 3_000)
    }
    #expect(try pool.concurrentFetchAll(Item.all()).isEmpty)
  }

  // MARK: Errors

  @Test func `a row that can't be decoded throws, and ends the elements before it`() throws {
    let database = try items(1...30_000)
    let pool = database.pool
    // Two, of which the first one counts.
    for id in [12_345, 25_000] {
      try pool.write { db in
        try db.execute(sql: "UPDATE item SET number = NULL WHERE id = ?", arguments: [id])
      }
    }
    var ids: [Int64] = []
    let error = #expect(throws: RowDecodingError.self) {
      try pool.concurrentForEach(Item.all()) { ids.append($0.id) }
    }
    #expect("\(error as Any)".contains("number"))
    #expect(ids == Array(1..<12_345))
    #expect(throws: RowDecodingError.self) { try pool.concurrentFetchAll(Item.all()) }
    let numbers = Item.select { $0.number }.asRequest(of: Int.self)
    #expect(throws: RowDecodingError.self) { try pool.concurrentFetchAll(numbers) }
    // The rows in front of a condition aren't decoded.
    let others = Item.filter { $0.id > 25_000 }
    #expect(try pool.concurrentFetchAll(others).count == 5_000)
    try expectIdle(pool)
  }

  @Test func `an error of the function ends the fetch`() throws {
    struct Stop: Error {}
    let database = try items(1...30_000)
    let pool = database.pool
    for last in [1, 5_000, 30_000] as [Int64] {
      var count: Int64 = 0
      #expect(throws: Stop.self) {
        try pool.concurrentForEach(Item.all()) { item in
          count += 1
          #expect(item.id == count)
          if item.id == last { throw Stop() }
        }
      }
      #expect(count == last)
    }
    try expectIdle(pool)
  }

  @Test func `a damaged page is an error`() throws {
    let database = try items(1...20_000)
    try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try database.pool.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: database.path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: size / 2 / 4_096 * 4_096 + 100)
    try file.write(contentsOf: Data(repeating: 0xEE, count: 64))
    try file.close()
    let pool = try database.other()
    #expect(throws: DatabaseError.self) { try pool.concurrentFetchAll(Item.all()) }
    #expect(throws: DatabaseError.self) { try pool.concurrentForEach(Item.all()) { _ in } }
  }

  // MARK: Progress

  @Test func `progress advances to the end`() throws {
    // One reader delivers each part by itself.
    let database = try items(1...20_000) { $0.maximumReaderCount = 1 }
    let pool = database.pool
    var steps: [ConcurrentFetchProgress] = []
    let items = try pool.concurrentFetchAll(Item.filter { $0.number > 500 }) { steps.append($0) }
    #expect(steps.count > 3)
    #expect(steps.last?.fraction == 1)
    #expect(steps.last?.fetchedCount == items.count)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.fetchedCount <= $1.fetchedCount })
    steps = []
    #expect(try pool.concurrentFetchAll(Item.none()) { steps.append($0) }.isEmpty)
    #expect(steps.last == ConcurrentFetchProgress(fetchedCount: 0, fraction: 1))
    try pool.write { _ = try Item.deleteAll($0) }
    steps = []
    #expect(try pool.concurrentFetchAll(Item.all()) { steps.append($0) }.isEmpty)
    #expect(steps == [ConcurrentFetchProgress(fetchedCount: 0, fraction: 1)])
  }

  @Test func `progress can end the fetch`() async throws {
    struct Stop: Error {}
    let database = try items(1...20_000)
    let pool = database.pool
    #expect(throws: Stop.self) {
      try pool.concurrentFetchAll(Item.all()) { if $0.fraction > 0.3 { throw Stop() } }
    }
    #expect(throws: Stop.self) {
      try pool.concurrentForEach(Item.all()) {
        if $0.fraction > 0.3 { throw Stop() }
      } _: { _ in
      }
    }
    await #expect(throws: Stop.self) {
      try await pool.concurrentFetchAll(Item.all()) { _ in throw Stop() }
    }
    try expectIdle(pool)
  }

  // MARK: Ends

  @Test func `cancelling the task interrupts all readers`() async throws {
    // The function is called until the connection is interrupted.
    let calls = Atomic(0)
    let called = DispatchSemaphore(value: 0)
    let database = try items(1...40_000) { configuration in
      configuration.prepareDatabase { db in
        db.add(
          function: DatabaseFunction("slow", argumentCount: 1) { values in
            if calls.add(1, ordering: .relaxed).newValue == 10 { called.signal() }
            usleep(2_000)
            return values[0]
          })
      }
    }
    let pool = database.pool
    for isForEach in [false, true] {
      calls.store(0, ordering: .relaxed)
      let request = Item.filter(sql: "slow(number) >= 0")
      let task = Task {
        if isForEach {
          try await pool.concurrentForEach(request) { _ in }
        } else {
          _ = try await pool.concurrentFetchAll(request)
        }
      }
      await called.waited()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // All of them would have taken 20 s of each reader.
      #expect(calls.load(ordering: .relaxed) < 40_000)
    }
    try expectIdle(pool)
  }

  @Test func `a cancelled task begins nothing`() async throws {
    let database = try items(1...2_000)
    let pool = database.pool
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pool.concurrentFetchAll(Item.all()).count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectIdle(pool)
  }

  @Test func `an interruption of the pool ends the fetch`() throws {
    let database = try items(1...20_000)
    let pool = database.pool
    var count = 0
    expectFailure(.SQLITE_INTERRUPT) {
      // SQLite can have finished a statement before each of the interruptions.
      for _ in 0..<1_000 {
        try pool.concurrentForEach(Item.all()) { _ in
          count += 1
          if count % 500 == 0 { pool.interrupt() }
        }
      }
    }
    try expectIdle(pool)
  }

  @Test func `inside a read it is refused like any read`() throws {
    let database = try items(1...2_000)
    let pool = database.pool
    try pool.read { _ in
      let error = databaseError { try pool.concurrentFetchAll(Item.all()) }
      #expect(error?.message == "Database methods are not reentrant.")
    }
    try pool.concurrentForEach(Item.all()) { item in
      guard item.id == 1 else { return }
      let error = databaseError { try pool.read { _ in } }
      #expect(error?.message == "Database methods are not reentrant.")
    }
  }

  @Test func `closing waits for the fetch, and later ones throw`() throws {
    let database = try items(1...20_000)
    let pool = database.pool
    let group = DispatchGroup()
    var count = 0
    try pool.concurrentForEach(Item.all()) { _ in
      count += 1
      if count == 1 { detachThread(group: group) { try pool.close() } }
    }
    group.wait()
    #expect(count == 20_000)
    expectFailure(.SQLITE_MISUSE) { try pool.concurrentFetchAll(Item.all()) }
  }

  // MARK: Readers

  @Test(arguments: [1, 2, 4]) func `other reads and fetches get readers`(readerCount: Int) throws {
    let database = try items(1...20_000) { $0.maximumReaderCount = readerCount }
    let pool = database.pool
    let group = DispatchGroup()
    for _ in 0..<4 {
      detachThread(group: group) { () throws in
        #expect(try pool.concurrentFetchAll(Item.all()).count == 20_000)
      }
      detachThread(group: group) { () throws in
        for _ in 0..<20 { #expect(try pool.read { try Item.fetchCount($0) } == 20_000) }
      }
    }
    group.wait()
    try expectIdle(pool)
  }

  @Test func `a serial target queue doesn't deadlock`() throws {
    let queue = DispatchQueue(label: "target")
    let database = try items(1...5_000) { $0.targetQueue = queue }
    let pool = database.pool
    #expect(try pool.concurrentFetchAll(Item.all()).count == 5_000)
    try pool.concurrentForEach(Item.all()) { _ in }
  }

  @Test func `several readers work`() throws {
    try #require(ProcessInfo.processInfo.activeProcessorCount > 1)
    let names = Mutex<Set<String>>([])
    let database = try items(1...50_000) { configuration in
      configuration.prepareDatabase { db in
        let name = db.description
        db.add(
          function: DatabaseFunction("seen", argumentCount: 1) { values in
            _ = names.withLock { $0.insert(name) }
            return values[0]
          })
      }
    }
    let request = Item.filter(sql: "seen(number) >= 0")
    #expect(try database.pool.concurrentFetchAll(request).count == 50_000)
    #expect(names.withLock(\.count) > 1)
  }

  // MARK: Memory

  /// A record that counts the instances in memory.
  private final class Counted: FetchableRecord, TableRecord, Sendable {
    static let databaseTableName = "item"
    static let live = Atomic(0)
    static let largest = Atomic(0)
    let text: String

    init(row: Row) {
      text = row["text"]
      let count = Self.live.add(1, ordering: .relaxed).newValue
      Self.largest.max(count, ordering: .relaxed)
    }

    deinit { Self.live.subtract(1, ordering: .relaxed) }
  }

  // One test for all cases, which would count each other's instances.
  @Test func `the readers wait for a slow function`() throws {
    for (length, count) in [(200, 20_000), (20_000, 1_000), (300_000, 200)] {
      let database = try items((1...count).map(Int64.init), length: length) {
        $0.maximumReaderCount = 4
      }
      Counted.largest.store(0, ordering: .relaxed)
      var seen = 0
      try database.pool.concurrentForEach(Counted.all()) { _ in
        seen += 1
        if seen % (count / 20) == 0 { usleep(20_000) }
      }
      #expect(seen == count)
      // Twice as many blocks as readers wait, and each reader has one more; the function has one.
      let readers = min(ProcessInfo.processInfo.activeProcessorCount, 4)
      let perBlock = min(1_024, 300_000 / length + 32)
      let largest = Counted.largest.load(ordering: .relaxed)
      #expect(largest <= (3 * readers + 1) * perBlock, "texts of \(length) bytes")
      #expect(Counted.live.load(ordering: .relaxed) == 0)
    }
  }
}
