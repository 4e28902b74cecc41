import CofferExpectations
import CofferTestSupport
import CofferVault
import Testing

@testable import CofferCore
@testable import CofferQuery

/// The version of the schema that a connection knows without asking is SQLite's.
@Suite struct KnownSchemaVersionTests {
  /// Whether the transaction needn't ask for the version.
  private func isKnown(_ db: Database) -> Bool {
    guard let transaction = db.openTransaction else { return false }
    return db.knownSchemaVersion?.version(in: transaction, db) != nil
  }

  private func expectCurrent(_ db: Database, _ comment: Comment) throws {
    let known = try db.schemaVersion()
    #expect(try known == Int32.fetchOne(db, sql: "PRAGMA main.schema_version"), comment)
  }

  /// Runs one change, of any kind, of a random transaction.
  private func change(_ db: Database, _ random: inout SeededGenerator) throws {
    let name = "t\(Int.random(in: 0..<3, using: &random))"
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(name) (a)")
    case 1: try db.execute(sql: "DROP TABLE IF EXISTS \(name)")
    case 2:
      // Where SQLite doesn't count changes, no version is known without asking; and after versions
      // that are set, SQLite 3.15 itself reads the schema as malformed at times.
      guard SQLite.dataVersion(try db.openConnection()) != nil else { return }
      let version = try db.schemaVersion()
      try db.execute(sql: "PRAGMA schema_version = \(version &+ 1)")
    case 3:
      try db.inSavepoint {
        try db.execute(sql: "CREATE TABLE u (a)")
        return .rollback
      }
    case 4: try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS \(name)x (a)")
    default: try db.execute(sql: "INSERT INTO row VALUES (1)")
    }
  }

  private func transaction(_ db: Database, _ random: inout SeededGenerator) throws {
    let count = Int.random(in: 0...2, using: &random)
    func body() throws {
      if Bool.random(using: &random) { try expectCurrent(db, "at the beginning") }
      for _ in 0..<count {
        try change(db, &random)
        if Bool.random(using: &random) { try expectCurrent(db, "after a change") }
      }
    }
    let end = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try body()
    case 1:
      try db.execute(sql: "BEGIN")
      try body()
      try db.execute(sql: end == 0 ? "ROLLBACK" : "COMMIT")
    case let kind:
      try db.inTransaction(kind == 2 ? .deferred : kind == 3 ? .exclusive : .immediate) {
        try body()
        return end == 0 ? .rollback : .commit
      }
    }
    try expectCurrent(db, "after the transaction")
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `it is SQLite's, whatever two connections change`(_ mode: String) throws {
    var random = SeededGenerator()
    let database = try EncryptedQueue("PRAGMA journal_mode = \(mode); CREATE TABLE row (a)")
    let other = try database.other()
    for _ in 0..<400 {
      let queue = Bool.random(using: &random) ? database.queue : other
      try queue.inDatabase { try transaction($0, &random) }
    }
  }

  @Test func `short writes know it from those before, and ask after those of others`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE row (a)")
    let other = try database.other()
    func write() throws -> Bool {
      try database.queue.write { db in
        let isKnown = isKnown(db)
        _ = try db.schemaVersion()
        try db.execute(sql: "INSERT INTO row VALUES (1)")
        return isKnown
      }
    }
    // Before SQLite 3.22, it is asked each time.
    let counts =
      try database.queue.inDatabase { SQLite.dataVersion(try $0.openConnection()) } != nil
    #expect(try !write())
    #expect(try write() == counts)
    #expect(try write() == counts)
    try other.write { try $0.execute(sql: "INSERT INTO row VALUES (2)") }
    #expect(try !write())
    #expect(try write() == counts)
    try database.queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect(try !write())
    #expect(try write() == counts)
  }

  @Test func `a definition by SQLite's handle ends it`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE row (a)")
    for definition in ["CREATE TABLE t (a)", "PRAGMA schema_version = 77", "DROP TABLE t"] {
      try database.queue.write { db in
        _ = try db.schemaVersion()
        try LibrarySQL.run(definition, in: db.openConnection())
      }
      try database.queue.write { db in
        #expect(!isKnown(db))
        try expectCurrent(db, "after \(definition)")
      }
    }
  }

  @Test func `a column that another connection adds is in the next insertion`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE row (a)")
    let other = try database.other()
    for count in 1...3 {
      try database.queue.write { db in
        #expect(try db.columns(in: "row").count == count)
        try db.execute(sql: "INSERT INTO row (a) VALUES (1)")
      }
      try other.write { try $0.execute(sql: "ALTER TABLE row ADD COLUMN b\(count)") }
    }
  }

  @Test func `a deferred transaction that has read nothing doesn't know it`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE row (a)")
    let other = try database.other()
    try database.queue.write { _ = try $0.schemaVersion() }
    try database.queue.inDatabase { db in
      try db.inTransaction(.deferred) {
        try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(!isKnown(db))
        #expect(try db.tableExists("t"))
        return .commit
      }
    }
  }

  @Test func `a version that a statement sets is noticed within its transaction`() throws {
    try EncryptedQueue.with("CREATE TABLE row (a)") { db throws in
      try db.inTransaction {
        let version = try db.schemaVersion()
        try db.execute(sql: "PRAGMA schema_version = \(version + 5)")
        try expectCurrent(db, "in the transaction")
        return .commit
      }
      try db.inTransaction {
        try expectCurrent(db, "in the next one")
        return .commit
      }
    }
  }
}
