import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct UpdateTests {
  typealias Player = Persisted.Player
  typealias Country = Persisted.Country
  typealias Citizenship = Persisted.Citizenship

  @Test func `an update sets all columns of the record, in the order of the table`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for name in ["a", "b"] { _ = try Player(name).inserted(db) }
      let sql = try db.statements(expanded: true) {
        try Player(1, "c", 3).update(db)
        try Player(2, "d", 4).update(db)
        try Country("FR", "France").insert(db)
        try Country("FR", "République française").update(db)
        try Country("FR", "France").update(db)
        try Citizenship(playerID: 1, countryCode: "FR", since: 1).insert(db)
        try Citizenship(playerID: 1, countryCode: "FR", since: 2).update(db)
        try Citizenship(playerID: 1, countryCode: "FR", since: 3).update(db)
      }.filter { $0.hasPrefix("UPDATE") }
      #expect(
        sql == [
          #"UPDATE "player" SET "name"='c', "score"=3 WHERE "id"=1"#,
          #"UPDATE "player" SET "name"='d', "score"=4 WHERE "id"=2"#,
          #"UPDATE "country" SET "name"='République française' WHERE "code"='FR'"#,
          #"UPDATE "country" SET "name"='France' WHERE "code"='FR'"#,
          #"UPDATE "citizenship" SET "since"=2 WHERE "playerID"=1 AND "countryCode"='FR'"#,
          #"UPDATE "citizenship" SET "since"=3 WHERE "playerID"=1 AND "countryCode"='FR'"#,
        ])
      #expect(try Player.fetchAll(db) == [Player(1, "c", 3), Player(2, "d", 4)])
    }
  }

  @Test func `a record without a row is not found, prepared or not`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for _ in 0..<2 {
        do {
          try Player(9, "x").update(db)
          Issue.record("updated")
        } catch RecordError.recordNotFound(let table, let key) {
          #expect(table == "player")
          #expect(key == ["id": 9.databaseValue])
        }
        do {
          try Player("x").update(db)
          Issue.record("updated")
        } catch RecordError.recordNotFound(_, let key) {
          #expect(key == ["id": .null])
        }
        _ = try Player(1, "a").saved(db)
        try Player(1, "a").update(db)
        try Player.deleteOne(db, key: 1)
      }
      #expect(throws: RecordError.self) { try Persisted.Note(text: "a").update(db) }
      let error = RecordError.recordNotFound(
        databaseTableName: "secret", key: ["id": "value".databaseValue])
      #expect("\(error)".contains("secret"))
      #expect(!"\(error)".contains("value"))
    }
  }

  @Test func `columns are updated by name, in either case; something always is`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      _ = try Player(1, "a", 1).inserted(db)
      let changed = Player(1, "b", 2)
      let sql = try db.statements(expanded: true) {
        try changed.update(db, columns: ["SCORE"])
        try changed.update(db, columns: [Column("name")])
        try changed.update(db, columns: [String]())
        try changed.update(db, columns: ["id", "unknown"])
      }
      #expect(
        sql == [
          #"UPDATE "player" SET "score"=2 WHERE "id"=1"#,
          #"UPDATE "player" SET "name"='b' WHERE "id"=1"#,
          #"UPDATE "player" SET "id"=1 WHERE "id"=1"#,
          #"UPDATE "player" SET "id"=1 WHERE "id"=1"#,
        ])
    }
  }

  @Test func `only changes are updated`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var player = try Player(1, "a", 1).inserted(db)
      let old = player
      var changes: [Bool] = []
      let sql = try db.statements(expanded: true) {
        changes.append(try player.updateChanges(db) { $0.score = 5 })
        changes.append(try player.updateChanges(db) { $0.score = 5 })
        changes.append(try player.updateChanges(db, from: old))
        changes.append(try player.updateChanges(db, from: player))
      }
      #expect(changes == [true, false, true, false])
      #expect(sql == Array(repeating: #"UPDATE "player" SET "score"=5 WHERE "id"=1"#, count: 2))
      #expect(try player.databaseChanges(from: old) == ["score": 1.databaseValue])
      #expect(try player.databaseChanges { $0.name = "z" } == ["name": "a".databaseValue])
      #expect(!player.databaseEquals(old))
      #expect(player.databaseEquals(player))
      #expect(
        try old.databaseDictionary == [
          "id": 1.databaseValue, "name": "a".databaseValue, "score": 1.databaseValue,
        ])
    }
  }

  private struct Hidden: MutablePersistableRecord {
    static let databaseTableName = "note"
    var rowID: Int64?
    var text: String

    func encode(to container: inout PersistenceContainer) {
      container["rowID"] = rowID
      container["text"] = text
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
      #expect(inserted.rowIDColumn == nil)
      rowID = inserted.rowID
    }
  }

  @Test func `a table without a primary key is updated by its rowid`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var notes = [Hidden(text: "a"), Hidden(text: "b"), Hidden(text: "c")]
      for index in notes.indices {
        try notes[index].insert(db)
        notes[index].text += "!"
        try notes[index].update(db)
      }
      #expect(try notes[1].delete(db))
      #expect(try !notes[1].delete(db))
      #expect(try String.fetchAll(db, sql: "SELECT text FROM note") == ["a!", "c!"])
    }
  }

  @Test func `a deletion returns whether there was a row`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for id in 1...4 { _ = try Player(Int64(id), "\(id)").inserted(db) }
      for id in 1...5 {
        let player = Player(Int64(id), "")
        #expect(try player.exists(db) == (id < 5))
        #expect(try player.delete(db) == (id < 5))
        #expect(try !player.exists(db))
      }
      #expect(try !Player("without").delete(db))
      #expect(try !Player("without").exists(db))
      let citizen = Citizenship(playerID: 1, countryCode: nil, since: 1)
      try citizen.insert(db)
      // NULL is no key's value.
      #expect(try !citizen.delete(db))
    }
  }

  @Test func `save updates, or inserts where there is no row`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var player = Player("a")
      let sql = try db.statements(expanded: true) {
        try player.save(db)
        player.name = "b"
        try player.save(db)
        try player.delete(db)
        try player.save(db)
        _ = try Player(4, "c").saved(db)
      }.filter { !$0.hasPrefix("DELETE") }
      #expect(
        sql == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'a',0)"#,
          #"UPDATE "player" SET "name"='b', "score"=0 WHERE "id"=1"#,
          #"UPDATE "player" SET "name"='b', "score"=0 WHERE "id"=1"#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (1,'b',0)"#,
          #"UPDATE "player" SET "name"='c', "score"=0 WHERE "id"=4"#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (4,'c',0)"#,
        ])
    }
  }

  private struct KeySource: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
      ["id"]
    }
  }

  @Test func `records on views are updated by triggers`() throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE base (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
      CREATE VIEW player AS SELECT * FROM base;
      CREATE TRIGGER ins INSTEAD OF INSERT ON player BEGIN
        INSERT INTO base VALUES (new.id, new.name, new.score);
      END;
      CREATE TRIGGER upd INSTEAD OF UPDATE ON player BEGIN
        UPDATE base SET name = new.name, score = new.score WHERE id = new.id;
      END;
      CREATE TRIGGER del INSTEAD OF DELETE ON player BEGIN
        DELETE FROM base WHERE id = old.id;
      END;
      """
    ) { $0.schemaSource = KeySource() }
    try database.queue.write { db throws in
      for id in 1...3 {
        let player = Player(Int64(id), "a")
        // The rowids of a trigger's insertions aren't the record's.
        #expect(try player.inserted(db).id == 0)
        try player.update(db)
      }
      try Player(2, "b", 5).update(db)
      #expect(throws: RecordError.self) { try Player(9, "b").update(db) }
      #expect(try Player(1, "a").delete(db))
      #expect(try !Player(1, "a").delete(db))
      #expect(try Player.order(Column("id")).fetchAll(db) == [Player(2, "b", 5), Player(3, "a")])
    }
  }

  @Test func `generated columns are SQLite's to refuse`() throws {
    guard SQLiteFeatures.linked.hasGeneratedColumns else { return }
    try EncryptedQueue.with(
      "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score AS (id * 2))"
    ) { db throws in
      try Persisted.Name(1, "a").insert(db)
      try Persisted.Name(1, "b").update(db)
      #expect(try Player.fetchOne(db) == Player(1, "b", 2))
      #expect(databaseError { try Player(2, "c").inserted(db) }?.resultCode == .SQLITE_ERROR)
      #expect(databaseError { try Player(1, "c").update(db) }?.resultCode == .SQLITE_ERROR)
    }
  }

  @Test func `keys find, count and delete rows of the type`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for id in 1...20 { _ = try Player(Int64(id), "\(id)").inserted(db) }
      #expect(try Player.exists(db, key: 3))
      #expect(try !Player.exists(db, key: ["name": "none"]))
      #expect(try Player.deleteOne(db, key: ["name": "3"]))
      #expect(try !Player.deleteOne(db, key: 3))
      #expect(try Player.deleteAll(db, keys: Array(1...12)) == 11)
      #expect(try Player.deleteAll(db, keys: [Int]()) == 0)
      #expect(try Player.deleteAll(db, keys: [["name": "13"], ["name": "14"]]) == 2)
      #expect(try Player.updateAll(db, Column("score").set(to: 3)) == 6)
      #expect(try Player.fetchCount(db) == 6)
      #expect(try Player.deleteAll(db) == 6)
      guard case RecordError.recordNotFound("player", let key) = Player.recordNotFound(db, key: 5)
      else { return #expect(Bool(false), "another error") }
      #expect(key == ["id": 5.databaseValue])
      #expect(Persisted.Citizenship.recordNotFound(db, key: 1) is DatabaseError)
      #expect(Player(8, "x").recordNotFound(db) is RecordError)
    }
  }
}
