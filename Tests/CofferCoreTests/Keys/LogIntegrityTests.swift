import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// The authenticity of databases whose newest pages are in a WAL or a journal.
@Suite struct LogIntegrityTests {
  private let key: DatabaseKey

  init() throws { key = try .raw(EncryptedQueue.rawKey) }

  private func makePool(rows: Int = 400) throws -> EncryptedPool {
    let database = try EncryptedPool("CREATE TABLE t (id INTEGER PRIMARY KEY, b)") {
      $0.checkpointPolicy = .manual
      $0.seedRandomFunctions()
    }
    try database.pool.write { try fill($0, rows: rows) }
    return database
  }

  private func fill(_ db: Database, rows: Int) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?)
        INSERT INTO t (b) SELECT randomblob(400) FROM c
        """, arguments: [rows])
  }

  private func checkpoint(_ pool: DatabasePool, _ mode: Database.CheckpointMode) {
    // A reader can prevent a part of it.
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(mode) }
  }

  private let pageSize = CipherSettings.default.pageSize
  private var frameSize: Int { pageSize + 24 }

  private func bytes(_ path: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The pages of the frames in a WAL.
  private func loggedPages(_ path: String) throws -> [Int] {
    try bytes(path + "-wal").dropFirst(32).chunks(of: frameSize).map {
      Int($0[$0.startIndex + 2]) << 8 | Int($0[$0.startIndex + 3])
    }
  }

  /// Changes a byte in place, as a disk fault does.
  private func damage(_ path: String, at offset: Int) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: UInt64(offset))
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([byte ^ 0x20]))
    try file.close()
  }

  /// Copies the files of a database as they are, as a kill leaves them.
  private func copy(_ path: String, to copy: String) throws {
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: path + suffix) {
      try Data(bytes(path + suffix)).write(to: URL(fileURLWithPath: copy + suffix))
    }
  }

  private func diagnose(_ path: String, _ key: DatabaseKey? = nil) -> CipherDiagnosis? {
    CipherDiagnosis.diagnose(path: path, key: key ?? self.key, settings: .default)
  }

  // MARK: Healthy files

  @Test func `a pool with an old reader has no damaged pages`() throws {
    var random = SeededGenerator()
    for _ in 0..<trialCount(15) {
      let database = try makePool(rows: 50)
      checkpoint(database.pool, .truncate)
      let pool = database.pool
      // The reader's snapshot is older than pages that later commits overwrite.
      let rows = Int.random(in: 1...200, using: &random)
      try pool.write { try fill($0, rows: rows) }
      let snapshot = try pool.makeSnapshot()
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let rows = Int.random(in: 1...300, using: &random)
        let divisor = Int.random(in: 1...5, using: &random)
        try pool.write { db in
          try fill(db, rows: rows)
          try db.execute(
            sql: "UPDATE t SET b = randomblob(500) WHERE id % ? = 0", arguments: [divisor])
        }
        checkpoint(pool, .passive)
      }
      #expect(try pool.read { try $0.checkCipherIntegrity() } == [])
      #expect(try snapshot.read { try $0.checkCipherIntegrity() } == [])
      #expect(diagnose(database.path) == nil)
      let copied = database.directory.path("copy")
      try copy(database.path, to: copied)
      #expect(diagnose(copied) == nil)
      try snapshot.close()
    }
  }

  @Test func `a key change killed at any moment leaves no damage to either key`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    var keys = [Hex.key(1), Hex.key(2)]
    var random = SeededGenerator()
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(
      path: path, key: Hex.databaseKey(keys[0]), configuration: configuration)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, b)")
      try fill(db, rows: 6000)
    }
    try queue.close()
    var found: [CipherDiagnosis?] = []
    let trials = trialCount(10)
    for _ in 0..<trials {
      let child = try TestProcess(["change-key", path, keys[0], keys[1]])
      try #require(child.readLine() == "ready")
      usleep(UInt32.random(in: 0...90_000, using: &random))
      child.kill()
      // Before any connection moves the log to the file.
      let diagnoses = try keys.map { diagnose(path, try Hex.databaseKey($0)) }
      found += diagnoses
      #expect(diagnoses == [nil, .wrongKey] || diagnoses == [.wrongKey, nil], "\(diagnoses)")
      let openings = try keys.map { key -> CipherDiagnosis? in
        do {
          let queue = try DatabaseQueue(path: path, key: Hex.databaseKey(key))
          #expect(try queue.read { try $0.checkCipherIntegrity() } == [])
          try queue.close()
          return nil
        } catch let error as DatabaseError {
          return error.cipherDiagnosis
        }
      }
      #expect(openings == diagnoses)
      if openings[1] == nil { keys.reverse() }
    }
    #expect(found.count == 2 * trials)
  }

  @Test func `checkpoints and commits while pages are checked show no damage`() throws {
    let database = try makePool(rows: 2000)
    let pool = database.pool
    let isDone = Locked(false)
    let writer = DispatchGroup()
    detachThread(group: writer) {
      let modes: [Database.CheckpointMode] = [.passive, .restart, .truncate]
      var round = 0
      while !isDone.value {
        round += 1
        let (part, mode) = (round % 7, modes[round % 3])
        try pool.write { db in
          try self.fill(db, rows: 50)
          try db.execute(
            sql: "UPDATE t SET b = randomblob(400) WHERE id % 7 = ?", arguments: [part])
          try db.execute(sql: "DELETE FROM t WHERE id % 40 = ?", arguments: [part])
        }
        self.checkpoint(pool, mode)
      }
    }
    for _ in 0..<40 {
      #expect(try pool.read { try $0.checkCipherIntegrity() } == [])
      // Without a lock, the files can change at any moment.
      #expect(diagnose(database.path) == nil)
    }
    isDone.set(true)
    writer.wait()
  }

  @Test func `a snapshot from within a key change has its own pages alone`() throws {
    let moment = Locked<(@Sendable () -> Void)?>(nil)
    let database = try EncryptedPool("CREATE TABLE t (id INTEGER PRIMARY KEY, b)") {
      $0.checkpointPolicy = .manual
      $0.prepareDatabase { db in
        db.trace { event in
          // The log is empty then, and the next commit writes each page.
          if "\(event)".hasPrefix("BEGIN EXCLUSIVE") { moment.value?() }
        }
      }
    }
    try database.pool.write { try fill($0, rows: 100) }
    let other = try database.other()
    let snapshot = Locked<DatabaseSnapshot?>(nil)
    moment.set { snapshot.set(try? other.makeSnapshot()) }
    try database.pool.changeKey(to: .seeded())
    let old = try #require(snapshot.value)
    #expect(try old.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 100)
    #expect(try old.read { try $0.checkCipherIntegrity() } == [])
    #expect(try database.pool.checkCipherIntegrity() == [])
    try old.close()
    #expect(databaseError { try other.checkCipherIntegrity() }?.cipherDiagnosis == .wrongKey)
  }

  @Test(arguments: [Configuration.JournalModeConfiguration.wal, .delete])
  func `a check throws what a read would throw after a key change`(
    mode: Configuration.JournalModeConfiguration
  ) throws {
    let database = try EncryptedQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, b)") {
      $0.journalMode = mode
    }
    try database.queue.write { try fill($0, rows: 100) }
    var configuration = Configuration()
    configuration.key = key
    let other = try DatabaseQueue(path: database.path, configuration: configuration)
    let newKey = DatabaseKey.seeded()
    try other.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 100)
      #expect(try db.checkCipherIntegrity() == [])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 100)
    }
    try database.queue.changeKey(to: newKey)
    let checks: [() throws -> [Int]] = [
      { try other.checkCipherIntegrity() },
      { try other.writeWithoutTransaction { try $0.checkCipherIntegrity() } },
      { try other.unsafeRead { try $0.checkCipherIntegrity() } },
      { try other.writeWithoutTransaction { try $0.checkCipherIntegrity() } },
    ]
    for check in checks {
      #expect(databaseError { try check() }?.cipherDiagnosis == .wrongKey)
    }
    #expect(try database.queue.checkCipherIntegrity() == [])
  }

  @Test func `a check reads the file that the connection has open`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, b)")
    try database.queue.write { try fill($0, rows: 100) }
    let path = database.directory.path("other")
    let other = try DatabaseQueue(path: path, key: .seeded())
    try other.write { try $0.execute(sql: "CREATE TABLE u (a)") }
    try other.close()
    for suffix in ["", "-wal"] {
      #expect(rename(database.path + suffix, database.path + "-old" + suffix) == 0)
    }
    #expect(rename(path, database.path) == 0)
    #expect(try database.queue.read { try $0.checkCipherIntegrity() } == [])
  }

  @Test func `a page in the WAL hides what is left of it in the file`() throws {
    let database = try makePool()
    checkpoint(database.pool, .truncate)
    try database.pool.write { try $0.execute(sql: "UPDATE t SET b = randomblob(400)") }
    let path = database.directory.path("copy")
    try copy(database.path, to: path)
    // The file's versions are no longer read, except for the salt.
    let logged = try loggedPages(path)
    #expect(logged.count > 30)
    for page in logged { try damage(path, at: (page - 1) * pageSize + pageSize / 2) }
    #expect(diagnose(path) == nil)
    let queue = try DatabaseQueue(path: path, key: key)
    #expect(try queue.read { try $0.checkCipherIntegrity() } == [])
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT sum(length(b)) FROM t") } == 160_000)
  }

  @Test func `a WAL's torn tail and frames of an earlier WAL aren't read`() throws {
    let database = try makePool()
    let wal = database.path + "-wal"
    checkpoint(database.pool, .restart)
    // The log starts again: behind these frames are those of the earlier one.
    try database.pool.write { try fill($0, rows: 100) }
    #expect(diagnose(database.path) == nil)
    #expect(try database.pool.read { try $0.checkCipherIntegrity() } == [])
    let path = database.directory.path("copy")
    try copy(database.path, to: path)
    let log = try bytes(wal)
    for cut in [
      0, 1, 31, 32, 40, 56, 32 + frameSize, 33 + frameSize, 32 + 20 * frameSize + 100,
      log.count - 1,
    ] {
      try Data(log.prefix(cut)).write(to: URL(fileURLWithPath: path + "-wal"))
      #expect(diagnose(path) == nil, "cut at \(cut)")
    }
    // Nothing in a log with wrong salts is taken.
    var stale = log
    stale[20] ^= 1
    try Data(stale).write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(diagnose(path) == nil)
  }

  @Test func `a hot journal holds the pages of the database`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, b)") {
      $0.journalMode = .delete
      $0.seedRandomFunctions()
    }
    try database.queue.write { try fill($0, rows: 2000) }
    let path = database.directory.path("copy")
    try database.queue.inDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = 5; BEGIN; UPDATE t SET b = randomblob(400)")
      try copy(database.path, to: path)
      try db.execute(sql: "ROLLBACK")
    }
    #expect(DatabaseFile.inspect(at: path).hasJournal)
    // Half written pages.
    for page in 10..<20 { try damage(path, at: page * pageSize + pageSize / 2) }
    #expect(diagnose(path) == nil)
    #expect(diagnose(path, .seeded()) == .wrongKey)
    let queue = try DatabaseQueue(path: path, key: key)
    #expect(try queue.read { try $0.checkCipherIntegrity() } == [])
  }

  // MARK: Damage

  @Test func `a damaged page is found where it is read, in the file and in the WAL`() throws {
    let database = try makePool()
    let pool = database.pool
    checkpoint(pool, .truncate)
    try pool.write {
      try $0.execute(sql: "UPDATE t SET b = randomblob(400) WHERE id BETWEEN 100 AND 130")
    }
    let wal = database.path + "-wal"
    let frames = try loggedPages(database.path)
    #expect(frames.count > 2)
    let count = try bytes(database.path).count / pageSize
    let unlogged = try #require((3...count).first { !frames.contains($0) })
    // In the file, and in a frame that open connections read.
    try damage(database.path, at: (unlogged - 1) * pageSize + pageSize / 4)
    try damage(database.path, at: (frames[1] - 1) * pageSize + pageSize / 4)
    #expect(try pool.writeWithoutTransaction { try $0.checkCipherIntegrity() } == [unlogged])
    try damage(wal, at: 32 + frameSize + 24 + pageSize / 4)
    let both = [unlogged, frames[1]].sorted()
    #expect(try pool.writeWithoutTransaction { try $0.checkCipherIntegrity() } == both)
    // For new connections after a kill, the commit with the damaged frame doesn't exist.
    let path = database.directory.path("copy")
    try copy(database.path, to: path)
    #expect(diagnose(path) == .damaged(pages: both))
    try damage(database.path, at: (unlogged - 1) * pageSize + pageSize / 4)
    try damage(database.path, at: (frames[1] - 1) * pageSize + pageSize / 4)
    #expect(try pool.writeWithoutTransaction { try $0.checkCipherIntegrity() } == [frames[1]])
    try copy(database.path, to: path)
    #expect(diagnose(path) == nil)
  }

  @Test func `damage of a page that was moved from the WAL is found in the file`() throws {
    let database = try makePool()
    let pool = database.pool
    // All frames are moved, and stay in the WAL.
    checkpoint(pool, .passive)
    #expect(database.logSize() > 100_000)
    try damage(database.path, at: 20 * pageSize + pageSize / 4)
    #expect(try pool.writeWithoutTransaction { try $0.checkCipherIntegrity() } == [21])
    // Later frames change nothing for that page.
    try pool.write { try $0.execute(sql: "CREATE TABLE v (a)") }
    #expect(try pool.writeWithoutTransaction { try $0.checkCipherIntegrity() } == [21])
    // A connection that can't read the schema says so, too.
    try damage(database.path, at: pageSize / 4)
    checkpoint(pool, .passive)
    try damage(database.path, at: pageSize / 2)
    let error = databaseError { try DatabaseQueue(path: database.path, key: key) }
    #expect(error?.cipherDiagnosis == .damaged(pages: [1, 21]), "\(error as Any)")
  }

  @Test func `nothing is called damaged beside a log of another page size`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let database = try makePool()
    checkpoint(database.pool, .truncate)
    try copy(database.path, to: path)
    try damage(path, at: pageSize / 2)
    try damage(path, at: 3 * pageSize + pageSize / 2)
    #expect(diagnose(path) == .damaged(pages: [1, 4]))
    var configuration = Configuration()
    configuration.cipher.pageSize = 8192
    configuration.checkpointPolicy = .manual
    let other = folder.path("other")
    let pool = try DatabasePool(path: other, key: key, configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try Data(bytes(other + "-wal")).write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(diagnose(path) == .wrongKeyOrDamaged)
    let error = databaseError { try DatabaseQueue(path: path, key: key) }
    #expect(error?.cipherDiagnosis == .wrongKeyOrDamaged)
  }
}

extension Collection {
  fileprivate func chunks(of count: Int) -> [SubSequence] {
    stride(from: 0, to: self.count, by: count).map { dropFirst($0).prefix(count) }
  }
}
