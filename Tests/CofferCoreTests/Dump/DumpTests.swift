@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

/// A stream that keeps the text.
final class Page: TextOutputStream {
  var text = ""
  func write(_ string: String) { text += string }
}

struct DumpTests {
  private static let schema = """
    CREATE TABLE team (id TEXT PRIMARY KEY NOT NULL, color TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, team TEXT, name TEXT);
    CREATE INDEX player_team ON player (team);
    INSERT INTO team VALUES ('RED', '#f00'), ('BLU', '#00f');
    INSERT INTO player VALUES (2, 'BLU', 'Bob'), (1, NULL, 'Zoé'), (3, 'RED', 'O''Hara');
    """

  /// What `body` writes about a new database.
  private func dump(
    schema: String = Self.schema, _ body: (Database, Page) throws -> Void
  ) throws -> String {
    try EncryptedQueue.with { db in
      try db.execute(sql: schema)
      let page = Page()
      try body(db, page)
      return page.text
    }
  }

  private let players = "SELECT * FROM player ORDER BY id"

  private func rows(_ sql: String, _ format: some DumpFormat) throws -> String {
    try dump { db, page in try db.dumpSQL(SQL(sql: sql), format: format, to: page) }
  }

  @Test func `debug and list write a line per row`() throws {
    let text = "1||Zoé\n2|BLU|Bob\n3|RED|O'Hara\n"
    #expect(try rows(players, .debug()) == text)
    #expect(try rows(players, .list()) == text)
    #expect(try dump { db, page in try db.dumpSQL(SQL(sql: players), to: page) } == text)
    let other = "id, team, name\n1, NULL, Zoé\n2, BLU, Bob\n3, RED, O'Hara\n"
    #expect(try rows(players, .debug(header: true, separator: ", ", nullValue: "NULL")) == other)
    #expect(try rows(players, .list(header: true, separator: ", ", nullValue: "NULL")) == other)
  }

