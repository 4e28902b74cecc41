import Coffer
import CofferTestSupport
import Testing

/// Dumps of prefetched rows, and of virtual tables.
@Suite struct PrefetchedDumpTests {
  private struct Team: TableRecord, FetchableRecord, Decodable {
    static let players = hasMany(Player.self)
    var id: String
  }
  private struct Player: TableRecord, FetchableRecord, Decodable {
    static let awards = hasMany(Award.self)
    static let team = belongsTo(Team.self)
    var id: Int
  }
  private struct Award: TableRecord, FetchableRecord, Decodable { var name: String }

  private static let schema = """
    CREATE TABLE team (id TEXT PRIMARY KEY, color TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId TEXT REFERENCES team(id), name TEXT);
    CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player(id), name TEXT);
    INSERT INTO team VALUES ('ENG', 'white'), ('FRA', 'blue');
    INSERT INTO player VALUES (1, 'FRA', 'Antoine'), (2, 'ENG', 'Owen'), (3, NULL, 'Gwendal');
    INSERT INTO award VALUES (1, 1, 'Best'), (2, 3, 'None');
    """

  private func dump(_ body: (Database, Page) throws -> Void) throws -> String {
    try EncryptedQueue.with(Self.schema) { db in
      let page = Page()
      try body(db, page)
      return page.text
    }
  }

  @Test func `prefetched rows follow the rows that they belong to`() throws {
    let request = Team.orderByPrimaryKey().including(all: Team.players.orderByPrimaryKey())
    let text = try dump { try $0.dumpRequest(request, to: $1) }
    #expect(
      text == """
        ENG|white
        FRA|blue

        players
        1|FRA|Antoine
        2|ENG|Owen

        """)
    let json = try dump { try $0.dumpRequest(request, format: .json(), to: $1) }
    #expect(
      json == """
        [{"id":"ENG","color":"white"},
        {"id":"FRA","color":"blue"}]

        players
        [{"id":1,"teamId":"FRA","name":"Antoine"},
        {"id":2,"teamId":"ENG","name":"Owen"}]

        """)
  }

  @Test func `rows prefetched with prefetched rows follow them, and no rows leave no text`() throws
  {
    let nested = Team.orderByPrimaryKey().including(
      all: Team.players.orderByPrimaryKey().including(all: Player.awards))
    #expect(
      try dump { try $0.dumpRequest(nested, to: $1) } == """
        ENG|white
        FRA|blue

        players
        1|FRA|Antoine
        2|ENG|Owen

        awards
        1|1|Best

        """)
    #expect(try dump { try $0.dumpRequest(nested.none(), to: $1) } == "")
    let joined = Player.filter { $0.id == 3 }.including(all: Player.awards)
    #expect(
      try dump { try $0.dumpRequest(joined, to: $1) } == "3||Gwendal\n\nawards\n2|3|None\n")
    let without = Player.filter { $0.id == 2 }.including(all: Player.awards)
    #expect(try dump { try $0.dumpRequest(without, to: $1) } == "2|ENG|Owen\n\nawards\n")
  }

  @Test func `the tables that store a virtual table's content are left out`() throws {
    let text = try EncryptedQueue.with { db in
      try db.execute(
        sql: """
          CREATE TABLE document (id INTEGER PRIMARY KEY, body);
          INSERT INTO document VALUES (1, 'Hello world!');
          CREATE VIRTUAL TABLE text USING fts4(content="document", body);
          CREATE VIRTUAL TABLE own USING fts4(body);
          INSERT INTO own VALUES ('alone');
          """)
      let page = Page()
      try db.dumpContent(to: page)
      return page.text
    }
    #expect(
      text == """
        sqlite_master
        CREATE TABLE document (id INTEGER PRIMARY KEY, body);
        CREATE VIRTUAL TABLE own USING fts4(body);
        CREATE VIRTUAL TABLE text USING fts4(content="document", body);

        document
        1|Hello world!

        own
        alone

        text
        Hello world!

        """)
  }
}
