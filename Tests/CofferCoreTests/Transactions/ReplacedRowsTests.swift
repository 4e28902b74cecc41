import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Rows that a conflict replaces") struct ReplacedRowsTests {
  let database: EncryptedQueue
  /// Observes deletions from `a` alone.
  let deletions = LogObserver { $0 == .delete(tableName: "a") }
  var queue: DatabaseQueue { database.queue }

  init() throws {
    database = try EncryptedQueue(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT UNIQUE, x);
      CREATE TABLE declared (id INTEGER PRIMARY KEY, code UNIQUE ON CONFLICT REPLACE);
      CREATE TABLE child (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE CASCADE);
      INSERT INTO a VALUES (1, 'one', 0), (2, 'two', 0), (3, 'three', 0);
      """)
    queue.add(transactionObserver: deletions)
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO a VALUES (9, 'one', 1)",
    "insert or /* or not */ replace into a VALUES (9, 'one', 1)",
    "REPLACE INTO a VALUES (9, 'one', 1)",
    "UPDATE OR REPLACE a SET code = 'one' WHERE id = 2",
    "REPLACE INTO a VALUES (1, 'other', 1)",
  ])
  func `an observer of deletions learns that rows may have been deleted`(sql: String) throws {
    try queue.write { try $0.execute(sql: sql) }
    #expect(deletions.take() == "? will did")
  }

  @Test(arguments: [
    "INSERT INTO a VALUES (9, 'OR REPLACE', 1)",
    "INSERT OR IGNORE INTO a VALUES (9, 'one', 1)",
    "UPDATE a SET x = replace('REPLACE INTO', 'x', 'y')",
    "UPDATE a SET x = 1 -- OR REPLACE",
    "INSERT INTO a (id) VALUES (9)",
  ])
  func `a statement that replaces no row reports no deletion`(sql: String) throws {
    try queue.write { try $0.execute(sql: sql) }
    #expect(deletions.take() == "will did")
  }

  @Test func `a constraint may replace by itself`() throws {
    let observer = LogObserver { $0 == .delete(tableName: "declared") }
    queue.add(transactionObserver: observer)
    try queue.write { try $0.execute(sql: "INSERT INTO declared VALUES (1, 'x')") }
    #expect(observer.take() == "? will did")
    try queue.write { try $0.execute(sql: "UPDATE declared SET code = 'y'") }
    #expect(observer.take() == "? will did")
    try queue.write { try $0.execute(sql: "INSERT INTO child (a) VALUES (1)") }
    #expect(observer.take() == "will did")
    // The same holds for a trigger that is created later.
    try queue.write { db in
      try db.execute(sql: "DROP TABLE child; CREATE TABLE child (id UNIQUE ON CONFLICT REPLACE)")
    }
    let later = LogObserver { $0 == .delete(tableName: "child") }
    queue.add(transactionObserver: later)
    try queue.write { try $0.execute(sql: "INSERT INTO child (id) VALUES (1)") }
    #expect(later.take() == "? will did")
  }

  @Test func `a trigger may replace`() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER t AFTER INSERT ON child BEGIN
            INSERT OR REPLACE INTO a (id, code) VALUES (NEW.id + 100, 'one');
          END
          """)
    }
    _ = deletions.take()
    try queue.write { try $0.execute(sql: "INSERT INTO child (id) VALUES (5)") }
    #expect(deletions.take() == "? will did")
    try queue.write { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM a ORDER BY id") == [2, 3, 105])
    }
  }

  @Test func `rows that are deleted with a replaced one are reported`() throws {
    let children = LogObserver(table: "child")
    try queue.write { try $0.execute(sql: "INSERT INTO child (id, a) VALUES (7, 1), (8, 2)") }
    queue.add(transactionObserver: children)
    try queue.write { try $0.execute(sql: "REPLACE INTO a VALUES (9, 'one', 1)") }
    #expect(children.take() == "-child7 will did")
  }

  @Test func `an observer of all gets the new row, and then learns that others may be deleted`()
    throws
  {
    let observer = LogObserver(table: "a")
    queue.add(transactionObserver: observer)
    try queue.write { try $0.execute(sql: "REPLACE INTO a VALUES (9, 'one', 1)") }
    #expect(observer.take() == "+a9 ? will did")
    let insertions = LogObserver { $0 == .insert(tableName: "a") }
    queue.add(transactionObserver: insertions)
    try queue.write { try $0.execute(sql: "REPLACE INTO a VALUES (10, 'two', 1)") }
    #expect(insertions.take() == "+a10 will did")
  }

  @Test func `a replacement that is rolled back is none`() throws {
    try queue.write { db in
      try db.inSavepoint {
        try db.execute(sql: "REPLACE INTO a VALUES (9, 'one', 1)")
        return .rollback
      }
    }
    #expect(deletions.take() == "will did")
  }
}
