import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct RecordBatchTests {
  typealias Player = Persisted.Player
  typealias Note = Persisted.Note

  @Test func `records are inserted with one statement, and learn their ids`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var players = (0..<500).map { Player("\($0)", $0) }
      try Player.insertAll(db, &players)
      #expect(players.map(\.id) == (1...500).map(Int64.init))
      #expect(try Player.fetchAll(db) == players)
      try Player.insertAll(db, [Player("x"), Player("y")])
      let given = try Player.insertAll(db, [Player("z")])
      #expect(given.map(\.id) == [503])
      var more = [Player("v"), Player("w")]
      try more.insertAll(db)
      #expect(more.map(\.id) == [504, 505])
      try (0..<3).map { Note(text: "\($0)") }.insertAll(db)
      try Note.insertAll(db, (3..<5).lazy.map { Note(text: "\($0)") })
      #expect(try Persisted.rows(db, "note").count == 5)
      var none: [Player] = []
      try Player.insertAll(db, &none)
      try Player.insertAll(db, [])
    }
  }

  @Test(arguments: [false, true])
  func `all or none: an error names the element`(isInTransaction: Bool) throws {
    let database = try EncryptedQueue(Persisted.schema)
    try database.queue.inDatabase { db throws in
      if isInTransaction { try db.beginTransaction() }
      _ = try Player(1, "first").inserted(db)
      var players = ["a", "b", "a", "c"].map { Player($0) }
      let error = databaseError { try Player.insertAll(db, &players) }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
      #expect("\(try #require(error))".contains("element 2 "))
      #expect(error?.batchIndex == 2)
      #expect(!"\(try #require(error))".contains("'a'"))
      #expect(try Player.fetchCount(db) == 1)
      #expect(db.isInsideTransaction == isInTransaction)
      try Player.insertAll(db, [Player("d")])
      if isInTransaction { try db.commit() }
      #expect(try Player.fetchCount(db) == 2)
    }
  }

  @Test func `records are updated, saved, upserted and deleted together`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var players = try Player.insertAll(db, (0..<20).map { Player("\($0)") })
      for index in players.indices { players[index].score = index * 2 }
      try Player.updateAll(db, players)
      #expect(try Player.fetchAll(db) == players)
      #expect(throws: RecordError.self) {
        try Player.updateAll(db, [Player(1, "changed"), Player(99, "missing")])
      }
      #expect(try Player.fetchAll(db) == players)
      let upserted = try Player.upsertAll(db, [Player("3", 7), Player("new", 8)])
      #expect(upserted.map(\.id) == [4, 21])
      let saved = try Player.saveAll(db, [Player(4, "3", 9), Player("newer")])
      #expect(saved.map(\.id) == [4, 22])
      #expect(try Player.fetchOne(db, sql: "SELECT * FROM player WHERE id = 4")?.score == 9)
      #expect(try Player.deleteAll(db, [players[0], Player(77, "none"), players[1]]) == 2)
      #expect(try Player.deleteAll(db, keys: Array(1...10_000)) == 20)
    }
  }

  @Test func `an error of an inner batch tells the outer element`() throws {
    struct Outer: PersistableRecord {
      static let databaseTableName = "note"
      var name: String
      func encode(to container: inout PersistenceContainer) { container["text"] = name }
      func willInsert(_ db: Database) throws {
        if name == "c" { try Player.insertAll(db, [Player("x"), Player("x")]) }
      }
    }
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let error = databaseError {
        try Outer.insertAll(db, ["a", "b", "b", "c"].map { Outer(name: $0) })
      }
      #expect(error?.batchIndex == 3)
      #expect(try Persisted.rows(db, "note").isEmpty)
      #expect(databaseError { try db.execute(sql: "nonsense") }?.batchIndex == nil)
      let single = databaseError {
        for _ in 0..<2 { _ = try Player("y").inserted(db) }
      }
      #expect(single?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
      #expect(single?.batchIndex == nil)
    }
  }

  private struct Nested: PersistableRecord {
    static let databaseTableName = "note"
    var depth: Int
    func encode(to container: inout PersistenceContainer) { container["text"] = "\(depth)" }
    func didInsert(_ inserted: InsertionSuccess) {}
    func willInsert(_ db: Database) throws {
      if depth > 0 { try Nested.insertAll(db, [Nested(depth: 0), Nested(depth: 0)]) }
    }
  }

  @Test func `batches may begin inside of batches`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Nested.insertAll(db, [Nested(depth: 1), Nested(depth: 2), Nested(depth: 0)])
      let texts = try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid")
      #expect(texts == ["0", "0", "1", "0", "0", "2", "0"])
    }
  }

  @Test func `a schema that changes inside of a batch is noticed`() throws {
    struct Altering: PersistableRecord {
      static let databaseTableName = "note"
      var index: Int
      func encode(to container: inout PersistenceContainer) { container["text"] = "\(index)" }
      func willInsert(_ db: Database) throws {
        if index == 2 { try db.execute(sql: "ALTER TABLE note ADD COLUMN more DEFAULT 7") }
      }
    }
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Altering.insertAll(db, (0..<4).map { Altering(index: $0) })
      #expect(try Persisted.rows(db, "note").map { $0["more"] } == [7, 7, 7, 7])
    }
  }
}
