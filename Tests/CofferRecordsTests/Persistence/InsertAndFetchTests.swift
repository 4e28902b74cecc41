import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore

@Suite struct InsertAndFetchTests {
  typealias Player = Persisted.Player
  typealias Name = Persisted.Name

  @Test func `the inserted row is fetched with its defaults`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      #expect(try Name("a").insertAndFetch(db, as: Player.self) == Player(1, "a", 1000))
      #expect(try Player("b", 2).insertAndFetch(db) == Player(2, "b", 2))
      #expect(try Name(1, "c").updateAndFetch(db, as: Player.self) == Player(1, "c", 1000))
      #expect(try Name(3, "d").saveAndFetch(db, as: Player.self) == Player(3, "d", 1000))
      #expect(try Name(3, "e").saveAndFetch(db, as: Player.self) == Player(3, "e", 1000))
      #expect(try Player(2, "f").saveAndFetch(db) == Player(2, "f", 0))
      #expect(try Name("c").upsertAndFetch(db, as: Player.self) == Player(1, "c", 1000))
      #expect(try Name("g").upsertAndFetch(db).id == 4)
    }
  }

  @Test func `the closure fetches the selected columns`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var player = Player("a", 5)
      let score = try player.insertAndFetch(db, selection: [Column("score") * 2]) {
        try Int.fetchOne($0)
      }
      #expect(score == 10)
      #expect(player.id == 1)
      var other = Player("b", 6)
      let id = try other.insertAndFetch(db) {
        try Int.fetchOne($0)
      } select: {
        [$0.id]
      }
      #expect(id == 2)
      let row = try player.updateAndFetch(
        db, columns: ["score"], selection: [AllColumns()]
      ) { try Row.fetchOne($0) }
      #expect(row == ["id": 1, "name": "a", "score": 5])
      let changed = try player.updateChangesAndFetch(
        db, selection: [Column("name")], fetch: { try String.fetchOne($0) },
        modify: { $0.name = "z" })
      #expect(changed == "z")
      #expect(try player.updateChangesAndFetch(db) { $0.name = "z" } == nil)
      #expect(try player.updateChangesAndFetch(db) { $0.score = 1 } == Player(1, "z", 1))
      #expect(
        databaseError { try player.updateAndFetch(db, selection: []) { _ in 1 } }?.resultCode
          == .SQLITE_MISUSE)
    }
  }

  @Test func `a conflict that is ignored gives no row, and a row that is missing is an error`()
    throws
  {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      _ = try Player(1, "a", 1).inserted(db)
      var copy = Player(2, "a", 1)
      let score = try copy.insertAndFetch(db, onConflict: .ignore, selection: [Column("score")]) {
        try Int.fetchOne($0)
      }
      #expect(score == nil)
      #expect(throws: RecordError.self) { try copy.insertAndFetch(db, onConflict: .ignore) }
      #expect(throws: RecordError.self) { try Player(9, "x").updateAndFetch(db) }
      #expect(throws: RecordError.self) {
        try Player(9, "x").updateAndFetch(db, columns: ["name"], selection: [AllColumns()]) {
          try Row.fetchOne($0)
        }
      }
    }
  }

  @Test func `rows of tables with other keys are found again`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let name = try Persisted.Country("FR", "France").insertAndFetch(
        db, selection: [Column("name")]
      ) { try String.fetchOne($0) }
      #expect(name == "France")
      let since = try Persisted.Citizenship(playerID: 1, countryCode: "FR", since: 3)
        .insertAndFetch(db, selection: [Column("since")]) { try Int.fetchOne($0) }
      #expect(since == 3)
      let text = try Persisted.Note(text: "a").insertAndFetch(db, selection: [Column("text")]) {
        try String.fetchOne($0)
      }
      #expect(text == "a")
    }
  }

  @Test func `where a trigger may have changed the row, an old SQLite refuses`() throws {
    try EncryptedQueue.with(
      Persisted.schema
        + """
        CREATE TRIGGER t AFTER INSERT ON player BEGIN
          UPDATE player SET score = 1 WHERE id = new.id;
        END;
        """
    ) { db throws in
      if SQLiteFeatures.linked.hasReturning {
        #expect(try Player("a", 7).insertAndFetch(db).score == 7)
      } else {
        #expect(
          databaseError { try Player("a").insertAndFetch(db) }?.message?.contains("3.35") == true)
        #expect(try Player.fetchCount(db) == 0)
      }
    }
  }
}
