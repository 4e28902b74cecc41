import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct RecordClassTests {
  private class Player: Record {
    var id: Int64?
    var name: String
    var score: Int

    override class var databaseTableName: String { "player" }

    init(_ name: String, _ score: Int = 0) {
      (self.name, self.score) = (name, score)
      super.init()
    }

    required init(row: Row) throws {
      (id, name, score) = (row["id"], row["name"], row["score"] ?? -1)
      try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) throws {
      container["id"] = id
      container["NAME"] = name
      container["score"] = score
    }

    override func didInsert(_ inserted: InsertionSuccess) {
      super.didInsert(inserted)
      id = inserted.rowID
    }
  }

  private final class Loud: Player {
    override var name: String {
      get { super.name.uppercased() }
      set { super.name = newValue }
    }
  }

  @Test func `a record knows what has changed since it was stored`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for _ in 0..<3 {
        let player = Player("a", 1)
        #expect(player.hasDatabaseChanges)
        #expect(player.databaseEdited)
        #expect(try player.databaseChanges == ["id": nil, "NAME": nil, "score": nil])
        try player.insert(db)
        #expect(!player.hasDatabaseChanges)
        #expect(!player.databaseEdited)
        player.score = 2
        #expect(try player.databaseChanges == ["score": 1.databaseValue])
        var changes: [Bool] = []
        let sql = try db.statements(expanded: true) {
          changes.append(try player.updateChanges(db))
          changes.append(try player.updateChanges(db))
        }
        #expect(changes == [true, false])
        #expect(sql == ["UPDATE \"player\" SET \"score\"=2 WHERE \"id\"=\(player.id ?? 0)"])
        (player.name, player.score) = ("b", 3)
        try player.update(db, columns: ["score"])
        #expect(try player.databaseChanges == ["NAME": "a".databaseValue])
        try player.save(db)
        #expect(!player.hasDatabaseChanges)
        try player.delete(db)
        #expect(player.hasDatabaseChanges)
      }
    }
  }

  @Test func `a fetched record has no changes, but in what was not fetched`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Player("a", 1).insert(db)
      let player = try #require(try Player.fetchOne(db))
      #expect(!player.hasDatabaseChanges)
      player.name = "b"
      #expect(try player.databaseChanges == ["NAME": "a".databaseValue])
      let part = try #require(try Player.fetchOne(db, sql: "SELECT id, name FROM player"))
      #expect(try part.databaseChanges == ["score": nil])
      let made = try Player(row: ["id": 1, "name": "a", "score": 1])
      #expect(made.hasDatabaseChanges)
    }
  }

  @Test func `subclasses are stored as they are`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let players = [Player("a"), Loud("b"), Player("c"), Loud("d")]
      for player in players { try player.insert(db) }
      #expect(
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id") == ["a", "B", "c", "D"])
      #expect(players.map(\.id) == [1, 2, 3, 4])
    }
  }

  @Test func `a record that can't be stored keeps its changes`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Player("a").insert(db)
      let other = Player("b")
      try other.insert(db)
      other.name = "a"
      #expect(databaseError { try other.updateChanges(db) }?.resultCode == .SQLITE_CONSTRAINT)
      #expect(try other.databaseChanges == ["NAME": "b".databaseValue])
    }
  }
}
