import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferQuery

/// The cached schema is never outdated.
@Suite struct SchemaCacheTests {
  private func names(_ db: Database, _ table: String = "t", in schema: String? = nil) throws
    -> [String]
  {
    try db.columns(in: table, in: schema).map(\.name)
  }

  // MARK: The connection's own changes

  @Test func `own changes are seen, inside and outside of transactions`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      #expect(try names(db) == ["a"])
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
      #expect(try names(db) == ["a", "b"])
      try db.inTransaction { () throws in
        #expect(try names(db) == ["a", "b"])
        try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
        #expect(try names(db) == ["a", "b", "c"])
        return .commit
      }
      #expect(try names(db) == ["a", "b", "c"])
      try db.execute(sql: "DROP TABLE t")
      #expect(try !db.tableExists("t"))
      try db.execute(sql: "CREATE TABLE t (x INTEGER PRIMARY KEY)")
      #expect(try db.primaryKey("t").columns == ["x"])
    }
  }

  @Test func `rolled-back changes are forgotten`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      #expect(try names(db) == ["a"])
      try db.inTransaction { () throws in
        try db.execute(sql: "ALTER TABLE t ADD COLUMN b; CREATE TABLE u (a)")
        #expect(try names(db) == ["a", "b"])
        #expect(try db.tableExists("u"))
        return .rollback
      }
      #expect(try names(db) == ["a"])
      #expect(try !db.tableExists("u"))
      // As SQL text.
      try db.execute(sql: "BEGIN; ALTER TABLE t ADD COLUMN b")
      #expect(try names(db) == ["a", "b"])
      try db.execute(sql: "ROLLBACK")
      #expect(try names(db) == ["a"])
    }
  }

  @Test func `changes of a savepoint that is rolled back are forgotten`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      try db.inTransaction { () throws in
        try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
        try db.inSavepoint { () throws in
          try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
          #expect(try names(db) == ["a", "b", "c"])
          return .rollback
        }
        #expect(try names(db) == ["a", "b"])
        try db.inSavepoint { () throws in
          try db.execute(sql: "ALTER TABLE t ADD COLUMN d")
          return .commit
        }
        #expect(try names(db) == ["a", "b", "d"])
        return .commit
      }
      #expect(try names(db) == ["a", "b", "d"])
      // The outermost savepoint is a transaction.
      try db.execute(sql: "SAVEPOINT s; DROP TABLE t")
      #expect(try !db.tableExists("t"))
      try db.execute(sql: "ROLLBACK TO s")
      #expect(try db.tableExists("t"))
      try db.execute(sql: "RELEASE s")
      #expect(try db.tableExists("t"))
    }
  }

  @Test func `a failing access forgets its changes`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    #expect(throws: TestError.self) {
      try database.queue.write { db throws in
        try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
        #expect(try names(db) == ["a", "b"])
        throw TestError()
      }
    }
    #expect(try database.queue.read { try names($0) } == ["a"])
  }

  // MARK: Other schemas

  @Test func `temporary tables hide others while they exist`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a INTEGER PRIMARY KEY); CREATE VIEW w AS SELECT 1") {
      db in
      #expect(try names(db) == ["a"])
      #expect(try !db.tableExists("t", in: "temp"))
      try db.execute(sql: "CREATE TEMP TABLE T (b, c); CREATE TEMP TABLE w (x)")
      #expect(try names(db) == ["b", "c"])
      #expect(try names(db, in: "main") == ["a"])
      #expect(try names(db, in: "TEMP") == ["b", "c"])
      #expect(try db.primaryKey("t").isHiddenRowID)
      #expect(try db.objectID("t") == DatabaseObjectID(name: "T", schemaID: .temp))
      // A hidden view exists all the same.
      #expect(try db.viewExists("w") && db.tableExists("w"))
      #expect(try names(db, "sqlite_temp_master").count == 5)
      try db.inTransaction { () throws in
        try db.execute(sql: "DROP TABLE temp.t")
        #expect(try names(db) == ["a"])
        return .rollback
      }
      #expect(try names(db) == ["b", "c"])
      try db.execute(sql: "DROP TABLE temp.t")
      #expect(try names(db) == ["a"])
      #expect(try !db.tableExists("t", in: "temp"))
    }
  }

  @Test func `attached databases are looked in last, and forgotten when they are detached`() throws
  {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let path = database.directory.path("other")
    try database.queue.inDatabase { db throws in
      #expect(try !db.tableExists("u"))
      try db.attach(path, as: "o ther", key: .raw([UInt8](repeating: 1, count: 32)))
      try db.execute(
        sql: """
          CREATE TABLE "o ther".t (b INTEGER PRIMARY KEY); CREATE TABLE "o ther".u (c UNIQUE)
          """)
      #expect(try names(db) == ["a"])
      #expect(try names(db, in: "O THER") == ["b"])
      #expect(try db.primaryKey("t", in: "o ther").columns == ["b"])
      #expect(try names(db, "u") == ["c"])
      #expect(try db.indexes(on: "u").map(\.columns) == [["c"]])
      #expect(try db.objectID("U").schemaID == .attached("o ther"))
      try db.detach("o ther")
      #expect(try !db.tableExists("u"))
      #expect(databaseError { try names(db, in: "o ther") }?.message == "no such schema: o ther")
      try db.attach(":memory:", as: "o ther", key: nil)
      #expect(try !db.tableExists("u"))
      #expect(try !db.tableExists("t", in: "o ther"))
    }
  }

  // MARK: Changes of others

  @Test func `changes of another connection are seen outside of transactions`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let other = try database.other()
    try database.queue.inDatabase { db throws in
      #expect(try names(db) == ["a"])
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
      #expect(try names(db) == ["a", "b"])
      try other.inDatabase { try $0.execute(sql: "CREATE INDEX i ON t (b)") }
      #expect(try db.indexes(on: "t").map(\.name) == ["i"])
      try other.inDatabase {
        try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY)")
      }
      #expect(try db.primaryKey("t").rowIDColumn == "id")
      #expect(try db.indexes(on: "t").isEmpty)
    }
    // Between accesses too, and in reads.
    #expect(try database.queue.read { try names($0) } == ["id"])
    try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
    #expect(try database.queue.read { try names($0) } == ["id", "c"])
  }

  @Test func `a transaction sees one schema, whatever others change`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    let other = try database.other()
    try database.queue.read { db throws in
      #expect(try names(db) == ["a"])
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
      #expect(try names(db) == ["a"])
      #expect(try db.table("t", hasUniqueKey: ["a"]) == false)
      try other.inDatabase { try $0.execute(sql: "CREATE TABLE u (a)") }
      #expect(try !db.tableExists("u"))
      // Tables that weren't read yet belong to the same state.
      #expect(try db.indexes(on: "t").isEmpty)
    }
    try database.queue.read { db throws in
      #expect(try names(db) == ["a", "b"])
      #expect(try db.tableExists("u"))
    }
    try database.queue.write { db throws in
      #expect(try names(db) == ["a", "b"])
    }
    // One transaction after the other, in one access, with no look in between.
    try database.queue.inDatabase { db throws in
      try db.execute(sql: "BEGIN")
      #expect(try names(db) == ["a", "b"])
      try db.execute(sql: "COMMIT")
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
      try db.execute(sql: "BEGIN")
      #expect(try names(db) == ["a", "b", "c"])
      try db.execute(sql: "COMMIT")
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN d") }
      try db.inTransaction(.deferred) { () throws in
        #expect(try names(db) == ["a", "b", "c", "d"])
        return .commit
      }
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN e") }
      try db.inSavepoint { () throws in
        #expect(try names(db) == ["a", "b", "c", "d", "e"])
        return .commit
      }
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN f") }
      try db.execute(sql: "SAVEPOINT s")
      #expect(try names(db).last == "f")
      try db.execute(sql: "RELEASE s")
    }
  }

  @Test func `a change of another one with the number of an undone one is seen`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let other = try database.other()
    try database.queue.inDatabase { db throws in
      try db.inTransaction { () throws in
        try db.execute(sql: "ALTER TABLE t ADD COLUMN mine")
        #expect(try names(db) == ["a", "mine"])
        return .rollback
      }
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN theirs") }
      #expect(try names(db) == ["a", "theirs"])
    }
  }

  @Test func `changes of another connection to an attached database are seen`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let key = try DatabaseKey.raw([UInt8](repeating: 1, count: 32))
    let path = database.directory.path("other")
    let other = try DatabaseQueue(path: path, key: key)
    try other.inDatabase { try $0.execute(sql: "CREATE TABLE u (a)") }
    try database.queue.inDatabase { db throws in
      try db.attach(path, as: "o", key: key)
      #expect(try names(db, "u") == ["a"])
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE u ADD COLUMN b") }
      #expect(try names(db, "u") == ["a", "b"])
      try other.inDatabase { try $0.execute(sql: "DROP TABLE u") }
      #expect(try !db.tableExists("u"))
      try db.detach("o")
    }
  }

  @Test func `a read-only connection sees the changes of others`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let reader = try database.other { $0.readonly = true }
    #expect(try reader.read { try names($0) } == ["a"])
    try database.queue.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
    #expect(try reader.read { try names($0) } == ["a", "b"])
    #expect(try reader.inDatabase { try $0.tableExists("t", in: "temp") } == false)
  }

  @Test func `the schema of an erased database is forgotten`() throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try names(db) == ["a"])
    }
    try queue.erase()
    #expect(try queue.read { try !$0.tableExists("t") })
  }

  @Test func `another key makes another connection, without temporary tables`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    try database.queue.inDatabase { db throws in
      try db.execute(sql: "CREATE TEMP TABLE t (b); CREATE TEMP TABLE u (c)")
      #expect(try names(db) == ["b"])
    }
    try database.queue.changeKey(to: .raw([UInt8](repeating: 9, count: 32)))
    try database.queue.inDatabase { db throws in
      let isGone = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 0
      #expect(try names(db) == (isGone ? ["a"] : ["b"]))
      #expect(try db.tableExists("u") == !isGone)
    }
  }

  // MARK: Costs and side effects

  @Test func `a hit in a transaction gives the same object, with no statement`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a INTEGER PRIMARY KEY)")
    try database.queue.read { db throws in
      let cache = db.schemaCache
      let first = try cache.object(named: "t")
      _ = try db.primaryKey("t")
      let count = cache.readCount
      #expect(try cache.object(named: "T") === first)
      #expect(try db.primaryKey("t", in: "main").columns == ["a"])
      #expect(try db.columns(in: "T").map(\.name) == ["a"])
      #expect(try !db.tableExists("missing"))
      #expect(cache.readCount == count)
    }
    try database.queue.inDatabase { db throws in
      let count = db.schemaCache.readCount
      _ = try db.primaryKey("t")
      // Outside of a transaction, the version is read.
      #expect(db.schemaCache.readCount == count + 1)
    }
  }

  @Test func `looking at the schema is neither traced nor observed nor recorded`() throws {
    var events: [String] = []
    let database = try EncryptedQueue("CREATE TABLE t (a); CREATE TABLE u (a REFERENCES t)")
    try database.queue.inDatabase { db throws in
      db.trace { events.append("\($0)") }
      let (_, region) = try db.recordingRegion {
        _ = try db.columns(in: "t")
        _ = try db.primaryKey("t")
        _ = try db.foreignKeys(on: "u")
      }
      #expect(region.isEmpty)
      #expect(events == [])
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
      #expect(events == ["SELECT count(*) FROM t"])
      db.trace(nil)
    }
  }

  @Test func `a read begins its transaction with the first look at the schema`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    let other = try database.other()
    try database.queue.read { db throws in
      #expect(try db.tableExists("t"))
      try other.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (1); CREATE TABLE u (a)") }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
      #expect(databaseError { try Int.fetchOne(db, sql: "SELECT count(*) FROM u") } != nil)
    }
  }

  @Test func `clearing the cache changes nothing but the work`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      let first = try db.schemaCache.object(named: "t")
      db.clearSchemaCache()
      #expect(try db.schemaCache.object(named: "t") !== first)
      #expect(try names(db) == ["a"])
    }
  }

  @Test func `the schema's version counts changes`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      let version = try db.schemaVersion()
      try db.execute(sql: "CREATE TABLE u (a)")
      #expect(try db.schemaVersion() == version + 1)
      #expect(try Int32.fetchOne(db, sql: "PRAGMA schema_version") == version + 1)
    }
  }

  @Test func `a closed connection and a use outside of an access are errors`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)")
    let escaped = try database.queue.inDatabase { Unchecked($0) }
    #expect(databaseError { try escaped.value.tableExists("t") }?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `a table that another connection makes while it is read is read whole`() throws {
    let database = try EncryptedQueue("PRAGMA journal_mode = WAL; CREATE TABLE t (a PRIMARY KEY)")
    let other = try database.other()
    let rounds = 60
    let group = DispatchGroup()
    detachThread(group: group) {
      for round in 0..<rounds {
        let kind = round % 2 == 0 ? "x INTEGER PRIMARY KEY" : "a PRIMARY KEY"
        try? other.inTransaction { db throws in
          try db.execute(sql: "DROP TABLE t; CREATE TABLE t (\(kind))")
          return .commit
        }
      }
    }
    try database.queue.inDatabase { db throws in
      for _ in 0..<300 {
        let key = try db.primaryKey("t")
        #expect(key.columns == ["a"] && !key.isRowID || key.columns == ["x"] && key.isRowID)
      }
    }
    group.wait()
    #expect(try database.queue.read { try $0.primaryKey("t").columns } == ["a"])
  }
}
