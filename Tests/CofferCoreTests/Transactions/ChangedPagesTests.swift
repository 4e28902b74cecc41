import CofferCore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite("Changed pages that are written before the commit")
struct ChangedPagesTests {
  private static let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT);
    CREATE INDEX itemByNumber ON item (number)
    """

  private func makeDatabase(
    changedPagesSize: Int, configure: (inout Configuration) -> Void = { _ in }
  ) throws -> EncryptedQueue {
    try EncryptedQueue(Self.schema) { configuration in
      configuration.journalMode = .wal
      configuration.cacheSize = 1 << 20
      configuration.changedPagesSize = changedPagesSize
      // What is written to the log stays there.
      configuration.checkpointPolicy = .manual
      configure(&configuration)
    }
  }

  private func insertRows(_ count: Int, _ db: Database) throws {
    let statement = try db.makeStatement(
      sql: "INSERT INTO item (number, text) VALUES (abs(random()) % 1000, hex(randomblob(400)))")
    for _ in 0..<count { try statement.execute() }
  }

  private func cacheSize(_ db: Database) -> Int {
    db.sqliteConnection.map { Int(SQLite.cacheBytes($0)) } ?? 0
  }

  // MARK: Memory

  @Test(arguments: [(1 << 20, 4 << 20), (1 << 30, 1 << 30)])
  func `a transaction of any size takes the memory that it may take`(
    changedPagesSize: Int, limit: Int
  ) throws {
    let database = try makeDatabase(changedPagesSize: changedPagesSize)
    let highest = try database.queue.write { db in
      var highest = 0
      for _ in 0..<100 {
        try insertRows(100, db)
        highest = max(highest, cacheSize(db))
      }
      return highest
    }
    #expect(highest < limit)
    // Otherwise the limit above would prove nothing.
    if changedPagesSize > limit / 2 { #expect(highest > 8 << 20) }
    #expect(try database.use { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") } == 10_000)
    #expect(try database.use { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
  }

  @Test func `statements without a transaction are written by their own commits`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    try database.use { db in
      for _ in 0..<40 { try insertRows(1, db) }
    }
    #expect(try database.use { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") } == 40)
  }

  @Test(arguments: [-1, 1 << 30 + 1])
  func `a size that is out of range is refused`(size: Int) {
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseQueue(
        configuration: {
          var configuration = Configuration()
          configuration.changedPagesSize = size
          return configuration
        }())
    }
    #expect(error?.message == "Configuration.changedPagesSize is \(size)")
  }

  // MARK: What isn't written

  /// Returns by how much `body` lets the log grow within a transaction, and what a transaction lets
  /// it grow that changes as much.
  private func growth(_ body: (Database) throws -> Void) throws -> (of: Int, plain: Int) {
    let database = try makeDatabase(changedPagesSize: 0)
    func grow(_ body: (Database) throws -> Void) throws -> Int {
      try database.queue.write { db in
        let before = database.logSize()
        try body(db)
        return database.logSize() - before
      }
    }
    let grown = try grow(body)
    return (grown, try grow { try insertRows(500, $0) })
  }

  @Test func `the pages of a savepoint wait for its end`() throws {
    let growth = try growth { db in
      try db.inSavepoint {
        try insertRows(500, db)
        return .commit
      }
    }
    #expect(growth.of == 0)
    #expect(growth.plain > 100_000)
  }

  @Test func `the pages of a savepoint that SQLite's handle has opened wait, too`() throws {
    let growth = try growth { db in
      let connection = try #require(db.sqliteConnection)
      #expect(SQLite.run(connection, "SAVEPOINT foreign_one") == SQLite.ok)
      try insertRows(500, db)
      #expect(SQLite.run(connection, "RELEASE foreign_one") == SQLite.ok)
    }
    #expect(growth.of == 0)
  }

  @Test func `pages wait while a statement that writes is under way`() throws {
    guard SQLiteFeatures.linked.hasReturning else { return }
    let database = try makeDatabase(changedPagesSize: 0)
    try database.queue.write { db in
      try insertRows(50, db)
      let cursor = try Int.fetchCursor(
        db, sql: "UPDATE item SET number = number + 1 WHERE id <= 20 RETURNING id")
      _ = try cursor.next()
      let before = database.logSize()
      try db.execute(sql: "UPDATE item SET text = 'other' WHERE id > 20")
      #expect(database.logSize() == before)
      while try cursor.next() != nil {}
    }
    let sum = try database.use {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM item WHERE text = 'other'")
    }
    #expect(sum == 30)
  }

  @Test func `a program that turns spilling off keeps all pages in memory`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    try database.use { try $0.execute(sql: "PRAGMA cache_spill = OFF") }
    try database.queue.write { db in
      let before = database.logSize()
      try insertRows(500, db)
      #expect(database.logSize() == before)
    }
  }

  @Test(arguments: [true, false])
  func `the pages of an attached file wait for the end of a savepoint`(
    isPrepared: Bool
  ) throws {
    let other = try EncryptedQueue("CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)") {
      $0.journalMode = .wal
    }
    let path = other.path
    let database = try makeDatabase(changedPagesSize: 0) { configuration in
      guard isPrepared else { return }
      configuration.prepareDatabase {
        try $0.attach(path, as: "other", key: .raw(EncryptedQueue.rawKey))
      }
    }
    if !isPrepared {
      try database.use { try $0.attach(path, as: "other", key: .raw(EncryptedQueue.rawKey)) }
    }
    try database.use { try $0.execute(sql: "PRAGMA other.cache_size = 5") }
    func insert(_ db: Database) throws {
      for _ in 0..<200 {
        try db.execute(sql: "INSERT INTO other (text) VALUES (hex(randomblob(500)))")
      }
    }
    try database.queue.write { db in
      let before = other.logSize()
      try db.inSavepoint {
        try insert(db)
        #expect(other.logSize() == before)
        return .rollback
      }
      try insert(db)
      #expect(other.logSize() > before + 100_000)
    }
    #expect(try other.use { try Int.fetchOne($0, sql: "SELECT count(*) FROM other") } == 200)
  }

  // MARK: The end of the transaction

  @Test func `a transaction that is rolled back leaves nothing but a longer log`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    try database.queue.write { try insertRows(100, $0) }
    let rows = try database.use { try Row.fetchAll($0, sql: "SELECT * FROM item") }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.queue.write { db in
        try insertRows(500, db)
        try db.execute(sql: "DELETE FROM item WHERE id % 2 = 0")
        throw Stop()
      }
    }
    #expect(try database.use { try Row.fetchAll($0, sql: "SELECT * FROM item") } == rows)
    #expect(try database.other().read { try Row.fetchAll($0, sql: "SELECT * FROM item") } == rows)
  }

  @Test func `the log of a large transaction shrinks with the commits after it`() throws {
    let database = try makeDatabase(changedPagesSize: 0) {
      $0.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 100000") }
    }
    try database.queue.write { try insertRows(500, $0) }
    #expect(database.logSize() > 400_000)
    _ = try database.queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
    try database.queue.write { try insertRows(1, $0) }
    #expect(database.logSize() <= 100_032)
    let other = try makeDatabase(changedPagesSize: 0)
    let limit = try other.use { try Int.fetchOne($0, sql: "PRAGMA journal_size_limit") }
    #expect(limit == 64 << 20)
  }

  @Test func `readers don't see pages before their commit`() throws {
    let database = try EncryptedPool(Self.schema) { configuration in
      configuration.cacheSize = 1 << 20
      configuration.changedPagesSize = 0
    }
    try database.pool.write { db in
      try insertRows(500, db)
      #expect(database.logSize() > 100_000)
      let reader = try database.other()
      #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") } == 0)
    }
    #expect(
      try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") } == 500)
  }

  // MARK: Batches

  private struct Failure: Error {}

  /// Inserts rows in the savepoint of a batch, which fails if `fails`.
  private func insertBatch(_ count: Int, fails: Bool = false, _ db: Database) throws {
    try db.inBatchSavepoint {
      try insertRows(count, db)
      if fails { throw Failure() }
    }
  }

  private func rowCount(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM item")
  }

  @Test func `a large batch is written before its end`() throws {
    let growth = try growth { try insertBatch(500, $0) }
    #expect(growth.of > 100_000)
  }

  @Test func `a small batch that fails is undone alone`() throws {
    let database = try makeDatabase(changedPagesSize: 4 << 20)
    try database.queue.write { db in
      try insertRows(10, db)
      #expect(throws: Failure.self) { try insertBatch(10, fails: true, db) }
      #expect(try rowCount(db) == 10)
    }
    #expect(try database.use(rowCount) == 10)
  }

  @Test func `a large batch that fails undoes the transaction, which can't go on`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    let error = #expect(throws: DatabaseError.self) {
      try database.queue.write { db in
        try insertRows(10, db)
        do { try insertBatch(500, fails: true, db) } catch is Failure {}
        try insertRows(1, db)
      }
    }
    #expect(error?.resultCode == .SQLITE_ABORT)
    #expect(try database.use(rowCount) == 0)
  }

  @Test func `a large batch in a savepoint is undone alone`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    try database.queue.write { db in
      try insertRows(10, db)
      try db.inSavepoint {
        do { try insertBatch(500, fails: true, db) } catch is Failure {}
        try insertRows(1, db)
        return .commit
      }
    }
    #expect(try database.use(rowCount) == 11)
  }

  @Test func `batches in a batch become a part of the transaction with it`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    try database.queue.write { db in
      try db.inBatchSavepoint {
        try insertBatch(100, db)
        try insertBatch(100, db)
      }
      // Later ones are undone alone again, while they are small.
      #expect(throws: Failure.self) {
        try db.inBatchSavepoint { throw Failure() }
      }
    }
    #expect(try database.use(rowCount) == 200)
    #expect(throws: Failure.self) {
      try database.queue.write { db in
        try db.inBatchSavepoint {
          try insertBatch(100, db)
          try insertBatch(100, fails: true, db)
        }
      }
    }
    #expect(try database.use(rowCount) == 200)
  }

  @Test func `an observer hears of a batch that has become a part of the transaction`() throws {
    let database = try makeDatabase(changedPagesSize: 0)
    let observer = CountingObserver()
    try database.queue.write { db in
      db.add(transactionObserver: observer, extent: .observerLifetime)
      try insertBatch(100, db)
    }
    #expect(observer.count == 100)
    withExtendedLifetime(observer) {}
  }

  // MARK: Recovery

  /// What a copy of the files holds, as after the end of the process.
  private func contentAfterKill(_ database: EncryptedQueue, _ number: Int) throws -> [Row] {
    let copy = database.directory.path("killed\(number)")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: database.path + suffix, toPath: copy + suffix)
    }
    let queue = try DatabaseQueue(path: copy, configuration: database.configuration)
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: copy + suffix)
      }
    }
    let check = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
    #expect(check == "ok")
    return try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM item ORDER BY id") }
  }

  @Test func `each commit is there after the end of the process, whatever was undone`() throws {
    var random = SeededGenerator()
    let database = try EncryptedQueue(Self.schema) { configuration in
      configuration.journalMode = .wal
      configuration.changedPagesSize = 0
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 10") }
    }
    for number in 0..<40 {
      try? database.queue.write { db in
        var depth = 0
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          try change(db, &depth, &random)
        }
        if Int.random(in: 0..<6, using: &random) == 0 { throw Failure() }
      }
      let rows = try database.use { try Row.fetchAll($0, sql: "SELECT * FROM item ORDER BY id") }
      try #require(contentAfterKill(database, number) == rows)
      if Int.random(in: 0..<8, using: &random) == 0 {
        _ = try database.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      }
    }
  }

  /// Makes a random change, among them those of savepoints, and statements that fail halfway.
  private func change(
    _ db: Database, _ depth: inout Int, _ random: inout SeededGenerator
  ) throws {
    let divisor = Int.random(in: 2...40, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3: try insertRows(Int.random(in: 1...20, using: &random), db)
    case 4...5:
      try db.execute(
        sql: "UPDATE item SET number = number + 1, text = hex(randomblob(300)) WHERE id % ? = 0",
        arguments: [divisor])
    case 6: try db.execute(sql: "DELETE FROM item WHERE id % ? = 1", arguments: [divisor])
    case 7:
      // Fails at a row in the middle, and is undone alone.
      try? db.execute(
        sql: """
          UPDATE item SET text = hex(randomblob(200)),
            number = CASE WHEN id > ? THEN NULL ELSE number + 1 END
          """, arguments: [divisor])
    case 8:
      try db.execute(sql: "SAVEPOINT s\(depth)")
      depth += 1
    case 9 where depth > 0:
      depth = Int.random(in: 0..<depth, using: &random)
      try db.execute(sql: "ROLLBACK TO s\(depth); RELEASE s\(depth)")
    case 10 where depth > 0:
      depth = Int.random(in: 0..<depth, using: &random)
      try db.execute(sql: "RELEASE s\(depth)")
    case 11: try insertBatch(5, db)
    default: break
    }
  }
}

private final class CountingObserver: TransactionObserver {
  var count = 0
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) { count += 1 }
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}
