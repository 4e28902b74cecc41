@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

struct ForeignKeyChecksTests {
  private static let schema = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (parentId INTEGER REFERENCES parent ON DELETE CASCADE);
    INSERT INTO parent VALUES (1);
    INSERT INTO child VALUES (1);
    """

  /// Makes the parent anew, which would delete the children if foreign keys were enforced.
  private static let remake = """
    CREATE TABLE parent2 (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO parent2 (id) SELECT id FROM parent;
    DROP TABLE parent;
    ALTER TABLE parent2 RENAME TO parent;
    """

  private static func isEnforced(_ db: Database) throws -> Bool? {
    try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
  }

  @Test func `deferred checks let a table be made anew`() throws {
    let database = try EncryptedQueue(Self.schema)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("remake") { db throws in
      #expect(try Self.isEnforced(db) == false)
      try db.execute(sql: Self.remake)
    }
    try migrator.migrate(database.queue)
    try database.queue.inDatabase { db throws in
      #expect(try Self.isEnforced(db) == true)
      #expect(try Int.fetchAll(db, sql: "SELECT parentId FROM child") == [1])
    }
  }

  @Test func `the seeds' name has deferred checks too`() throws {
    let database = try EncryptedQueue(Self.schema)
    var migrator = DatabaseMigrator()
    migrator.registerMigrationWithDeferredForeignKeyCheck("break") { db throws in
      try db.execute(sql: "DELETE FROM parent")
    }
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
  }

  @Test func `deferred checks find what a migration breaks, before its commit`() throws {
    let database = try EncryptedQueue(Self.schema)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("break") { try $0.execute(sql: "INSERT INTO child VALUES (17)") }
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(error?.message?.contains("from child") == true)
    #expect(error?.message?.contains("to parent") == true)
    #expect(error?.description.contains(#"The migration "break" was rolled back."#) == true)
    try database.queue.inDatabase { db throws in
      #expect(try Self.isEnforced(db) == true)
      #expect(try Int.fetchAll(db, sql: "SELECT parentId FROM child") == [1])
      #expect(try migrator.appliedIdentifiers(db) == [])
    }
  }

  @Test func `immediate checks are those of each statement`() throws {
    let database = try EncryptedQueue(Self.schema)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("break", foreignKeyChecks: .immediate) { db throws in
      #expect(try Self.isEnforced(db) == true)
      let error = databaseError { try db.execute(sql: "INSERT INTO child VALUES (17)") }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      try db.execute(sql: Self.remake)
    }
    try migrator.migrate(database.queue)
    // Dropping the parent has deleted the children.
    #expect(
      try database.queue.read { try Int.fetchAll($0, sql: "SELECT parentId FROM child") } == [])
  }

  @Test func `a migrator that disables deferred checks keeps those registered before`() throws {
    var base = DatabaseMigrator()
    base.registerMigration("break 1") { try $0.execute(sql: "INSERT INTO child VALUES (17)") }
    var early = base.disablingDeferredForeignKeyChecks()
    early.registerMigration("break 2") { try $0.execute(sql: "INSERT INTO child VALUES (18)") }
    let first = try EncryptedQueue(Self.schema)
    let error = databaseError { try early.migrate(first.queue) }
    #expect(error?.description.contains("break 1") == true)

    var late = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    late.registerMigration("break 2") { db throws in
      #expect(try Self.isEnforced(db) == false)
      try db.execute(sql: "INSERT INTO child VALUES (18)")
    }
    late.registerMigration("break 3", foreignKeyChecks: .immediate) { db throws in
      #expect(try Self.isEnforced(db) == true)
      _ = databaseError { try db.execute(sql: "INSERT INTO child VALUES (19)") }
    }
    let second = try EncryptedQueue(Self.schema)
    try late.migrate(second.queue)
    try second.queue.inDatabase { db throws in
      #expect(try Self.isEnforced(db) == true)
      #expect(try Int.fetchAll(db, sql: "SELECT parentId FROM child") == [1, 18])
    }
  }

  @Test func `foreign keys that are off aren't checked or switched on`() throws {
    let database = try EncryptedQueue(Self.schema) { $0.foreignKeysEnabled = false }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("deferred") { try $0.execute(sql: "INSERT INTO child VALUES (17)") }
    migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { db throws in
      try db.execute(sql: "INSERT INTO child VALUES (18)")
    }
    try migrator.migrate(database.queue)
    try database.queue.inDatabase { db throws in
      #expect(try Self.isEnforced(db) == false)
      #expect(try Int.fetchAll(db, sql: "SELECT parentId FROM child") == [1, 17, 18])
    }
  }
}
