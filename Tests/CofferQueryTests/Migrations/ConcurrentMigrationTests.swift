@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Synchronization
import Testing

struct ConcurrentMigrationTests {
  private static let key = String(repeating: "5a", count: 32)

  private static func run(_ path: String, _ how: String) throws -> TestProcess {
    try TestProcess(["migrate", path, key, how])
  }

  private static func tables(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
  }

  @Test(arguments: ["", "-wal"])
  func `of two processes one migrates, and the other waits and finds it done`(
    _ suffix: String
  ) throws {
    let database = try EncryptedQueue()
    let first = try Self.run(database.path, "pausing" + suffix)
    #expect(first.readLine() == "in v1")
    let second = try Self.run(database.path, "at-once" + suffix)
    #expect(second.readLine() == "busy")
    first.goOn()
    #expect(first.readLine() == "ran v1")
    first.goOn()
    // Either process may run v2.
    let lines = [second.finish().lines, first.finish().lines]
    #expect(lines.joined().filter { $0 == "ran v1" } == [])
    #expect(lines.joined().filter { $0 == "ran v2" } == ["ran v2"])
    #expect(lines.map(\.last) == ["done", "done"])
    try database.queue.read { db throws in
      #expect(try Self.tables(db) == ["grdb_migrations", "player", "score"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(age IS NULL) FROM player") == 2000)
    }
  }

  @Test(arguments: ["", "-wal"])
  func `many processes at once run each migration once`(_ suffix: String) throws {
    let database = try EncryptedQueue()
    let children = try (0..<4).map { _ in try Self.run(database.path, "at-once" + suffix) }
    let ends = children.map { $0.finish() }
    #expect(ends.map(\.status) == [0, 0, 0, 0], "\(ends.map(\.error))")
    let lines = ends.flatMap(\.lines).filter { $0.hasPrefix("ran") }
    #expect(lines.sorted() == ["ran v1", "ran v2"])
  }

  @Test(arguments: ["", "-wal"])
  func `a process that is killed in a migration leaves the old schema`(_ suffix: String) throws {
    let database = try EncryptedQueue()
    let first = try Self.run(database.path, "pausing" + suffix)
    #expect(first.readLine() == "in v1")
    first.kill()
    #expect(try database.other().read(Self.tables) == [])

    let second = try Self.run(database.path, "pausing" + suffix)
    #expect(second.readLine() == "in v1")
    second.goOn()
    #expect(second.readLine() == "ran v1")
    #expect(second.readLine() == "in v2")
    second.kill()
    try database.other().read { db throws in
      #expect(try Self.tables(db) == ["grdb_migrations", "player", "score"])
      #expect(
        try Row.fetchAll(db, sql: "PRAGMA table_info(player)").map { $0["name"] as String }
          == ["id", "name"])
      #expect(try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") == ["v1"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 2000)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    let third = try Self.run(database.path, "at-once" + suffix).finish()
    #expect(third.lines.filter { $0 != "busy" } == ["ran v2", "done"])
  }

  @Test func `a migration that stops waiting throws the reason, and can run later`() throws {
    let database = try EncryptedQueue { $0.busyMode = .immediateError }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (x)") }
    let other = try database.other()
    let error = databaseError {
      try other.write { _ in try migrator.migrate(database.queue) }
    }
    #expect(error?.resultCode == .SQLITE_BUSY)
    #expect(error?.description.contains(#"The migration "v1" has waited"#) == true)
    #expect(error?.description.contains("Configuration.busyMode") == true)
    #expect(try database.queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
    try migrator.migrate(database.queue)
    #expect(try other.read(migrator.hasCompletedMigrations))
  }

  @Test func `a database that another connection has erased first isn't erased again`() throws {
    let database = try EncryptedQueue()
    var old = DatabaseMigrator()
    old.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (x)") }
    try old.migrate(database.queue)

    let other = try database.other()
    var simple = DatabaseMigrator()
    simple.eraseDatabaseOnSchemaChange = true
    simple.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (x, y)") }
    // While the first compares, the second erases, migrates and writes.
    let isFirstRun = Mutex(true)
    var racing = DatabaseMigrator()
    racing.eraseDatabaseOnSchemaChange = true
    racing.registerMigration("v1") { [simple] db in
      let isFirst = isFirstRun.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isFirst {
        try simple.migrate(other)
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 2)") }
      }
      try db.execute(sql: "CREATE TABLE t (x, y)")
    }
    try racing.migrate(database.queue)
    #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }
}
