import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct FetchableRecordTests {
  private struct Player: FetchableRecord, TableRecord, Hashable {
    var id: Int64
    var name: String
    var score: Int?

    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
      static let score = Column("score")
    }

    init(row: Row) throws {
      id = row["id"]
      name = try row.decode(String.self, forColumn: "name")
      score = try row.decode(Int?.self, forColumn: "score")
    }
  }

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', NULL), (3, 'Craig', 30);
    """

  @Test func `records come from statements, SQL, requests and tables`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let sql = "SELECT * FROM player WHERE id > ? ORDER BY id"
      #expect(
        try Player.fetchAll(db, sql: sql, arguments: [1]).map(\.name) == ["Barbara", "Craig"])
      #expect(try Player.fetchOne(db, sql: sql, arguments: [2])?.score == 30)
      #expect(try Player.fetchOne(db, sql: sql, arguments: [3]) == nil)
      let statement = try db.makeStatement(sql: sql)
      #expect(try Player.fetchSet(statement, arguments: [0]).count == 3)
      #expect(try Player.order(\.name.desc).fetchOne(db)?.name == "Craig")
      #expect(try Player.filter { $0.score == nil }.fetchAll(db).map(\.id) == [2])
      #expect(try Player.fetchAll(db).count == 3)
      #expect(try Table<Player>("player").fetchSet(db) == Player.fetchSet(db))
      #expect(try SQLRequest<Player>(sql: sql, arguments: [2]).fetchAll(db).map(\.id) == [3])
    }
  }

  @Test func `a cursor makes records one by one`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let cursor = try Player.fetchCursor(db)
      #expect(try cursor.next()?.id == 1)
      #expect(try cursor.map(\.id).next() == 2)
      #expect(cursor.columnNames == ["id", "name", "score"])
    }
  }

  @Test func `a record that can't be made is an error, after which a cursor goes on`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      try db.execute(sql: "INSERT INTO player VALUES (4, NULL, 1)")
      #expect(throws: RowDecodingError.self) { try Player.fetchAll(db) }
      let cursor = try Player.order(\.id.desc).fetchCursor(db)
      #expect(throws: RowDecodingError.self) { try cursor.next() }
      #expect(try cursor.next()?.id == 3)
      #expect(try Player.filter { $0.id < 4 }.fetchAll(db).count == 3)
    }
  }

  @Test func `changed records are given back, where SQLite can`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let scored = Player.filter { $0.score != nil }
      guard SQLiteFeatures.linked.hasReturning else {
        let error = databaseError { try scored.deleteAndFetchAll(db) }
        #expect(error?.message == "RETURNING needs SQLite 3.35.0 or later")
        #expect(try Player.fetchAll(db).count == 3)
        return
      }
      #expect(
        try scored.updateAndFetchAll(db) { [$0.score += 100] }.map(\.score).sorted { $0! < $1! }
          == [110, 130])
      #expect(try scored.updateAndFetchSet(db, [Column("score").set(to: 1)]).count == 2)
      let cursor = try scored.updateAndFetchCursor(db) { [$0.score.set(to: 2)] }
      #expect(try cursor.next()?.score == 2)
      #expect(try scored.deleteAndFetchSet(db).map(\.id).sorted() == [1, 3])
      #expect(try Player.all().deleteAndFetchAll(db).map(\.name) == ["Barbara"])
      #expect(try Player.fetchAll(db).isEmpty)
    }
  }
}
