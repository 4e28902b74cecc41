import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferRecords

@Suite struct UpsertTests {
  typealias Player = Persisted.Player

  @Test func `the row in the way is updated, by whatever key it is`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var arthur = Player("Arthur", 1)
      try arthur.upsert(db)
      #expect(arthur.id == 1)
      _ = try Player(42, "Barbara").inserted(db)

      var byName = Player("Arthur", 2)
      try byName.upsert(db)
      #expect(byName.id == 1)
      var byID = Player(1, "Craig", 3)
      try byID.upsert(db)
      #expect(byID.id == 1)
      #expect(try Player.fetchAll(db) == [Player(1, "Craig", 3), Player(42, "Barbara")])

      let error = databaseError {
        var both = Player(1, "Barbara")
        try both.upsert(db)
      }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
      #expect(try Player.fetchAll(db) == [Player(1, "Craig", 3), Player(42, "Barbara")])
    }
  }

  @Test func `the SQL is an upsert where SQLite has it`() throws {
    guard SQLiteFeatures.linked.hasReturning else { return }
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var player = Player("Arthur", 1)
      let sql = try db.statements(expanded: true) {
        try player.upsert(db)
        _ = try player.upsertAndFetch(db, onConflict: ["name"]) {
          [Column("score").set(to: $0["score"] + Column("score"))]
        }
        _ = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in
          [Column("score").noOverwrite]
        }
        try Persisted.Country("FR", "France").upsert(db)
      }
      #expect(
        sql == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1) "#
            + #"ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "#
            + #""score" = "excluded"."score" RETURNING "rowid""#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (1,'Arthur',1) "#
            + #"ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score" + "score" "#
            + #"RETURNING *, "rowid""#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (1,'Arthur',1) "#
            + #"ON CONFLICT("name") DO UPDATE SET "name" = "name" RETURNING *, "rowid""#,
          #"INSERT INTO "country" ("CODE", "Name") VALUES ('FR','France') "#
            + #"ON CONFLICT DO UPDATE SET "Name" = "excluded"."Name""#,
        ])
    }
  }

  private struct Word: MutablePersistableRecord, FetchableRecord {
    static let databaseTableName = "word"
    var text: String, kind: String, isTainted: Bool
    var count: Int?, rowID: Int64?

    init(_ text: String, _ kind: String) { (self.text, self.kind, isTainted) = (text, kind, false) }

    init(row: Row) throws {
      (text, kind, isTainted, count) = (row["text"], row["kind"], row["isTainted"], row["count"])
      #expect(Array(row.columnNames) == ["text", "kind", "isTainted", "count"])
    }

    func encode(to container: inout PersistenceContainer) {
      container["text"] = text
      container["kind"] = kind
      container["isTainted"] = isTainted
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
  }

  private static let wordSQL = """
    CREATE TABLE word (text TEXT PRIMARY KEY, kind TEXT, isTainted BOOLEAN DEFAULT 0,
      count INT DEFAULT 1);
    INSERT INTO word (text, kind, isTainted) VALUES ('other', '', 0), ('jovial', '', 1);
    """

  @Test func `assignments say what is updated`() throws {
    try EncryptedQueue.with(Self.wordSQL) { db throws in
      var word = Word("jovial", "adjective")
      let fetched = try word.upsertAndFetch(db, onConflict: ["text"]) { _ in
        [Column("count") += 1, Column("isTainted").noOverwrite]
      }
      #expect(word.rowID == 2)
      #expect(fetched.kind == "adjective")
      #expect(fetched.isTainted)
      #expect(fetched.count == 2)
      var new = Word("new", "adjective")
      #expect(try new.upsertAndFetch(db).count == 1)
      #expect(new.rowID == 3)
      #expect(databaseError { try word.upsertAndFetch(db, onConflict: ["kind"]) } != nil)
    }
  }

  @Test func `two steps do what one does, for each kind of key and value`() throws {
    struct Thing: MutablePersistableRecord {
      static let databaseTableName = "thing"
      var values: [String: DatabaseValue]
      func encode(to container: inout PersistenceContainer) {
        for column in ["id", "a", "b", "c"] { container[column] = values[column] ?? .null }
      }
    }
    let schemas = [
      "CREATE TABLE thing (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b, c)",
      "CREATE TABLE thing (id, a, b, c, PRIMARY KEY (a, b))",
      "CREATE TABLE thing (id PRIMARY KEY, a, b, c) WITHOUT ROWID",
      "CREATE TABLE thing (id, a COLLATE NOCASE UNIQUE, b, c)",
      "CREATE TABLE thing (id, a, b, c); CREATE UNIQUE INDEX i ON thing (a COLLATE NOCASE, b)",
      "CREATE TABLE thing (id, a UNIQUE ON CONFLICT REPLACE, b NOT NULL, c CHECK (c < 5))",
    ]
    let values: [DatabaseValue] = [.null, 1.databaseValue, "1".databaseValue, "x".databaseValue]
    for schema in schemas where SQLiteFeatures.linked.hasReturning {
      try EncryptedQueue.with(schema) { db throws in
        for number in 0..<256 {
          let record = Thing(values: [
            "id": values[number % 4],
            "a": number % 7 == 0 ? "X".databaseValue : values[number / 4 % 4],
            "b": values[number / 16 % 4], "c": (number % 6).databaseValue,
          ])
          func outcome(inSteps: Bool) throws -> [String] {
            var result: [String] = []
            try db.inTransaction {
              do {
                let table = try db.recordPlans.table(db, "thing")
                let upsert = try Upsert(
                  table: table, container: PersistenceContainer(record), target: [],
                  excluded: TableAlias<Thing>(name: "excluded"), assignments: [])
                let (rowID, _) =
                  inSteps
                  ? try upsert.executeInTwoSteps(db, []) : try upsert.execute(db, [])
                if table.primaryKey?.tableHasRowID == true { result.append("\(rowID)") }
              } catch let error as DatabaseError {
                result.append("\(error.extendedResultCode)")
              }
              let hasRowID = !schema.contains("WITHOUT")
              result += try Row.fetchAll(
                db, sql: "SELECT \(hasRowID ? "rowid, " : "")* FROM thing ORDER BY 1, 2"
              ).map(\.description)
              // Every third one stays.
              return inSteps || number % 3 > 0 ? .rollback : .commit
            }
            return result
          }
          let inSteps = try outcome(inSteps: true)
          #expect(try inSteps == outcome(inSteps: false), "\(schema) \(record.values)")
        }
      }
    }
  }

  @Test func `rows that refer to the updated one stay, and so do triggers' hands`() throws {
    try EncryptedQueue.with(
      Persisted.schema
        + """
        CREATE TABLE child (id INTEGER REFERENCES player ON DELETE CASCADE);
        CREATE TRIGGER del AFTER DELETE ON player BEGIN INSERT INTO note VALUES ('deleted'); END;
        INSERT INTO player (id, name) VALUES (5, 'a'); INSERT INTO child VALUES (5);
        """
    ) { db throws in
      var player = Player("a", 7)
      try player.upsert(db)
      #expect(player.id == 5)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM child") == [5])
      #expect(try Persisted.rows(db, "note").isEmpty)
    }
  }

  @Test func `triggers before insertions are refused where they would be undone`() throws {
    try EncryptedQueue.with(
      Persisted.schema
        + "CREATE TRIGGER t BEFORE INSERT ON player BEGIN INSERT INTO note VALUES ('b'); END"
    ) { db throws in
      var player = Player("a")
      if SQLiteFeatures.linked.hasReturning {
        try player.upsert(db)
      } else {
        #expect(databaseError { try player.upsert(db) }?.message?.contains("3.35") == true)
      }
    }
  }

  // MARK: Which columns

  @Test func `an upsert updates the specified columns only, if asked for`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      _ = try Player(1, "Arthur", 1).inserted(db)
      var player = Player("Arthur", 2)
      try player.upsert(db, onConflict: ["name"], updating: .noColumnUnlessSpecified)
      #expect(try Player.fetchAll(db) == [Player(1, "Arthur", 1)])
      let same = try player.upsertAndFetch(db, updating: .noColumnUnlessSpecified)
      #expect(same == Player(1, "Arthur", 1))
      let sum = try player.upsertAndFetch(
        db, as: Player.self, onConflict: ["name"], updating: .noColumnUnlessSpecified
      ) {
        [Column("score").set(to: $0["score"] + Column("score"))]
      }
      #expect(sum == Player(1, "Arthur", 3))
      try player.upsert(db, onConflict: ["name"]) { _ in [Column("score") += 10] }
      #expect(try Player.fetchAll(db) == [Player(1, "Arthur", 13)])
      try player.upsert(db, updating: .allColumns)
      #expect(try Player.fetchAll(db) == [Player(1, "Arthur", 2)])
      // Without a conflict, all columns are inserted.
      player = Player("Barbara", 5)
      try player.upsert(db, updating: .noColumnUnlessSpecified)
      #expect(player.id == 2)
      try Persisted.Country("FR", "France").upsert(db, updating: .noColumnUnlessSpecified)
      #expect(try Player.fetchCount(db) == 2)
    }
  }

  @Test func `an assignment to a column that isn't there is an error`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for assignment in [
        Column("nope").noOverwrite, Column("nope").set(to: 1), Column("nope") += 1,
      ] {
        let error = databaseError {
          var player = Player("Arthur", 1)
          _ = try player.upsertAndFetch(db) { _ in [assignment] }
        }
        #expect(error?.message == "table player has no column named nope")
      }
      #expect(try Player.fetchCount(db) == 0)
      var player = Player("Arthur", 1)
      _ = try player.upsertAndFetch(db) { _ in [Column("SCORE").noOverwrite] }
      #expect(try Player.fetchCount(db) == 1)
    }
  }

  // MARK: Nothing on conflict

  @Test func `the row that is there is fetched and not written`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var arthur = Player("Arthur", 1)
      #expect(try arthur.insertOrFetch(db) == Player(1, "Arthur", 1))
      #expect(arthur.id == 1)
      var again = Player("Arthur", 2)
      let changes = db.totalChangesCount
      #expect(try again.insertOrFetch(db, onConflict: ["name"]) == Player(1, "Arthur", 1))
      #expect(try again.insertOrFetch(db) == Player(1, "Arthur", 1))
      #expect(try again.insertOrFetch(db, as: Player.self) == Player(1, "Arthur", 1))
      #expect(db.totalChangesCount == changes)
      // didInsert would have set it.
      #expect(again.id == nil)
      let error = databaseError {
        var other = Player(1, "Barbara")
        _ = try other.insertOrFetch(db, onConflict: ["name"])
      }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      #expect(
        databaseError { _ = try again.insertOrFetch(db, onConflict: ["score"]) }?.message
          == "table player has no unique key on column(s) score")
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `an upsert works in a table that a full-text table follows`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try db.create(virtualTable: "player_ft", using: FTS4()) { t in
        t.synchronize(withTable: "player")
        t.column("name")
      }
      var arthur = Player(1, "Arthur", 1)
      try arthur.upsert(db)
      arthur = Player(1, "Barbara", 2)
      try arthur.upsert(db)
      try arthur.upsert(db, onConflict: ["name"], updating: .noColumnUnlessSpecified)
      try arthur.insert(db, onConflict: .replace)
      func count(_ word: String) throws -> Int? {
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM player_ft WHERE player_ft MATCH ?", arguments: [word])
      }
      #expect(try count("arthur") == 0)
      #expect(try count("barbara") == 1)
      try db.execute(sql: "INSERT INTO player_ft(player_ft) VALUES ('integrity-check')")
    }
  }
}
