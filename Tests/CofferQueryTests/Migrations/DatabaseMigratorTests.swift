@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Synchronization
import Testing

struct DatabaseMigratorTests {
  /// Three migrations, each of which adds a table.
  private static var threeSteps: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in ["a", "b", "c"] {
      migrator.registerMigration(name) { try $0.execute(sql: "CREATE TABLE \(name) (x)") }
    }
    return migrator
  }

  private static func tables(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'grdb_migrations'")
  }

  @Test func `migrations run once, in the order of their registration`() throws {
    let runs = Mutex<[String]>([])
    var migrator = DatabaseMigrator()
    for name in ["second", "first", "third"] {
      migrator.registerMigration(name) { _ in runs.withLock { $0.append(name) } }
    }
    #expect(migrator.migrations == ["second", "first", "third"])
    let database = try EncryptedQueue()
    try migrator.migrate(database.queue)
    try migrator.migrate(database.queue)
    try migrator.migrate(database.other())
    #expect(runs.withLock { $0 } == ["second", "first", "third"])
  }

  @Test func `an identifier that is registered twice runs no migration and erases nothing`() throws
  {
    var migrator = Self.threeSteps
    migrator.registerMigration("b", merging: ["a"]) { db, _ in
      try db.execute(sql: "CREATE TABLE other (x)")
    }
    migrator.eraseDatabaseOnSchemaChange = true
    let database = try EncryptedQueue("CREATE TABLE kept (x)")
    let calls: [(DatabaseMigrator, DatabaseQueue) throws -> Void] = [
      { try $0.migrate($1) }, { try $0.migrate($1, upTo: "a") },
      { _ = try $1.read($0.hasSchemaChanges) }, { _ = try $1.read($0.hasCompletedMigrations) },
    ]
    for call in calls {
      let error = #expect(throws: DatabaseError.self) { try call(migrator, database.queue) }
      #expect(error?.message == #"the migration "b" is registered twice"#)
    }
    #expect(try database.queue.read(Self.tables) == ["kept"])
  }

  @Test func `identifiers are kept in GRDB's table`() throws {
    let database = try EncryptedQueue()
    try Self.threeSteps.migrate(database.queue)
    try database.queue.read { db throws in
      #expect(
        try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'grdb_migrations'")
          == ["CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"])
      #expect(
        try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") == ["a", "b", "c"])
    }
  }

  @Test func `a database that GRDB has migrated goes on`() throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('a'), ('b');
      CREATE TABLE a (x); CREATE TABLE b (x);
      """)
    try Self.threeSteps.migrate(database.queue)
    #expect(try database.queue.read(Self.tables) == ["a", "b", "c"])
  }

  @Test func `migrating stops at the target, and goes on from there`() throws {
    let database = try EncryptedQueue()
    let migrator = Self.threeSteps
    try migrator.migrate(database.queue, upTo: "b")
    #expect(try database.queue.read(Self.tables) == ["a", "b"])
    try migrator.migrate(database.queue, upTo: "b")
    #expect(try database.queue.read(migrator.appliedMigrations) == ["a", "b"])
    #expect(try !database.queue.read(migrator.hasCompletedMigrations))
    try migrator.migrate(database.queue)
    #expect(try database.queue.read(Self.tables) == ["a", "b", "c"])
    #expect(try database.queue.read(migrator.hasCompletedMigrations))
  }

  @Test func `there is no way back to an earlier target`() throws {
    let database = try EncryptedQueue()
    try Self.threeSteps.migrate(database.queue)
    let error = databaseError { try Self.threeSteps.migrate(database.queue, upTo: "a") }
    #expect(error?.resultCode == .SQLITE_MISUSE)
    #expect(error?.message == #"the database is already migrated beyond "a""#)
    #expect(error?.description.contains(#"gone through "c""#) == true)
    #expect(try database.queue.read(Self.tables) == ["a", "b", "c"])
  }

  @Test func `a migration that is registered before applied ones still runs`() throws {
    let database = try EncryptedQueue()
    var old = DatabaseMigrator()
    old.registerMigration("c") { try $0.execute(sql: "CREATE TABLE c (x)") }
    try old.migrate(database.queue)
    let migrator = Self.threeSteps
    try database.queue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == ["c"])
      #expect(try migrator.completedMigrations(db) == [])
    }
    try migrator.migrate(database.queue)
    #expect(try database.queue.read(Self.tables) == ["c", "a", "b"])
    #expect(try database.queue.read(migrator.completedMigrations) == ["a", "b", "c"])
  }

  @Test func `unregistered identifiers are listed, and mean that the database is newer`() throws {
    let database = try EncryptedQueue()
    try Self.threeSteps.migrate(database.queue)
    var older = DatabaseMigrator()
    older.registerMigration("a") { _ in }
    try database.queue.read { db throws in
      #expect(try older.appliedIdentifiers(db) == ["a", "b", "c"])
      #expect(try older.appliedMigrations(db) == ["a"])
      #expect(try older.hasCompletedMigrations(db))
      #expect(try older.hasBeenSuperseded(db))
      #expect(try !Self.threeSteps.hasBeenSuperseded(db))
    }
    try older.migrate(database.queue)
    #expect(try database.queue.read(older.appliedIdentifiers) == ["a", "b", "c"])
  }

  @Test func `a new database has no applied migrations, and finding out only reads`() throws {
    let database = try EncryptedQueue { $0.readonly = false }
    try database.queue.read { db throws in
      let migrator = Self.threeSteps
      #expect(try migrator.appliedIdentifiers(db) == [])
      #expect(try migrator.appliedMigrations(db) == [])
      #expect(try migrator.completedMigrations(db) == [])
      #expect(try !migrator.hasCompletedMigrations(db))
      #expect(try !migrator.hasBeenSuperseded(db))
      #expect(try !migrator.hasSchemaChanges(db))
      #expect(try DatabaseMigrator().hasCompletedMigrations(db))
    }
  }

  @Test func `a migrator without migrations changes nothing`() throws {
    let database = try EncryptedQueue()
    try DatabaseMigrator().migrate(database.queue)
    #expect(
      try database.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
        == 0)
  }

  @Test func `a migrated database needs no write access`() throws {
    let database = try EncryptedQueue()
    try Self.threeSteps.migrate(database.queue)
    let readonly = try database.other { $0.readonly = true }
    try Self.threeSteps.migrate(readonly)
    #expect(try readonly.read(Self.threeSteps.hasCompletedMigrations))
  }

  @Test func `an attached database's migrations are not the main one's`() throws {
    let other = try EncryptedQueue()
    try Self.threeSteps.migrate(other.queue)
    let database = try EncryptedQueue()
    try database.queue.inDatabase { db throws in
      try db.attach(other.path, as: "other", key: .raw(EncryptedQueue.rawKey))
      #expect(try Self.threeSteps.appliedIdentifiers(db) == [])
    }
    try Self.threeSteps.migrate(database.queue)
    #expect(try database.queue.read(Self.tables) == ["a", "b", "c"])
  }

  @Test func `asynchronous migrations hand over the connection`() async throws {
    let database = try EncryptedQueue()
    let migrator = Self.threeSteps
    let tables = try await withCheckedThrowingContinuation { continuation in
      migrator.asyncMigrate(database.queue) { result in
        continuation.resume(
          with: Result {
            let db = try result.get()
            try db.execute(sql: "CREATE TABLE d (x)")
            return try Self.tables(db)
          })
      }
    }
    #expect(tables == ["a", "b", "c", "d"])
  }

  @Test func `asynchronous migrations hand over the error`() async throws {
    let database = try EncryptedQueue()
    try database.queue.close()
    let migrator = Self.threeSteps
    let error = await withCheckedContinuation { continuation in
      migrator.asyncMigrate(database.queue) { result in
        if case .failure(let error) = result { continuation.resume(returning: error) }
      }
    }
    #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `tasks migrate, all the way or up to a target`() async throws {
    let database = try EncryptedQueue()
    let migrator = Self.threeSteps
    try await migrator.asyncMigrate(database.queue, upTo: "b")
    #expect(try await database.queue.read { try Self.tables($0) } == ["a", "b"])
    try await migrator.asyncMigrate(database.queue)
    #expect(try await database.queue.read { try Self.tables($0) } == ["a", "b", "c"])
  }

  @Test func `a writer behind its protocol is migrated too`() throws {
    let database = try EncryptedQueue()
    try Self.threeSteps.migrate(AnyDatabaseWriter(database.queue))
    #expect(try database.queue.read(Self.tables) == ["a", "b", "c"])
  }

  @Test func `all applied migrations are read once, however many follow`() throws {
    var migrator = DatabaseMigrator()
    for number in 0..<20 { migrator.registerMigration("\(number)") { _ in } }
    let database = try EncryptedQueue()
    try migrator.migrate(database.queue, upTo: "9")
    let statements = Mutex<[String]>([])
    try database.queue.inDatabase { db in
      db.trace { event in statements.withLock { $0.append(event.description) } }
    }
    try migrator.migrate(database.queue)
    let reads = statements.withLock(\.self).filter { $0.contains("SELECT identifier") }
    #expect(reads.count == 11, "\(reads)")
    #expect(reads.filter { !$0.contains("WHERE") }.count == 1)
  }

  @Test func `a migration that another one marks as applied doesn't run`() throws {
    let runs = Mutex<[String]>([])
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in
      try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('b')")
    }
    for name in ["b", "c"] {
      migrator.registerMigration(name) { _ in runs.withLock { $0.append(name) } }
    }
    let database = try EncryptedQueue()
    try migrator.migrate(database.queue)
    #expect(runs.withLock { $0 } == ["c"])
    let hasCompleted = try database.queue.read(migrator.hasCompletedMigrations)
    #expect(hasCompleted)
  }

  @Test func `a target must be registered`() async {
    await #expect(processExitsWith: .failure) {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("a") { _ in }
      try migrator.migrate(DatabaseQueue(), upTo: "b")
    }
  }
}
