@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Testing

struct SchemaChangeTests {
  private static func migrator(
    _ steps: [(String, String)], erasing: Bool = true
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = erasing
    for (name, sql) in steps { migrator.registerMigration(name) { try $0.execute(sql: sql) } }
    return migrator
  }

  private static let original = [
    ("v1", "CREATE TABLE t (x)"), ("v2", "CREATE TABLE u (x)"),
  ]

  /// A database after the original migrations, with one row.
  private static func database(
    configure: (inout Configuration) -> Void = { _ in }
  ) throws -> EncryptedQueue {
    let database = try EncryptedQueue(configure: configure)
    try migrator(original).migrate(database.queue)
    try database.queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    return database
  }

  private static func rowCount(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
  }

  @Test func `the same migrations, and further ones, are no change`() throws {
    let database = try Self.database()
    let migrator = Self.migrator(Self.original + [("v3", "CREATE TABLE v (x)")])
    #expect(try !database.queue.read(migrator.hasSchemaChanges))
    try migrator.migrate(database.queue)
    #expect(try database.queue.read(Self.rowCount) == 1)
  }

  @Test(arguments: [
    // Another column, a renamed, a removed and a replaced migration, another index.
    [("v1", "CREATE TABLE t (x, y)"), ("v2", "CREATE TABLE u (x)")],
    [("one", "CREATE TABLE t (x)"), ("v2", "CREATE TABLE u (x)")],
    [("v1", "CREATE TABLE t (x)")],
    [("v2", "CREATE TABLE t (x); CREATE TABLE u (x)")],
    [("v1", "CREATE TABLE t (x)"), ("v2", "CREATE TABLE u (x); CREATE INDEX t_x ON t (x)")],
  ])
  func `changed migrations erase the database and run anew`(_ steps: [(String, String)]) throws {
    let database = try Self.database()
    let migrator = Self.migrator(steps)
    #expect(try database.queue.read(migrator.hasSchemaChanges))
    try migrator.migrate(database.queue)
    try database.queue.read { db throws in
      #expect(try Self.rowCount(db) == 0)
      #expect(try migrator.appliedIdentifiers(db) == Set(steps.map(\.0)))
      #expect(try !migrator.hasSchemaChanges(db))
    }
    // It has kept its key.
    #expect(try database.other().read(Self.rowCount) == 0)
  }

  @Test func `nothing is erased unless that is asked for`() throws {
    let database = try Self.database()
    let migrator = Self.migrator(
      [("v1", "CREATE TABLE t (x, y)"), ("v2", "")], erasing: false)
    #expect(try database.queue.read(migrator.hasSchemaChanges))
    try migrator.migrate(database.queue)
    #expect(try database.queue.read(Self.rowCount) == 1)
  }

  @Test func `tables that no migration has made are a change, but for internal ones`() throws {
    let database = try Self.database()
    let migrator = Self.migrator(Self.original)
    try database.queue.inDatabase { db throws in
      // ANALYZE makes sqlite_stat1.
      try db.execute(sql: "CREATE TABLE grdb_other (x); ANALYZE")
      #expect(try !migrator.hasSchemaChanges(db))
      try db.execute(sql: "CREATE TABLE sqlitelike (x)")
      #expect(try migrator.hasSchemaChanges(db))
    }
  }

  @Test func `the comparison has the functions and collations of the database`() throws {
    let database = try EncryptedQueue { configuration in
      configuration.prepareDatabase { db throws in
        db.add(function: DatabaseFunction("answer", argumentCount: 0, pure: true) { _ in 42 })
        db.add(collation: DatabaseCollation("backwards") { $1.compare($0) })
      }
    }
    let migrator = Self.migrator([
      ("v1", "CREATE TABLE t (x COLLATE backwards CHECK (x < answer()))"),
      ("v2", "INSERT INTO t SELECT answer() - 1; CREATE INDEX t_x ON t (x)"),
    ])
    try migrator.migrate(database.queue)
    try migrator.migrate(database.queue)
    #expect(try database.queue.read(Self.rowCount) == 1)
  }

  @Test func `a read-only access compares, too`() throws {
    let database = try Self.database()
    let readonly = try database.other { $0.readonly = true }
    #expect(try !readonly.read(Self.migrator(Self.original).hasSchemaChanges))
    #expect(try readonly.read(Self.migrator([("v1", "CREATE TABLE t (y)")]).hasSchemaChanges))
  }

  @Test func `the comparison runs elsewhere, and sees no old data`() throws {
    let database = try Self.database { $0.journalMode = .delete }
    let directory = database.directory
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db throws in
      try db.execute(sql: "CREATE TABLE t (x)")
      #expect(try Self.rowCount(db) == 0)
    }
    migrator.registerMigration("v2") { db throws in
      try db.execute(sql: "CREATE TABLE u (x)")
      let files = try Row.fetchAll(db, sql: "PRAGMA database_list").map { $0["file"] as String? }
      #expect(files.allSatisfy { $0?.hasPrefix(directory.path) != true })
      #expect(try directory.contents() == ["db"])
    }
    #expect(try !database.queue.read(migrator.hasSchemaChanges))
  }

  @Test func `a migration that fails in the comparison is named, and nothing is erased`() throws {
    let database = try Self.database()
    let migrator = Self.migrator([("v1", "CREATE TABLE t (x)"), ("v2", "CREATE TABLE t (x)")])
    let error = databaseError { try migrator.migrate(database.queue) }
    #expect(error?.description.contains(#"The migration "v2""#) == true)
    #expect(try database.queue.read(Self.rowCount) == 1)
  }
}
