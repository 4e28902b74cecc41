@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

struct MergedMigrationTests {
  private typealias Log = Locked<[Set<String>]>

  private static func old(upTo count: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in ["v1", "v2", "v3"].prefix(count) {
      migrator.registerMigration(name) { try $0.execute(sql: "CREATE TABLE \(name) (x)") }
    }
    return migrator
  }

  private static func merged(_ log: Log) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v3", merging: ["v1", "v2", "v3"]) { db, applied throws in
      log.append(applied)
      for name in ["v1", "v2", "v3"] where !applied.contains(name) {
        try db.execute(sql: "CREATE TABLE \(name) (x)")
      }
    }
    migrator.registerMigration("v4") { try $0.execute(sql: "CREATE TABLE v4 (x)") }
    return migrator
  }

  @Test(arguments: [0, 1, 2])
  func `a merged migration learns which migrations were applied`(_ count: Int) throws {
    let database = try EncryptedQueue()
    try Self.old(upTo: count).migrate(database.queue)
    let log = Log([])
    let migrator = Self.merged(log)
    try migrator.migrate(database.queue)
    try migrator.migrate(database.queue)
    #expect(log.value == [Set(["v1", "v2"].prefix(count))])
    try database.queue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["v3", "v4"])
      #expect(
        try String.fetchSet(db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'v%'")
          == ["v1", "v2", "v3", "v4"])
    }
  }

  @Test func `a migration that ran before it merged others only takes their place`() throws {
    let database = try EncryptedQueue()
    try Self.old(upTo: 3).migrate(database.queue)
    let log = Log([])
    let migrator = Self.merged(log)
    #expect(try database.queue.read(migrator.hasBeenSuperseded))
    try migrator.migrate(database.queue, upTo: "v3")
    #expect(log.value == [])
    #expect(try database.queue.read(migrator.appliedIdentifiers) == ["v3"])
    #expect(try !database.queue.read(migrator.hasBeenSuperseded))
  }

  @Test func `migrations that a failing merged one replaces stay applied`() throws {
    let database = try EncryptedQueue()
    try Self.old(upTo: 1).migrate(database.queue)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v2", foreignKeyChecks: .immediate, merging: ["v1"]) {
      db, applied throws in
      #expect(applied == ["v1"])
      try db.execute(sql: "DROP TABLE v1; INSERT INTO v1 VALUES (1)")
    }
    #expect(databaseError { try migrator.migrate(database.queue) }?.resultCode == .SQLITE_ERROR)
    try database.queue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["v1"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM v1") == 0)
    }
  }
}
