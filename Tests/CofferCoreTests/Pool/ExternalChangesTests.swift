import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Changes made elsewhere", .timeLimit(.minutes(15)))
struct ExternalChangesTests {
  @Test(arguments: ExternalAccess.allCases)
  func `a commit of another connection is noticed`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    try fixture.insertElsewhere()
    observer.wait(forRows: 1, in: fixture)
    #expect(observer.words.suffix(2) == ["?", "did"])
    #expect(!observer.words.contains("will"))
  }

  @Test(arguments: ExternalAccess.allCases)
  func `the last of many commits is noticed too`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    for rows in 1...200 {
      try fixture.insertElsewhere()
      // Every twentieth commit is waited for; the others come as fast as possible.
      if rows % 20 == 0 { observer.wait(forRows: rows, in: fixture) }
    }
    #expect(observer.words.allSatisfy { $0 == "?" || $0 == "did" })
  }

  @Test(arguments: ExternalAccess.writing)
  func `a commit of another process is noticed`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    let child = try TestProcess([
      "commit", fixture.path, ProcessFixture.hexKey, access.rawValue,
      "INSERT INTO a DEFAULT VALUES",
    ])
    #expect(child.readLine() == "ready")
    for rows in 1...20 {
      child.goOn()
      #expect(child.readLine() == "committed")
      observer.wait(forRows: rows, in: fixture)
    }
    child.kill()
  }

  @Test(arguments: ExternalAccess.writing)
  func `the connection's own commits are reported once`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    for _ in 0..<20 {
      try fixture.writer.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    }
    try fixture.insertElsewhere()
    observer.wait(forRows: 21, in: fixture)
    #expect(observer.words == (1...20).flatMap { ["a\($0)", "will", "did"] } + ["?", "did"])
  }

  @Test(arguments: ExternalAccess.writing)
  func `nothing that the connection does itself counts as another's`(
    access: ExternalAccess
  ) throws {
    let fixture = try ExternalFixture(access)
    let steps = [
      "INSERT INTO a DEFAULT VALUES", "UPDATE a SET x = 1", "CREATE TABLE c (x)",
      "BEGIN; INSERT INTO a DEFAULT VALUES; ROLLBACK", "DROP TABLE c", "VACUUM", "DELETE FROM a",
      "BEGIN; SELECT * FROM a; COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)", "ANALYZE",
    ]
    for step in steps {
      try fixture.writer.writeWithoutTransaction { db in
        try db.execute(sql: step)
        #expect(db.lookForExternalChanges() == .same, "\(step)")
      }
    }
    try fixture.insertElsewhere()
    try fixture.writer.writeWithoutTransaction { db in
      #expect(db.lookForExternalChanges() == .changed)
      #expect(db.lookForExternalChanges() == .same)
    }
  }

  @Test(arguments: ExternalAccess.allCases)
  func `a rollback by another connection is no change`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    for _ in 0..<5 {
      try fixture.other.writeWithoutTransaction { db in
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO a DEFAULT VALUES")
          return .rollback
        }
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
      }
      try fixture.writer.writeWithoutTransaction { db in
        #expect(db.lookForExternalChanges() == .same)
      }
    }
  }

  @Test func `a rollback of what has reached the log is no change`() throws {
    let fixture = try ExternalFixture(.pool)
    try rollBackMuch(fixture)
    try fixture.writer.writeWithoutTransaction { db in
      #expect(db.lookForExternalChanges() == .same)
    }
  }

  @Test func `a rollback of what has reached the file is one change at most`() throws {
    let fixture = try ExternalFixture(.queue)
    try rollBackMuch(fixture)
    try fixture.writer.writeWithoutTransaction { db in
      // The pages have their old content, but are encrypted anew.
      #expect(db.lookForExternalChanges() != .unknown)
      #expect(db.lookForExternalChanges() == .same)
    }
  }

  private func rollBackMuch(_ fixture: ExternalFixture) throws {
    try fixture.other.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA cache_size = 10")
      try db.inTransaction {
        for _ in 0..<100 {
          try db.execute(sql: "INSERT INTO a (x) VALUES (zeroblob(20000))")
        }
        return .rollback
      }
    }
  }

  @Test(arguments: ExternalAccess.writing)
  func `a look waits for no lock, and finds later what the lock has hidden`(access: ExternalAccess)
    throws
  {
    let fixture = try ExternalFixture(access)
    try fixture.other.writeWithoutTransaction { other in
      try other.inTransaction(.exclusive) {
        try other.execute(sql: "INSERT INTO a DEFAULT VALUES")
        try fixture.writer.writeWithoutTransaction { db in
          #expect(db.lookForExternalChanges() == (access == .pool ? .same : .unknown))
        }
        return .commit
      }
    }
    try fixture.writer.writeWithoutTransaction { db in
      #expect(db.lookForExternalChanges() == .changed)
      try db.beginTransaction(.deferred)
      #expect(db.lookForExternalChanges() == .unknown)
      try db.rollback()
    }
  }

  @Test(arguments: ExternalAccess.writing)
  func `databases of one folder are told apart`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let path = fixture.directory.path("db2")
    let isPool = access == .pool
    let second = try ExternalFixture.open(path, isPool: isPool) {
      $0.observesExternalChanges = true
    }
    try second.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    let (observer, secondObserver) = (ExternalObserver(), ExternalObserver())
    fixture.writer.add(transactionObserver: observer)
    second.add(transactionObserver: secondObserver)
    let other = try ExternalFixture.open(path, isPool: isPool)
    try other.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    secondObserver.wait(forRows: 1, in: second)
    try fixture.insertElsewhere()
    observer.wait(forRows: 1, in: fixture)
    #expect(observer.words == ["?", "did"])
  }

  @Test(arguments: ExternalAccess.allCases)
  func `an observer that is added later misses nothing`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    try fixture.insertElsewhere()
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    // All commits before the first observer was added are reported once.
    observer.wait(forRows: 1, in: fixture)
    fixture.writer.remove(transactionObserver: observer)
    try fixture.insertElsewhere()
    let next = ExternalObserver()
    fixture.writer.add(transactionObserver: next)
    next.wait(forRows: 2, in: fixture)
    try fixture.insertElsewhere()
    next.wait(forRows: 3, in: fixture)
    #expect(next.rows == 3)
    #expect(observer.rows == 1)
  }

  @Test(arguments: ExternalAccess.allCases)
  func `a database is closed while others commit`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    let isOver = Locked(false)
    let group = DispatchGroup()
    let other = fixture.other
    let commits = Locked(0)
    detachThread(group: group) {
      while !isOver.value {
        try other.write {
          try $0.execute(sql: "UPDATE b SET x = 1; INSERT INTO b (x) VALUES (2)")
        }
        commits.increment()
      }
    }
    defer {
      isOver.set(true)
      group.wait()
    }
    for round in 0..<trialCount(15) {
      let database = try ExternalFixture.open(
        fixture.path, isPool: access == .pool || access == .readOnlyPool
      ) {
        $0.readonly = access == .readOnlyQueue || access == .readOnlyPool
        $0.observesExternalChanges = true
      }
      let observer = ExternalObserver()
      database.add(transactionObserver: observer)
      if round % 3 == 0 { observer.waitForCommit(in: database) }
      // In the other rounds, the database is released.
      if round % 2 == 0 { try database.close() }
    }
    #expect(commits.value > 0)
  }

  @Test func `a changed schema is noticed with the commit`() throws {
    let fixture = try ExternalFixture(.queue)
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    let before = try fixture.writer.read { $0.hooks.schemaGeneration }
    try fixture.insertElsewhere()
    observer.wait(forRows: 1, in: fixture)
    #expect(try fixture.writer.read { $0.hooks.schemaGeneration } == before)
    try fixture.other.write { db in
      try db.execute(sql: "ALTER TABLE a ADD COLUMN y; INSERT INTO a DEFAULT VALUES")
    }
    observer.wait(forRows: 2, in: fixture)
    #expect(try fixture.writer.read { $0.hooks.schemaGeneration } > before)
  }

  @Test func `a pool counts the commits of others`() throws {
    for access in [ExternalAccess.pool, .readOnlyPool] {
      let fixture = try ExternalFixture(access)
      let pool = try #require(fixture.writer as? DatabasePool)
      let observer = ExternalObserver()
      pool.add(transactionObserver: observer)
      let before = try #require(pool.commits?.value)
      try fixture.insertElsewhere()
      observer.wait(forRows: 1, in: fixture)
      #expect(try #require(pool.commits?.value) == before + 1)
    }
  }

  @Test(arguments: ExternalAccess.writing)
  func `a change of the key doesn't end the observation`(access: ExternalAccess) throws {
    let fixture = try ExternalFixture(access)
    try fixture.other.close()
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    let key = try DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    if let pool = fixture.writer as? DatabasePool { try pool.changeKey(to: key) }
    if let queue = fixture.writer as? DatabaseQueue { try queue.changeKey(to: key) }
    let other = try ExternalFixture.open(fixture.path, isPool: access == .pool) { $0.key = key }
    try other.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    observer.wait(forRows: 1, in: fixture)
    #expect(observer.rows == 1)
  }

  @Test func `a folder that is moved stays watched`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path("before")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let queue = try ExternalFixture.open(folder + "/db") { $0.observesExternalChanges = true }
    try queue.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    let observer = ExternalObserver()
    queue.add(transactionObserver: observer)
    try FileManager.default.moveItem(atPath: folder, toPath: directory.path("after"))
    let other = try ExternalFixture.open(directory.path("after") + "/db")
    try other.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    observer.wait(forRows: 1, in: queue)
    #expect(observer.rows == 1)
  }

  @Test func `a log that comes and goes is watched as the file is`() throws {
    let fixture = try ExternalFixture(.queue)
    try fixture.other.close()
    let observer = ExternalObserver()
    fixture.writer.add(transactionObserver: observer)
    for (index, mode) in ["wal", "delete", "wal", "truncate", "persist"].enumerated() {
      // This is the only connection, since only the last one removes a log.
      try fixture.writer.writeWithoutTransaction { db in
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
      }
      let other = try ExternalFixture.open(fixture.path)
      try other.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = \(mode)")
        try db.execute(sql: "INSERT INTO a DEFAULT VALUES")
      }
      observer.wait(forRows: index + 1, in: fixture)
      #expect(observer.rows == index + 1)
      try other.close()
    }
  }

  @Test(arguments: ExternalAccess.writing)
  func `an observer may write when it is called`(access: ExternalAccess) throws {
    final class Answering: TransactionObserver, Sendable {
      let isDone = DispatchSemaphore(value: 0)
      let count = Atomic(0)
      func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { false }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) {
        guard count.add(1, ordering: .relaxed).oldValue == 0 else { return }
        do { try db.execute(sql: "INSERT INTO b DEFAULT VALUES") } catch { Issue.record(error) }
        isDone.signal()
      }
      func databaseDidRollback(_ db: Database) {}
    }
    let fixture = try ExternalFixture(access)
    let observer = Answering()
    fixture.writer.add(transactionObserver: observer)
    try fixture.insertElsewhere()
    withExtendedLifetime(fixture) { observer.isDone.wait() }
    #expect(try fixture.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM b") } == 1)
  }

  @Test func `observers of the next transaction aren't called for a change made elsewhere`() throws
  {
    let fixture = try ExternalFixture(.queue)
    let observer = ExternalObserver()
    let next = ExternalObserver()
    let isOver = Locked(false)
    fixture.writer.add(transactionObserver: observer)
    fixture.writer.add(transactionObserver: next, extent: .nextTransaction)
    try fixture.writer.unsafeReentrantWrite { db in
      db.afterNextTransaction { _ in isOver.set(true) }
    }
    try fixture.insertElsewhere()
    observer.wait(forRows: 1, in: fixture)
    #expect(next.words == [])
    #expect(!isOver.value)
    try fixture.writer.write { try $0.execute(sql: "DELETE FROM a") }
    #expect(next.words == ["a1", "will", "did"])
    #expect(isOver.value)
  }

  @Test func `without the setting, no change is reported`() throws {
    let fixture = try ExternalFixture(.queue)
    let deaf = try ExternalFixture.open(fixture.path)
    let (observer, deafObserver) = (ExternalObserver(), ExternalObserver())
    fixture.writer.add(transactionObserver: observer)
    deaf.add(transactionObserver: deafObserver)
    try fixture.insertElsewhere()
    observer.wait(forRows: 1, in: fixture)
    #expect(deafObserver.words == [])
    #expect(try deaf.read { $0.externalChanges == nil })
  }

  @Test func `a database in memory has no changes made elsewhere`() throws {
    var configuration = Configuration()
    configuration.observesExternalChanges = true
    let queue = try DatabaseQueue(configuration: configuration)
    let observer = ExternalObserver()
    queue.add(transactionObserver: observer)
    try queue.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    #expect(observer.words == ["will", "did"])
  }
}
