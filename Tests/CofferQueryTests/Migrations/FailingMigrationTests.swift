@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

struct FailingMigrationTests {
  /// All that is in the schema, and the rows of the table.
  private static func state(_ db: Database) throws -> [String] {
    let rows = try Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
    return try rows.map { "\($0)" } + String.fetchAll(db, sql: "SELECT x FROM t ORDER BY 1")
  }

  private static func migrator(
    _ checks: DatabaseMigrator.ForeignKeyChecks = .deferred,
    failing: @escaping @Sendable (Database) throws -> Void
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("grow \"t\"", foreignKeyChecks: checks) { db throws in
      try db.execute(
        sql: """
          INSERT INTO t VALUES (2); CREATE TABLE u (x); CREATE INDEX t_x ON t (x);
          UPDATE t SET x = x + 100;
          """)
      try failing(db)
    }
    return migrator
  }

  @Test(arguments: [DatabaseMigrator.ForeignKeyChecks.immediate, .deferred])
  func `a failing migration leaves everything as it was, and is named`(
    _ checks: DatabaseMigrator.ForeignKeyChecks
  ) throws {
    let database = try EncryptedQueue(
      "CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    let before = try database.queue.read(Self.state)
    let migrator = Self.migrator(checks) { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (102)")
    }
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
    #expect(error?.sql == "INSERT INTO t VALUES (102)")
    #expect(error?.message?.contains("UNIQUE constraint failed: t.x") == true)
    #expect(
      error?.description.hasSuffix(#"The migration "grow \"t\"" was rolled back."#) == true)
    #expect(try database.queue.read(Self.state) == before)
    #expect(try database.queue.read(migrator.appliedIdentifiers) == [])
    // And it can be tried again.
    let mended = Self.migrator(checks) { _ in }
    try mended.migrate(database.queue)
    #expect(try database.queue.read(mended.hasCompletedMigrations))
    #expect(try database.queue.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [101, 102])
  }

  @Test func `errors of other types are thrown as they are`() throws {
    let database = try EncryptedQueue(
      "CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    let before = try database.queue.read(Self.state)
    let migrator = Self.migrator { _ in throw TestError(reason: "bad data") }
    #expect(throws: TestError(reason: "bad data")) { try migrator.migrate(database.queue) }
    #expect(try database.queue.read(Self.state) == before)
  }

  @Test func `migrations before the failing one stay applied`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    var migrator = DatabaseMigrator()
    migrator.registerMigration("one") { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    migrator.registerMigration("two") { try $0.execute(sql: "INSERT INTO missing VALUES (1)") }
    migrator.registerMigration("three") { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.message == "no such table: missing")
    #expect(error?.description.contains(#"The migration "two""#) == true)
    try database.queue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == ["one"])
      #expect(try Int.fetchAll(db, sql: "SELECT x FROM t") == [1])
    }
  }

  @Test func `a migration that ends its transaction is refused`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    let migrator = Self.migrator { try $0.execute(sql: "ROLLBACK") }
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.description.contains("grow") == true)
    try database.queue.inDatabase { db throws in
      #expect(try migrator.appliedIdentifiers(db) == [])
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
    }
  }

  @Test func `a cancelled migration is undone, and foreign keys are enforced again`() async throws {
    let database = try EncryptedQueue(
      "CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    let before = try await database.queue.read { try Self.state($0) }
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    let migrator = Self.migrator { db throws in
      continuation.finish()
      _ = try Int.fetchOne(db, sql: endlessSQL)
    }
    let task = Task { try await migrator.asyncMigrate(database.queue) }
    for await _ in began {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await database.queue.writeWithoutTransaction { db throws in
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      #expect(try Self.state(db) == before)
    }
  }
}
