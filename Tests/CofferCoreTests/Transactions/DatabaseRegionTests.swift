import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

struct DatabaseRegionTests {
  let database: EncryptedQueue
  var queue: DatabaseQueue { database.queue }

  init() throws {
    database = try EncryptedQueue()
    try database.queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, teamId);
          CREATE TABLE Team (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE plain (x);
          CREATE INDEX player_score ON player(score);
          CREATE VIEW leader AS SELECT name FROM player WHERE score > 10;
          CREATE TEMP TABLE draft (id INTEGER PRIMARY KEY, text);
          """)
    }
  }

  private func region(_ sql: String) throws -> String {
    try queue.inDatabase { try $0.makeStatement(sql: sql).databaseRegion.description }
  }

  @Test(arguments: [
    ("SELECT 1", "empty"),
    ("SELECT * FROM player", "player(id,name,score,teamId)"),
    ("SELECT NAME FROM PLAYER", "player(name)"),
    ("SELECT name FROM player WHERE score > 1 ORDER BY teamId", "player(name,score,teamId)"),
    ("SELECT rowid FROM player", "player(id)"),
    (
      "SELECT p.name, t.name FROM player p JOIN team t ON t.id = p.teamId",
      "player(name,teamId),Team(id,name)"
    ),
    ("SELECT * FROM leader", "player(name,score)"),
    ("SELECT name FROM player UNION SELECT name FROM team", "player(name),Team(name)"),
    ("SELECT (SELECT max(score) FROM player), id FROM team", "player(score),Team(id)"),
    ("WITH c AS (SELECT name FROM team) SELECT * FROM c", "Team(name)"),
    ("SELECT text FROM draft", "temp.draft(text)"),
    ("SELECT name FROM player WHERE id = ?", "player(id,name)"),
    ("INSERT INTO team (name) SELECT name FROM player", "player(name)"),
    ("UPDATE player SET score = score + 1 WHERE name = ''", "player(name,score)"),
  ])
  func `a statement reads a region`(sql: String, expected: String) throws {
    #expect(try region(sql) == expected)
  }

  @Test(arguments: [
    ("SELECT count(*) FROM player", "player(*)"),
    ("SELECT COUNT(*) FROM team", "Team(*)"),
    ("SELECT count(*) FROM leader", "player(name,score)"),
    ("SELECT player.name FROM player, team", "player(name),Team(*)"),
    ("SELECT EXISTS (SELECT 1 FROM plain)", "plain(*)"),
    ("SELECT count(*) FROM draft", "temp.draft(*)"),
    ("WITH c AS (SELECT name FROM team) SELECT count(*) FROM c, plain", "plain(*),Team(name)"),
    ("SELECT a.name FROM player a, player b", "player(name)"),
  ])
  func `a table without columns is read as a whole`(sql: String, expected: String) throws {
    // The name is as the statement or as the schema has written it.
    #expect(try region(sql).lowercased() == expected.lowercased())
  }

  @Test func `a generated column depends on the columns that it is computed from`() throws {
    guard SQLiteFeatures.linked.hasGeneratedColumns else { return }
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE box (id INTEGER PRIMARY KEY, "wi dth" INTEGER, [height] INTEGER, 'name' TEXT,
            area AS ("WI DTH" * height) STORED, label TEXT AS (name || ': ' || area),
            /* AS (name), */ other CHECK (other <> 'AS (name)') DEFAULT (1), UNIQUE (name, other));
          CREATE VIEW large AS SELECT id FROM box WHERE area > 10;
          """)
    }
    #expect(try region("SELECT area FROM box") == "box(area,height,wi dth)")
    #expect(try region("SELECT label FROM box") == "box(area,height,label,name,wi dth)")
    #expect(try region("SELECT id FROM box ORDER BY area") == "box(area,height,id,wi dth)")
    #expect(try region("SELECT id FROM large") == "box(area,height,id,wi dth)")
    #expect(try region("SELECT other FROM box") == "box(other)")
  }

  @Test func `a virtual table depends on all that it reads`() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE note USING fts4(body, title);
          CREATE VIRTUAL TABLE found USING fts4(content="player", name);
          CREATE VIRTUAL TABLE words USING fts4aux(found);
          """)
    }
    #expect(try region("SELECT title FROM note WHERE note MATCH 'x'") == "note(*)")
    // SQLite before 3.20 doesn't tell which table this is.
    let isReported = SQLiteFeatures.linked.version >= 3_020_000
    #expect(
      try region("SELECT count(*) FROM note") == (isReported ? "note(*)" : "full database"))
    #expect(
      try region("SELECT title FROM note, (SELECT count(*) FROM player)").hasPrefix("note(*)"))
    #expect(try region("SELECT name FROM found") == "found(*),player(*)")
    #expect(try region("SELECT term FROM words") == "found(*),player(*),words(*)")
    #expect(try region("SELECT * FROM note_segdir") == "note(*),note_segdir(*)")
    guard SQLiteFeatures.linked.hasFTS5 else { return }
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE led USING fts5(name, content=leader, content_rowid=rowid);
          CREATE VIRTUAL TABLE terms USING fts5vocab(led, 'row');
          CREATE VIRTUAL TABLE temp.far USING fts5vocab(main, led, col);
          """)
    }
    #expect(try region("SELECT rowid FROM led('x') ORDER BY rank") == "led(*),player(name,score)")
    #expect(try region("SELECT term FROM terms") == "led(*),player(name,score),terms(*)")
    #expect(try region("SELECT term FROM far") == "temp.far(*),led(*),player(name,score)")
  }

  @Test func `what can't be known is the full database`() throws {
    #expect(try region("PRAGMA user_version") == "pragma_user_version(*)")
    #expect(try region("PRAGMA foreign_key_check") == "full database")
    #expect(try region("PRAGMA foreign_keys") == "empty")
    #expect(try region("PRAGMA table_info(player)").contains("sqlite_master(*)"))
    #expect(try region("SELECT name FROM sqlite_master") == "sqlite_master(name)")
    guard SQLiteFeatures.linked.hasJSON else { return }
    #expect(try region("SELECT name FROM pragma_table_info('player')").contains("sqlite_master(*)"))
    #expect(try region("SELECT * FROM pragma_user_version") == "pragma_user_version(*)")
    #expect(try region("SELECT * FROM pragma_foreign_key_check") == "full database")
    #expect(try region("SELECT value FROM player, json_each(name)") == "player(name)")
  }

  @Test func `an array argument is in no region`() throws {
    try queue.inDatabase { db in
      let (_, region) = try db.recordingRegion {
        try String.fetchAll(
          db, sql: "SELECT name FROM player WHERE id IN (?)", arguments: [[1, 2, 3]])
      }
      #expect(region.description == "player(id,name)")
    }
  }

  @Test func `a table of an attached database is another one`() throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { db in
      try db.execute(
        sql: """
          ATTACH ':memory:' AS other;
          CREATE TABLE t (x); CREATE TABLE other.t (x); CREATE TABLE other.u (x);
          """)
      #expect(try db.makeStatement(sql: "SELECT x FROM t").databaseRegion.description == "t(x)")
      let other = try db.makeStatement(sql: "SELECT x FROM other.t").databaseRegion
      #expect(other.description == "other.t(x)")
      let count = try db.makeStatement(sql: "SELECT count(*) FROM u").databaseRegion
      #expect(count.description == "other.u(*)")
      let event = DatabaseEvent(kind: .insert, databaseName: "main", tableName: "t", rowID: 1)
      #expect(!other.isModified(by: event))
      #expect(other.isModified(byEventsOfKind: .insert(tableName: "T")))
    }
  }

  @Test func `columns and kinds decide on updates`() {
    let region = DatabaseRegion(table: "player", columns: ["Name", "score"])
    #expect(region.isModified(byEventsOfKind: .insert(tableName: "PLAYER")))
    #expect(region.isModified(byEventsOfKind: .delete(tableName: "player")))
    let update = { DatabaseEventKind.update(tableName: "player", columnNames: $0) }
    #expect(region.isModified(byEventsOfKind: update(["NAME", "x"])))
    #expect(!region.isModified(byEventsOfKind: update(["x"])))
    #expect(!region.isModified(byEventsOfKind: .insert(tableName: "team")))
    let event = DatabaseEvent(kind: .update, databaseName: "main", tableName: "player", rowID: 1)
    #expect(region.isModified(by: event))
    #expect(DatabaseRegion.fullDatabase.isModified(by: event))
    #expect(!DatabaseRegion().isModified(by: event))
  }

  @Test func `regions are united`() {
    let name = DatabaseRegion(table: "player", columns: ["name"])
    let score = DatabaseRegion(table: "Player", columns: ["SCORE"])
    #expect(name.union(score) == score.union(name))
    #expect(name.union(score) == DatabaseRegion(table: "PLAYER", columns: ["Name", "Score"]))
    #expect(name.union(DatabaseRegion(table: "player")).description == "player(*)")
    #expect(name.union(DatabaseRegion()) == name)
    #expect(name.union(.fullDatabase).isFullDatabase)
    #expect(DatabaseRegion.fullDatabase.union(name) == .fullDatabase)
    #expect(DatabaseRegion().isEmpty && !name.isEmpty && !DatabaseRegion.fullDatabase.isEmpty)
    #expect(DatabaseRegion.fullDatabase.description == "full database")
  }

  @Test func `an access records what it reads`() throws {
    try queue.read { db in
      let (names, outer) = try db.recordingRegion { () throws -> [String] in
        let (_, inner) = try db.recordingRegion {
          try Int.fetchOne(db, sql: "SELECT max(score) FROM player")
        }
        #expect(inner.description == "player(score)")
        try db.registerAccess(to: DatabaseRegion(table: "plain"))
        return try String.fetchAll(db, sql: "SELECT name FROM team")
      }
      #expect(names.isEmpty)
      #expect(outer.description == "plain(*),player(score),Team(name)")
      let (_, after) = try db.recordingRegion {}
      #expect(after.isEmpty)
    }
  }

  @Test func `a recording that fails leaves none behind`() throws {
    try queue.read { db in
      #expect(throws: DatabaseError.self) {
        try db.recordingRegion { try Row.fetchAll(db, sql: "SELECT * FROM missing") }
      }
      #expect(!db.accessState.contains(.recordingRegion))
    }
  }

  // MARK: Facts

  private func facts(_ sql: String) throws -> StatementFacts {
    try queue.inDatabase { try $0.facts(of: sql) }
  }

  @Test func `changes are announced`() throws {
    #expect(try facts("DELETE FROM team").changes.map(\.kind) == [.delete(tableName: "Team")])
    #expect(
      try facts("UPDATE player SET name = '', score = 1").changes.map(\.kind)
        == [.update(tableName: "player", columnNames: ["name", "score"])])
    #expect(
      try facts("INSERT INTO draft (text) VALUES (1)").changes.map(\.schema) == ["temp"])
    #expect(try facts("CREATE TABLE n (x)").changes.isEmpty)
    #expect(try facts("DROP TABLE team").changes.isEmpty)
    #expect(try facts("SELECT 1").changes.isEmpty)
  }

  @Test func `a statement knows what it does to the transaction and the schema`() throws {
    #expect(try facts("BEGIN IMMEDIATE").transactionEffect == .begin)
    #expect(try facts("END").transactionEffect == .commit)
    #expect(try facts("ROLLBACK").transactionEffect == .rollback)
    #expect(try facts("SAVEPOINT x").transactionEffect == .beginSavepoint("x"))
    #expect(try facts("RELEASE x").transactionEffect == .releaseSavepoint("x"))
    #expect(try facts("ROLLBACK TO x").transactionEffect == .rollbackToSavepoint("x"))
    for sql in [
      "CREATE INDEX i ON plain(x)", "CREATE TEMP TABLE n (x)", "DROP VIEW leader",
      "ALTER TABLE plain RENAME TO p", "ATTACH '' AS z", "DETACH z",
      "CREATE TRIGGER g AFTER DELETE ON plain BEGIN SELECT 1; END",
    ] {
      let facts = try facts(sql)
      #expect(facts.invalidatesSchemaCache, "\(sql)")
      #expect(!facts.isWorthCaching)
    }
    for sql in ["PRAGMA user_version", "BEGIN", "SAVEPOINT x"] {
      #expect(try !facts(sql).isWorthCaching)
    }
    #expect(try facts("SELECT * FROM player").isWorthCaching)
    #expect(try !facts("DELETE FROM player").invalidatesSchemaCache)
  }

  @Test func `a change of the schema that is undone is one too`() throws {
    try queue.inDatabase { db in
      func generations(_ body: () throws -> Void) rethrows -> Int {
        let before = db.hooks.schemaGeneration
        try body()
        return db.hooks.schemaGeneration - before
      }
      try #expect(generations { try db.execute(sql: "BEGIN; INSERT INTO plain VALUES (1)") } == 0)
      try #expect(generations { try db.execute(sql: "SAVEPOINT s") } == 0)
      try #expect(generations { try db.execute(sql: "CREATE TABLE n (x)") } == 1)
      try #expect(generations { try db.execute(sql: "ROLLBACK TO s") } == 1)
      try #expect(generations { try db.execute(sql: "CREATE TABLE n (x)") } == 1)
      try #expect(generations { try db.rollback() } == 1)
      try #expect(generations { try db.inTransaction { .rollback } } == 0)
    }
  }
}