  @Test func `quote writes literals`() throws {
    #expect(try rows(players, .quote()) == "1,NULL,'Zoé'\n2,'BLU','Bob'\n3,'RED','O''Hara'\n")
    #expect(
      try rows("SELECT 1 AS a, 'b' AS \"it's\"", .quote(header: true, separator: ";"))
        == "'a';'it''s'\n1;'b'\n")
  }

  @Test func `line writes a line per column`() throws {
    #expect(
      try rows(players + " LIMIT 2", .line(nullValue: "-")) == """
          id = 1
        team = -
        name = Zoé

          id = 2
        team = BLU
        name = Bob

        """)
  }

  @Test func `json writes an array of objects`() throws {
    #expect(
      try rows(players, .json()) == """
        [{"id":1,"team":null,"name":"Zoé"},
        {"id":2,"team":"BLU","name":"Bob"},
        {"id":3,"team":"RED","name":"O'Hara"}]

        """)
    #expect(try rows("SELECT 1 AS a, 'b' AS a", .json()) == "[{\"a\":1,\"a\":\"b\"}]\n")
    let encoder = JSONDumpFormat.defaultEncoder
    encoder.outputFormatting = [.prettyPrinted]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "much", negativeInfinity: "little", nan: "")
    #expect(
      try rows("SELECT 1 AS a, 9e999 AS b UNION ALL SELECT 2, -9e999", .json(encoder: encoder))
        == """
        [
          {
            "a":1,
            "b":"much"
          },
          {
            "a":2,
            "b":"little"
          }
        ]

        """)
  }

  @Test func `every kind of value has its text`() throws {
    let sql = """
      SELECT -1, 1.0, 123.45, 9e999, -9e999, 'a/"b''', '', x'', x'48c3a9', x'80',
        x'69BF8A9CD9F04777BD1193451D84CBCF', NULL, 9223372036854775807
      """
    #expect(
      try rows(sql, .debug()) == """
        -1|1.0|123.45|inf|-inf|a/"b'|||Hé|X'80'|69BF8A9C-D9F0-4777-BD11-93451D84CBCF||\
        9223372036854775807

        """)
    #expect(
      try rows("SELECT x'48c3a9', x'80', -9e999, 1.0", .list()) == "Hé|\u{FFFD}|-inf|1.0\n")
    #expect(
      try rows(sql, .quote()) == """
        -1,1.0,123.45,Inf,-Inf,'a/"b''','',X'',X'48C3A9',X'80',\
        X'69BF8A9CD9F04777BD1193451D84CBCF',NULL,9223372036854775807

        """)
    let json = try rows(
      "SELECT -1 AS a, 1.0 AS b, 1.5 AS c, 9e999 AS d, 'a/\"' AS e, x'80' AS f, NULL AS g", .json())
    #expect(
      json == """
        [{"a":-1,"b":1,"c":1.5,"d":"inf","e":"a/\\"","f":"gA==","g":null}]

        """)
  }

  @Test func `several statements are executed one after the other`() throws {
    let sql = """
      CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y');
      SELECT * FROM t; SELECT b FROM t; SELECT 1 WHERE 0
      """
    #expect(try rows(sql, .debug(header: true)) == "a|b\n1|x\n2|y\nb\nx\ny\n")
    #expect(try rows(sql, .quote()) == "1,'x'\n2,'y'\n'x'\n'y'\n")
    #expect(try rows(sql, .line()) == "a = 1\nb = x\n\na = 2\nb = y\n\nb = x\n\nb = y\n")
    #expect(
      try rows(sql, .json())
        == "[{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":\"y\"}]\n[{\"b\":\"x\"},\n{\"b\":\"y\"}]\n[]\n")
  }

  @Test func `arguments are bound`() throws {
    let text = try dump { db, page in
      try db.dumpSQL("SELECT name FROM player WHERE id IN \([1, 3]) ORDER BY id", to: page)
    }
    #expect(text == "Zoé\nO'Hara\n")
    let request: SQLRequest<String> = "SELECT name FROM player WHERE id = \(2)"
    #expect(try dump { db, page in try db.dumpRequest(request, to: page) } == "Bob\n")
  }

  @Test func `an error leaves what was written`() throws {
    let text = try dump { db, page in
      #expect(throws: DatabaseError.self) {
        try db.dumpSQL("SELECT 'Hello'; SELEKT", to: page)
      }
    }
    #expect(text == "Hello\n")
  }

  @Test func `tables are sorted by their keys`() throws {
    #expect(try dump { try $0.dumpTables([], to: $1) } == "")
    #expect(try dump { try $0.dumpTables(["team"], to: $1) } == "BLU|#00f\nRED|#f00\n")
    #expect(
      try dump { try $0.dumpTables(["TEAM", "player"], to: $1) }
        == "TEAM\nBLU|#00f\nRED|#f00\n\nplayer\n1||Zoé\n2|BLU|Bob\n3|RED|O'Hara\n")
    #expect(
      try dump { try $0.dumpTables(["team"], format: .quote(), tableHeader: .always, to: $1) }
        == "team\n'BLU','#00f'\n'RED','#f00'\n")
    let keys = """
      CREATE TABLE two (b, a, PRIMARY KEY (a, b)) WITHOUT ROWID;
      INSERT INTO two VALUES (1, 2), (3, 1), (2, 1);
      CREATE TABLE none (rowid, x); INSERT INTO none VALUES (2, 'first'), (1, 'second');
      """
    #expect(
      try dump(schema: keys) { try $0.dumpTables(["two", "none"], to: $1) }
        == "two\n2|1\n3|1\n1|2\n\nnone\n2|first\n1|second\n")
  }

  @Test func `a table that does not exist throws`() throws {
    let text = try dump { db, page in
      #expect(throws: DatabaseError.self) { try db.dumpTables(["missing"], to: page) }
    }
    #expect(text == "")
  }

  @Test func `views keep their order unless a stable one is wanted`() throws {
    let view = Self.schema + "CREATE VIEW names AS SELECT name FROM player ORDER BY id DESC"
    #expect(
      try dump(schema: view) { try $0.dumpTables(["names"], to: $1) } == "O'Hara\nBob\nZoé\n")
    #expect(
      try dump(schema: view) { try $0.dumpTables(["names"], stableOrder: true, to: $1) }
        == "Bob\nO'Hara\nZoé\n")
  }

  @Test func `the content is the schema and all tables`() throws {
    let schema = """
      sqlite_master
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, team TEXT, name TEXT);
      CREATE INDEX player_team ON player (team);
      CREATE TABLE team (id TEXT PRIMARY KEY NOT NULL, color TEXT);

      """
    #expect(try dump { try $0.dumpSchema(to: $1) } == schema)
    #expect(
      try dump { try $0.dumpContent(format: .quote(), to: $1) } == schema + """

        player
        1,NULL,'Zoé'
        2,'BLU','Bob'
        3,'RED','O''Hara'

        team
        'BLU','#00f'
        'RED','#f00'

        """)
    #expect(try dump(schema: "") { try $0.dumpContent(to: $1) } == "sqlite_master\n")
    #expect(
      try dump(schema: "CREATE TABLE b (x); CREATE TABLE C (x); CREATE TABLE a (x)") {
        try $0.dumpContent(to: $1)
      } == """
        sqlite_master
        CREATE TABLE a (x);
        CREATE TABLE b (x);
        CREATE TABLE C (x);

        a

        b

        C

        """)
  }

  @Test func `indexes and triggers follow their table, views come in between`() throws {
    let schema = """
      CREATE TABLE blue (x); CREATE TABLE RED (x);
      CREATE VIEW colors AS SELECT x FROM blue;
      CREATE TRIGGER t AFTER DELETE ON blue BEGIN DELETE FROM RED; END;
      CREATE INDEX Z ON blue (x); CREATE INDEX i ON blue (x);
      CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY);
      """
    #expect(
      try dump(schema: schema) { try $0.dumpSchema(to: $1) } == """
        sqlite_master
        CREATE TABLE blue (x);
        CREATE INDEX i ON blue (x);
        CREATE INDEX Z ON blue (x);
        CREATE TRIGGER t AFTER DELETE ON blue BEGIN DELETE FROM RED; END;
        CREATE VIEW colors AS SELECT x FROM blue;
        CREATE TABLE RED (x);

        """)
  }

  @Test func `readers dump too, inside an access as well`() throws {
    let database = try EncryptedQueue()
    let queue = database.queue
    try queue.write { try $0.execute(sql: Self.schema) }
    let page = Page()
    try queue.dumpSQL("SELECT 1", to: page)
    try queue.dumpTables(["team"], to: page)
    try queue.read { _ in try queue.dumpSchema(to: page) }
    try queue.dumpContent(format: .json(), to: page)
    #expect(page.text.hasPrefix("1\nBLU|#00f\nRED|#f00\nsqlite_master\nCREATE TABLE player"))
    #expect(page.text.hasSuffix("{\"id\":\"RED\",\"color\":\"#f00\"}]\n"))
  }

  @Test func `a queue's dump may write, but not inside a read; a pool's may not`() throws {
    let database = try EncryptedQueue(Self.schema)
    let poolDatabase = try EncryptedPool(Self.schema)
    let (queue, pool) = (database.queue, poolDatabase.pool)
    let page = Page()
    try queue.dumpSQL("CREATE TABLE a (b); INSERT INTO a VALUES (1); SELECT b FROM a", to: page)
    #expect(page.text == "1\n")
    try queue.read { _ in
      _ = #expect(throws: DatabaseError.self) { try queue.dumpSQL("DELETE FROM a", to: page) }
    }
    #expect(throws: DatabaseError.self) { try pool.dumpSQL("DELETE FROM team", to: page) }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 1)
  }

  @Test func `a custom format is called for each row and each end`() throws {
    struct Counter: DumpFormat {
      var count = 0
      mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        count += 1
      }
      mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        stream.margin()
        stream.write("\(count) rows\n")
        count = 0
      }
    }
    #expect(
      try rows("SELECT 1 UNION SELECT 2; SELECT 1 WHERE 0", Counter()) == "2 rows\n\n0 rows\n")
  }

  @Test func `a format that throws ends the dump`() throws {
    struct Failing: DumpFormat {
      func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        throw CancellationError()
      }
      func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
    }
    let text = try dump { db, page in
      #expect(throws: CancellationError.self) {
        try db.dumpTables(["team", "player"], format: Failing(), to: page)
      }
      try db.execute(sql: "DROP TABLE team")
    }
    #expect(text == "team\n")
  }
}
