import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore
@testable import CofferDocuments

@Suite("Definitions of tables, changed where they stand")
struct TableTextTests {
  private let constraint = TableText.constraint(
    column: "a", table: "B", key: "id", rule: .cascade)

  @Test(arguments: [
    "CREATE TABLE T (a, b)",
    "CREATE TABLE T (a TEXT DEFAULT ('x)'), b /* ) */)",
    "CREATE TABLE T (a CHECK (length(a) > (1)), b, UNIQUE (b)) -- end )",
    "CREATE TABLE \"T\" (\"a\", \"b)\")",
  ])
  func `constraints are added at the end, replaced and removed`(sql: String) throws {
    let database = try EncryptedQueue(sql)
    try database.queue.write { db in
      try db.execute(sql: "CREATE TABLE B (id UNIQUE)")
      let before = try TableText("T", db)
      var text = before
      #expect(text.references.isEmpty)
      text.references = constraint
      try text.store(db)
      #expect(try TableText("T", db).references == constraint)
      #expect(try db.foreignKeys(on: "T").map(\.destinationTable) == ["B"])
      // Columns that are added stand before constraints.
      try db.execute(sql: "ALTER TABLE T ADD COLUMN c")
      text = try TableText("T", db)
      #expect(text.references == constraint)
      text.references = ""
      try text.store(db)
      #expect(try db.foreignKeys(on: "T").isEmpty)
      #expect(try db.columns(in: "T").count == 3)
    }
    let integrity = try database.queue.read {
      try String.fetchOne($0, sql: "PRAGMA integrity_check")
    }
    #expect(integrity == "ok")
  }

  @Test func `a rollback takes the definition back`() throws {
    let database = try EncryptedPool("CREATE TABLE T (a); CREATE TABLE B (id UNIQUE)")
    try database.pool.writeWithoutTransaction { db in
      try db.inTransaction {
        var text = try TableText("T", db)
        text.references = constraint
        try text.store(db)
        #expect(try db.foreignKeys(on: "T").count == 1)
        return .rollback
      }
      #expect(try db.foreignKeys(on: "T").isEmpty)
      #expect(try Bool.fetchOne(db, sql: "PRAGMA writable_schema") == false)
    }
    #expect(try database.pool.read { try $0.foreignKeys(on: "T").isEmpty })
  }

  @Test func `rows keep their rowids when a column gets them`() throws {
    let database = try EncryptedPool(
      """
      CREATE TABLE T (a); CREATE INDEX i ON T (a);
      INSERT INTO T VALUES (1), (2), (3); DELETE FROM T WHERE a = 2;
      """)
    try database.pool.write { db in
      try db.execute(sql: "ALTER TABLE T ADD COLUMN \"n\" INTEGER")
      var text = try TableText("T", db)
      text.makeRowID("n")
      try text.store(db)
      try db.execute(sql: "INSERT INTO T (a) VALUES (4)")
      #expect(try Int.fetchAll(db, sql: "SELECT n FROM T ORDER BY a") == [1, 3, 4])
    }
    try database.pool.vacuum()
    #expect(
      try database.pool.read { try Int.fetchAll($0, sql: "SELECT rowid FROM T") } == [1, 3, 4])
    let integrity = try database.pool.read {
      try String.fetchOne($0, sql: "PRAGMA integrity_check")
    }
    #expect(integrity == "ok")
    try database.pool.write { db in
      var text = try TableText("T", db)
      text.removeRowID("n")
      try text.store(db)
      #expect(try db.columns(in: "T").allSatisfy { $0.primaryKeyIndex == 0 })
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM T") == [1, 3, 4])
    }
  }

  @Test func `a table that isn't there is an error`() throws {
    let database = try EncryptedQueue("")
    #expect(throws: DocumentError.self) { () throws in
      try database.queue.read { _ = try TableText("none", $0) }
    }
  }
}
