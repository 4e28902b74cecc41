import Coffer
@testable import CofferCore
import CofferTestSupport
import Testing

@Suite struct RecordPlanTests {
  typealias Note = Persisted.Note
  typealias Player = Persisted.Player

  @Test func `a table that is made anew gets the next record`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var inserted: [Player] = []
      for index in 0..<3 { inserted.append(try Player("\(index)").inserted(db)) }
      try db.execute(
        sql: """
          DROP TABLE player;
          CREATE TABLE player (other TEXT DEFAULT 'x', score, name, id TEXT);
          """)
      _ = try Player(9, "new", 1).inserted(db)
      #expect(
        try Persisted.rows(db, "player") == [["other": "x", "score": 1, "name": "new", "id": "9"]])
    }
  }

  @Test func `the values of records aren't bound any more after the access`() throws {
    let database = try EncryptedQueue(Persisted.schema)
    var used: Statement?
    try database.queue.inDatabase { db throws in
      for name in ["a", "b", "secret"] { _ = try Player(name).inserted(db) }
      used = db.boundStatements.first
      let handle = try #require(used?.handle)
      #expect(db.boundStatements.count == 1)
      #expect(SQLite.expandedSQL(handle)?.contains("secret") == true)
    }
    try database.queue.inDatabase { db throws in
      let handle = try #require(used?.handle)
      #expect(db.boundStatements.isEmpty)
      #expect(SQLite.expandedSQL(handle)?.contains("secret") == false)
      _ = try Player("c").inserted(db)
      #expect(db.boundStatements.count == 1)
    }
  }

  @Test func `a change of the table by another connection is noticed`() throws {
    let database = try EncryptedQueue(Persisted.schema)
    let other = try database.other()
    try database.queue.write { db throws in
      for name in ["a", "b"] { _ = try Player(name).inserted(db) }
      try Player(1, "c").update(db)
      try Player(1, "d").update(db)
    }
    try other.write { db throws in
      try db.execute(
        sql: """
          DROP TABLE player;
          CREATE TABLE player (id INTEGER, name TEXT PRIMARY KEY, score INTEGER);
          INSERT INTO player VALUES (1, 'x', 1), (1, 'y', 1);
          """)
    }
    try database.queue.inDatabase { db throws in
      // The key is another column now.
      try Player(1, "y", 7).update(db)
      #expect(try Persisted.rows(db, "player").map { $0["score"] } == [1, 7])
      #expect(throws: RecordError.self) { try Player(1, "none").update(db) }
      #expect(try Player(1, "x").delete(db))
      #expect(try Player.fetchCount(db) == 1)
    }
  }

  @Test func `a change of the schema that is undone leaves no trace`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for name in ["a", "b"] { _ = try Player(name).inserted(db) }
      try db.inTransaction {
        try db.execute(sql: "ALTER TABLE player ADD COLUMN bonus")
        _ = try Player("c").inserted(db)
        return .rollback
      }
      _ = try Player("d").inserted(db)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["a", "b", "d"])
    }
  }

  private struct Recursive: PersistableRecord {
    static let databaseTableName = "note"
    var depth: Int

    func encode(to container: inout PersistenceContainer) { container["text"] = "\(depth)" }

    func willInsert(_ db: Database) throws {
      if depth > 0 { try Recursive(depth: depth - 1).insert(db) }
    }

    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
      if depth > 5 { try Recursive(depth: 1).insert(db) }
      let first = try insert()
      if depth > 5 { try Recursive(depth: 0).insert(db) }
      #expect(first.persistenceContainer["text"] == "\(depth)")
    }
  }

  @Test func `callbacks may insert records of the same type`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Recursive(depth: 3).insert(db)
      try Recursive(depth: 6).insert(db)
      let texts = try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid")
      #expect(texts == "0 1 2 3 0 1 2 3 4 5 0 1 6 0".split(separator: " ").map(String.init))
    }
  }

  @Test func `a function inside of an insertion may insert the same type`() throws {
    try EncryptedQueue.with(
      Persisted.schema
        + """
        CREATE TRIGGER again AFTER INSERT ON note WHEN length(new.text) < 4 BEGIN
          SELECT again(new.text);
        END;
        """
    ) { db throws in
      nonisolated(unsafe) let connection = db
      db.add(
        function: DatabaseFunction("again", argumentCount: 1) { values in
          let text = String.fromDatabaseValue(values[0]) ?? ""
          try Note(text: text + "+").insert(connection)
          return nil
        })
      for _ in 0..<3 { try Note(text: "a").insert(db) }
      let texts = try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid")
      #expect(
        texts == ["a", "a+", "a++", "a+++", "a", "a+", "a++", "a+++", "a", "a+", "a++", "a+++"])
    }
  }

  private struct Stamped: PersistableRecord {
    static let databaseTableName = "note"
    static let counter = Locked(0)
    let seen: Locked<[String]>

    func encode(to container: inout PersistenceContainer) {
      Stamped.counter.increment()
      container["text"] = "\(Stamped.counter.value)"
    }

    func didInsert(_ inserted: InsertionSuccess) {
      if let text: String = inserted.persistenceContainer["text"] { seen.append(text) }
    }
  }

  @Test func `callbacks get the stored values, whatever encode would give next`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let seen = Locked<[String]>([])
      for _ in 0..<5 { try Stamped(seen: seen).insert(db) }
      #expect(try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid") == seen.value)
    }
  }

  @Test func `records after the first go straight into a statement of their own`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try db.inTransaction {
        var known = db.statementCacheStatistics
        for index in 1..<10 {
          var player = Player("\(index)")
          try player.insert(db)
          try Note(text: "x").insert(db)
          try player.update(db)
          if index == 1 { known = db.statementCacheStatistics }
        }
        #expect(db.statementCacheStatistics == known)
        return .commit
      }
    }
  }

  @Test func `no value stays bound to a kept statement`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let statements = try db.statements(expanded: true) {
        for text in ["a", "b", "c"] { try Note(text: text).insert(db) }
      }
      #expect(statements.count == 3)
      db.releaseMemory()
      try Note(text: "d").insert(db)
      #expect(try Persisted.rows(db, "note").count == 4)
    }
  }

  private class Base: PersistableRecord {
    class var databaseTableName: String { "note" }
    func encode(to container: inout PersistenceContainer) { container["text"] = "base" }
  }

  private final class Derived: Base {
    override class var databaseTableName: String { "event" }
    override func encode(to container: inout PersistenceContainer) {
      super.encode(to: &container)
      container["id"] = 10 as Int?
    }
  }

  @Test func `subclasses have plans of their own`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let records: [Base] = [Base(), Derived(), Base()]
      for record in records { try record.insert(db) }
      for record in records where !(record is Derived) { try record.insert(db) }
      #expect(try Persisted.rows(db, "note").count == 4)
      #expect(try Persisted.rows(db, "event") == [["id": 10, "text": "base"]])
    }
  }

  private struct Sharded: PersistableRecord {
    @TaskLocal static var table = "note"
    static var databaseTableName: String { table }
    func encode(to container: inout PersistenceContainer) { container["text"] = "x" }
  }

  @Test func `the name of the table may change`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for _ in 0..<3 {
        try Sharded().insert(db)
        try Sharded.$table.withValue("event") { try Sharded().insert(db) }
      }
      #expect(try Persisted.rows(db, "note").count == 3)
      #expect(try Persisted.rows(db, "event").count == 3)
    }
  }
}
