@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct DatabasePathTests {
  private func key() throws -> DatabaseKey { try .raw(EncryptedQueue.rawKey) }

  @Test(arguments: [
    "a b.db", "ünïcödé 👍.db", "it's \"quoted\" `db`", "file:name.db", "100%41.db", "?mode=memory",
    "#hash", "a;b", "-dash", "new\nline", "e\u{301}", "file:x?mode=ro", ":memory:",
  ])
  func `any file name is a path`(name: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(name)
    for expected in [1, 2] {
      let queue = try DatabaseQueue(path: path, key: key())
      #expect(queue.path == path)
      try queue.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)")
      }
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == expected)
      try queue.close()
    }
    let contents = try directory.contents()
    #expect(contents.count == 1)
    #expect(Array(contents[0].utf8) == Array(name.utf8))
  }

  @Test func `a missing folder is named in the error`() throws {
    let directory = try TemporaryDirectory()
    let error = databaseError {
      try DatabaseQueue(path: directory.path("missing/folder/db"), key: key())
    }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.hint == "The folder doesn't exist: create it first.")
  }

  @Test func `a folder is no database`() throws {
    let directory = try TemporaryDirectory()
    let error = databaseError { try DatabaseQueue(path: directory.path, key: key()) }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.hint == "The path is that of a folder.")
  }

  @Test func `a file in the place of a folder is named in the error`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path("file")
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    let error = databaseError { try DatabaseQueue(path: file + "/db", key: key()) }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
  }

  @Test func `a path with a NUL is refused`() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue(path: directory.path("a\0b"), key: key())
    }
    #expect(try directory.contents().isEmpty)
  }

  @Test func `a read-only connection makes no file`() throws {
    let directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.readonly = true
    let error = databaseError {
      try DatabaseQueue(path: directory.path("db"), key: key(), configuration: configuration)
    }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.hint?.hasPrefix("There is no such file") == true)
    #expect(try directory.contents().isEmpty)
  }

  @Test func `a read-only connection reads and refuses to write`() throws {
    let database = try EncryptedQueue("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try database.queue.close()
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o400]
    try FileManager.default.setAttributes(attributes, ofItemAtPath: database.path)
    let queue = try database.other { $0.readonly = true }
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
    for error in [
      databaseError { try queue.write { try $0.execute(sql: "DELETE FROM t") } },
      databaseError { try queue.inDatabase { try $0.execute(sql: "DELETE FROM t") } },
      databaseError { try queue.write { try $0.execute(sql: "CREATE TABLE u(a)") } },
    ] {
      #expect(error?.resultCode == .SQLITE_READONLY)
    }
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
  }

  @Test func `a database in memory belongs to its queue alone`() throws {
    let a = try DatabaseQueue()
    let b = try DatabaseQueue()
    #expect(a.path == ":memory:")
    try a.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(throws: DatabaseError.self) {
      try b.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
    }
    #expect(try a.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [])
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasSharedMemoryDatabases))
  func `databases in memory share by name`() throws {
    for name in ["shared", "a b/c?d#e%20", "ünï", "it's"] {
      let a = try DatabaseQueue(named: name)
      let b = try DatabaseQueue(named: name)
      let other = try DatabaseQueue(named: name + "2")
      try a.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
      #expect(try b.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
      #expect(throws: DatabaseError.self) {
        try other.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
      }
    }
  }

  @Test(.disabled(if: SQLiteFeatures.linked.hasSharedMemoryDatabases))
  func `an old SQLite says that it can't share memory`() throws {
    let error = databaseError { try DatabaseQueue(named: "shared") }
    #expect(error?.message == "a named database in memory needs SQLite 3.36 or later")
  }

  // In a process of its own, since the folder is one of the process.
  @Test func `a relative path is that of the file after a change of the folder`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      for name in ["a", "b"] {
        try FileManager.default.createDirectory(
          atPath: directory.path(name), withIntermediateDirectories: true)
      }
      try #require(chdir(directory.path("a")) == 0)
      var configuration = Configuration()
      configuration.key = .seeded(column: 1)
      let pool = try DatabasePool(path: "pool.db", configuration: configuration)
      let queue = try DatabaseQueue(path: "./queue.db", configuration: configuration)
      let sql = "CREATE TABLE t(a); INSERT INTO t VALUES (1)"
      try pool.write { try $0.execute(sql: sql) }
      try queue.write { try $0.execute(sql: sql) }
      try #require(chdir(directory.path("b")) == 0)
      func count(_ reader: any DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
      }
      #expect(try count(pool) == 1)
      #expect(try count(pool.makeSnapshot()) == 1)
      #expect(try count(DatabaseSnapshotPool(path: pool.path, configuration: configuration)) == 1)
      let new = DatabaseKey.seeded(column: 2)
      try pool.changeKey(to: new)
      try queue.changeKey(to: new)
      #expect(try count(pool) == 1)
      #expect(try count(queue) == 1)
      try pool.vacuum()
      try queue.backup(to: pool)
      #expect(FileManager.default.fileExists(atPath: pool.path))
      #expect(FileManager.default.fileExists(atPath: queue.path))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("b")) == [])
      try pool.close()
      try queue.close()
    }
  }
}
