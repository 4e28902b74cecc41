import CSQLCipher
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct BackupTests {
  let directory: TemporaryDirectory
  let key = DatabaseKey.seeded()

  init() throws { directory = try TemporaryDirectory() }

  func makeQueue(
    _ name: String, _ key: DatabaseKey?, rows: Int = 300,
    _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = key
    change(&configuration)
    let queue = try DatabaseQueue(path: directory.path(name), configuration: configuration)
    if rows > 0 {
      try queue.write { db in
        try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
        for number in 1...rows {
          try db.execute(
            sql: "INSERT INTO t VALUES (?, ?)",
            arguments: [number, "MARKER" + String(repeating: "x", count: 500)])
        }
      }
    }
    return queue
  }

  func count(_ reader: any DatabaseReader) throws -> Int? {
    try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
  }

  func isPlaintext(_ name: String) throws -> Bool {
    try Data(contentsOf: URL(fileURLWithPath: directory.path(name))).range(of: Data("MARKER".utf8))
      != nil
  }

  // MARK: To another database

  @Test(arguments: [false, true])
  func `a backup with the same key opens with it`(wal: Bool) throws {
    let source = try makeQueue("a.db", key) { $0.journalMode = wal ? .wal : .delete }
    let target = try makeQueue("b.db", key, rows: 0)
    try source.backup(to: target)
    #expect(try count(target) == 300)
    try target.close()
    #expect(try count(DatabaseQueue(path: directory.path("b.db"), key: key)) == 300)
    #expect(try !isPlaintext("b.db"))
  }

  @Test func `a plaintext backup of a plaintext database is one`() throws {
    let target = try makeQueue("b.db", nil, rows: 0)
    try makeQueue("a.db", nil).backup(to: target)
    #expect(try count(target) == 300)
  }

  @Test func `a target with another key, or one that has none, is refused`() throws {
    let source = try makeQueue("a.db", key)
    let targets: [DatabaseQueue] = [
      try makeQueue("b.db", nil, rows: 1), try makeQueue("c.db", .seeded(), rows: 1),
      try makeQueue("d.db", nil, rows: 0), try DatabaseQueue(),
    ]
    for (index, target) in targets.enumerated() {
      #expect(throws: DatabaseError.self) { try source.backup(to: target) }
      if index < 2 { #expect(try count(target) == 1) }
    }
    #expect(try !isPlaintext("d.db"))
    let plain = try makeQueue("p.db", nil)
    let encrypted = try makeQueue("e.db", key, rows: 1)
    #expect(throws: DatabaseError.self) { try plain.backup(to: encrypted) }
    #expect(try count(encrypted) == 1)
  }

  @Test func `a target with other pages is refused`() throws {
    let source = try makeQueue("a.db", key)
    let target = try makeQueue("b.db", key, rows: 1) { $0.cipher.pageSize = 8192 }
    #expect(throws: DatabaseError.self) { try source.backup(to: target) }
    #expect(try count(target) == 1)
  }

  @Test func `progress counts pages, and what it throws leaves the target as it was`() throws {
    let source = try makeQueue("a.db", key)
    let target = try makeQueue("b.db", key, rows: 1)
    var calls: [DatabaseBackupProgress] = []
    #expect(throws: TestError.self) {
      try source.backup(to: target, pagesPerStep: 5) {
        calls.append($0)
        if calls.count == 3 { throw TestError() }
      }
    }
    #expect(calls.map(\.completedPageCount) == [5, 10, 15])
    #expect(try count(target) == 1)
    calls = []
    try source.backup(to: target, pagesPerStep: 5) { calls.append($0) }
    #expect(calls.last?.isCompleted == true)
    #expect(calls.last?.remainingPageCount == 0)
    #expect(calls.dropLast().allSatisfy { !$0.isCompleted })
    #expect(try count(target) == 300)
  }

  @Test func `what the report of completion throws is ignored`() throws {
    struct Late: Error {}
    let source = try makeQueue("a.db", key)
    let target = try makeQueue("b.db", key, rows: 1)
    var isCompleted = false
    try source.backup(to: target, pagesPerStep: 5) { progress in
      isCompleted = progress.isCompleted
      if isCompleted { throw Late() }
    }
    #expect(isCompleted)
    #expect(try count(target) == 300)
    isCompleted = false
    let path = directory.path("c.db")
    try source.backup(toPath: path) { progress in
      isCompleted = progress.isCompleted
      if isCompleted { throw Late() }
    }
    #expect(isCompleted)
    #expect(try count(DatabaseQueue(path: path, key: key)) == 300)
  }

  @Test func `statements of the target see the new content`() throws {
    let source = try makeQueue("a.db", key)
    let target = try makeQueue("b.db", key, rows: 1)
    #expect(try count(target) == 1)
    try source.backup(to: target)
    #expect(try count(target) == 300)
  }

  // MARK: To a path

  @Test(arguments: [false, true])
  func `a copy at a path has the same key, or another one`(wal: Bool) throws {
    let source = try makeQueue("a.db", key) { $0.journalMode = wal ? .wal : .delete }
    let other = DatabaseKey.passphrase("other")
    try source.backup(toPath: directory.path("same.db"))
    try source.backup(toPath: directory.path("other.db"), key: other)
    #expect(try count(DatabaseQueue(path: directory.path("same.db"), key: key)) == 300)
    #expect(try count(DatabaseQueue(path: directory.path("other.db"), key: other)) == 300)
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue(path: directory.path("other.db"), key: key)
    }
    #expect(try !isPlaintext("same.db") && !isPlaintext("other.db"))
    #expect(throws: DatabaseError.self) { try source.backup(toPath: directory.path("same.db")) }
    #expect(try directory.contents().filter { $0.contains("partial") } == [])
  }

  @Test func `a plaintext database gets an encrypted copy while it is open`() throws {
    let source = try makeQueue("a.db", nil)
    try source.backup(toPath: directory.path("b.db"), key: key)
    #expect(try count(DatabaseQueue(path: directory.path("b.db"), key: key)) == 300)
    try source.write { try $0.execute(sql: "DELETE FROM t") }
  }

  @Test(arguments: [false, true])
  func `a plaintext copy is made where it is asked for by name`(wal: Bool) throws {
    let source = try makeQueue("a.db", key) { $0.journalMode = wal ? .wal : .delete }
    try source.exportPlaintext(to: directory.path("p.db"))
    #expect(try isPlaintext("p.db"))
    #expect(try count(DatabaseQueue(path: directory.path("p.db"))) == 300)
    try source.write { try $0.execute(sql: "DELETE FROM t") }
    #expect(try count(source) == 0)
  }

  @Test func `vacuum(into:) keeps the key, or names the version that it needs`() throws {
    let source = try makeQueue("a.db", key)
    let target = directory.path("v.db")
    if SQLiteFeatures.linked.hasVacuumInto {
      try source.vacuum(into: target)
      #expect(try count(DatabaseQueue(path: target, key: key)) == 300)
      #expect(try !isPlaintext("v.db"))
      #expect(throws: DatabaseError.self) { try source.vacuum(into: target) }
    } else {
      let error = #expect(throws: DatabaseError.self) { try source.vacuum(into: target) }
      #expect("\(error!)".contains("3.27"))
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }

  // MARK: Copies

  @Test func `copies of an encrypted file hold its content and leave nothing`() throws {
    for key in [key, nil] {
      try makeQueue("a.db", key).close()
      var configuration = Configuration()
      configuration.key = key
      configuration.journalMode = .delete
      let path = directory.path("a.db")
      for copy in [
        try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration),
        try DatabaseQueue.temporaryCopy(fromPath: path, configuration: configuration),
      ] {
        try copy.write { try $0.execute(sql: "DELETE FROM t WHERE a > 10") }
        #expect(try count(copy) == 10)
      }
      #expect(try count(DatabaseQueue(path: path, configuration: configuration)) == 300)
      #expect(try directory.contents() == ["a.db"])
      configuration.readonly = true
      let readonly = try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration)
      #expect(throws: DatabaseError.self) {
        try readonly.write { try $0.execute(sql: "DELETE FROM t") }
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }

  // MARK: Erasing

  @Test func `an erased database is empty, and keeps its key`() throws {
    let queue = try makeQueue("a.db", key)
    try queue.inDatabase { db in
      try db.execute(
        sql: """
          CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY AUTOINCREMENT, t REFERENCES t);
          INSERT INTO "odd ""name" (t) VALUES (1);
          CREATE VIEW v AS SELECT * FROM t;
          CREATE TRIGGER tr AFTER DELETE ON t BEGIN SELECT raise(ABORT, 'no'); END;
          CREATE VIRTUAL TABLE f USING fts4(x);
          CREATE INDEX i ON t (b); ANALYZE;
          PRAGMA user_version = 4
          """)
    }
    try queue.erase()
    try queue.inDatabase { db in
      #expect(
        try String.fetchAll(
          db, sql: "SELECT name FROM sqlite_master WHERE name <> 'sqlite_sequence'") == [])
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 0)
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      try db.execute(
        sql: "CREATE TABLE t (a); CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT, a)")
      try db.execute(sql: "INSERT INTO s (a) VALUES (1)")
      #expect(db.lastInsertedRowID == 1)
    }
    try queue.close()
    #expect(try count(DatabaseQueue(path: directory.path("a.db"), key: key)) == 0)
  }

  // MARK: Integrity

  @Test(arguments: [false, true])
  func `pages that something has changed are named`(wal: Bool) throws {
    let queue = try makeQueue("a.db", key) { $0.journalMode = wal ? .wal : .delete }
    #expect(try queue.checkCipherIntegrity() == [])
    #expect(try queue.inDatabase { try $0.checkCipherIntegrity() } == [])
    try queue.close()
    let url = URL(fileURLWithPath: directory.path("a.db"))
    var data = try Data(contentsOf: url)
    let size = CipherSettings.default.pageSize
    for page in [3, 5] { data[(page - 1) * size + 100] ^= 1 }
    try data.write(to: url)
    let damaged = try DatabaseQueue(path: url.path, key: key)
    #expect(try damaged.checkCipherIntegrity() == [3, 5])
  }

  @Test func `a database without a key has no pages to authenticate`() throws {
    let queue = try makeQueue("a.db", nil)
    #expect(throws: DatabaseError.self) { try queue.checkCipherIntegrity() }
  }
}
