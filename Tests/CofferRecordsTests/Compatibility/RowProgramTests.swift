import Coffer
import CofferTestSupport
import Testing

/// Rows read by records with `init(row:)`.
@Suite struct RowProgramTests {
  /// Columns as an enum of strings.
  private struct Player: FetchableRecord, MutablePersistableRecord, Hashable {
    enum Columns: String, ColumnExpression { case id, name, score, teamId }

    static let team = belongsTo(Team.self)
    static let medals = hasMany(Medal.self)

    var id: Int64?
    var name: String
    var score: Int?

    init(row: Row) throws {
      id = row[Columns.id]
      name = row[Columns.name]
      score = row[Columns.score]
    }

    func encode(to container: inout PersistenceContainer) {
      container[Columns.id] = id
      container[Columns.name] = name
      container[Columns.score] = score
    }
  }

  private struct Team: Codable, FetchableRecord, TableRecord, Hashable {
    static let league = belongsTo(League.self)
    static let players = hasMany(Player.self)
    var id: Int64
    var color: String
  }

  private struct League: Codable, FetchableRecord, TableRecord, Hashable {
    var id: Int64
    var title: String
  }

  private struct Medal: Codable, FetchableRecord, TableRecord, Hashable {
    var id: Int64
    var metal: String
  }

  private struct Info: FetchableRecord {
    var player: Player
    var team: Team?
    var league: League?
    var medals: [Medal]
    var medalSet: Set<Medal>

    init(row: Row) throws {
      player = try Player(row: row)
      team = row["team"]
      league = try row.decodeIfPresent(League.self, forKey: "league")
      medals = row["medals"]
      medalSet = row["medals"]
    }
  }

  private enum Rank: String, DatabaseValueConvertible { case first }

  private static let schema = """
    CREATE TABLE league (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE TABLE team (
      id INTEGER PRIMARY KEY, leagueId INTEGER REFERENCES league, color TEXT NOT NULL);
    CREATE TABLE player (
      id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT NOT NULL, score INTEGER);
    CREATE TABLE medal (
      id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player, metal TEXT NOT NULL);
    INSERT INTO league VALUES (7, 'North');
    INSERT INTO team VALUES (1, 7, 'red'), (2, NULL, 'blue');
    INSERT INTO player VALUES (1, 1, 'Ana', 10), (2, 2, 'Ben', NULL), (3, NULL, 'Cem', 30);
    INSERT INTO medal VALUES (1, 1, 'gold'), (2, 1, 'tin'), (3, 3, 'tin');
    """

  private static let request = Player.including(
    optional: Player.team.including(optional: Team.league)
  ).including(all: Player.medals.orderByPrimaryKey()).orderByPrimaryKey()

  @Test func `columns are read by their column expressions`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player ORDER BY id")
      let live = try #require(try rows.next())
      for row in [live, live.copy()] {
        #expect(row[Player.Columns.name] as String == "Ana")
        #expect(row[Column("NAME")] as String? == "Ana")
        #expect(row[Player.Columns.score] as Double == 10)
        #expect(row[Column("nothing")] as Int? == nil)
        #expect(row[Player.Columns.score] as? Int64 == 10)
        #expect(try row.decode(Int.self, forColumn: Player.Columns.score) == 10)
        #expect(throws: RowDecodingError.self) {
          try row.decode(Rank.self, forColumn: Player.Columns.name)
        }
        #expect(throws: RowDecodingError.self) {
          try row.decode(String.self, forColumn: Column("nothing"))
        }
        #expect(try row.withUnsafeData(at: Player.Columns.name) { $0?.count } == 3)
        let columns: [any ColumnExpression] = [Column("nick"), Player.Columns.name]
        #expect(row.coalesce(columns) == "Ana")
        #expect(row.coalesce([Player.Columns.id, Player.Columns.score]) == 1)
        #expect(row.coalesce([Column("nick")]) as String? == nil)
      }
    }
  }

  @Test func `records are read from scopes and prefetched rows`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let infos = try Info.fetchAll(db, Self.request)
      #expect(infos.map(\.player.name) == ["Ana", "Ben", "Cem"])
      #expect(infos.map(\.team?.color) == ["red", "blue", nil])
      #expect(infos.map(\.league?.title) == ["North", nil, nil])
      #expect(infos.map { $0.medals.map(\.metal) } == [["gold", "tin"], [], ["tin"]])
      #expect(infos.map(\.medalSet.count) == [2, 0, 1])
      let cursor = try Info.fetchCursor(db, Self.request)
      #expect(try cursor.next()?.medals.count == 2)
    }
  }

  @Test func `a missing scope is nil as an optional, and an error otherwise`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let rows = try Row.fetchAll(db, Self.request)
      #expect(rows[1]["league"] as League? == nil)
      #expect(rows[1]["nothing"] as League? == nil)
      #expect(try rows[0].decode(League.self, forKey: "league").id == 7)
      #expect(try rows[0].decode([Medal].self, forKey: "medals").count == 2)
      #expect(try rows[0].decode(ContiguousArray<Medal>.self, forKey: "medals").count == 2)
      #expect(try rows[0].decode(Set<Medal>.self, forKey: "medals").count == 2)
      for key in ["nothing", "Team"] {
        #expect(throws: RowDecodingError.self) { try rows[0].decode(Team.self, forKey: key) }
        #expect(throws: RowDecodingError.self) { try rows[0].decode([Medal].self, forKey: key) }
        #expect(throws: RowDecodingError.self) { try rows[0].decode(Set<Medal>.self, forKey: key) }
      }
      // A scope of NULLs is no record.
      #expect(throws: RowDecodingError.self) { try rows[2].decode(Team.self, forKey: "team") }
      #expect(try rows[2].decodeIfPresent(Team.self, forKey: "team") == nil)
      let error = #expect(throws: RowDecodingError.self) {
        try rows[0].decode(Team.self, forKey: "teams")
      }
      #expect(error?.kind == .keyNotFound)
      #expect(error.map { "\($0)".contains("league, team") } == true)
    }
  }

  @Test func `descriptions show columns, scopes and counts of rows`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let rows = try Row.fetchAll(db, Self.request)
      #expect(rows[0].description == #"[id:1 teamId:1 name:"Ana" score:10]"#)
      #expect(
        rows[1].debugDescription == """
          ▿ [id:2 teamId:2 name:"Ben" score:NULL]
            unadapted: [id:2 teamId:2 name:"Ben" score:NULL id:2 leagueId:NULL color:"blue" \
          id:NULL title:NULL]
            - team: [id:2 leagueId:NULL color:"blue"]
              - league: [id:NULL title:NULL]
            + medals: 0 row
          """)
      let plain = try #require(try Row.fetchOne(db, Player.including(all: Player.medals)))
      #expect(
        plain.debugDescription == """
          ▿ [id:1 teamId:1 name:"Ana" score:10]
            + medals: 2 rows
          """)
    }
  }

  @Test func `the columns of custom SQL are split into scopes`() throws {
    struct Pair: Decodable, FetchableRecord {
      var player: Player2
      var team: Team?
      var medalCount: Int

      struct Player2: Decodable { var name: String }
    }
    struct PlainPair: FetchableRecord {
      var team: Team?
      var count: Int

      init(row: Row) throws {
        team = row["team"]
        count = row.scopes["rest"]?["medalCount"] ?? -1
      }
    }
    let sql: SQL = """
      SELECT \(columnsOf: Player.self), \(columnsOf: Team.self, tableAlias: "t"), \
      (SELECT COUNT(*) FROM medal WHERE playerId = player.id) AS medalCount \
      FROM player LEFT JOIN team t ON t.id = player.teamId ORDER BY player.id
      """
    @Sendable func adapter(_ db: Database) throws -> any RowAdapter {
      let adapters = try splittingRowAdapters(columnCounts: [
        Player.numberOfSelectedColumns(db), Team.numberOfSelectedColumns(db),
      ])
      return ScopeAdapter(["player": adapters[0], "team": adapters[1], "rest": adapters[2]])
    }
    try EncryptedQueue.with(Self.schema) { db throws in
      let pairs = try SQLRequest<Pair>(literal: sql).adapted(adapter).fetchAll(db)
      #expect(pairs.map(\.player.name) == ["Ana", "Ben", "Cem"])
      #expect(pairs.map(\.team?.color) == ["red", "blue", nil])
      #expect(pairs.map(\.medalCount) == [2, 0, 1])
      let plain = try SQLRequest<PlainPair>(literal: sql).adapted(adapter).fetchAll(db)
      #expect(plain.map(\.team?.id) == [1, 2, nil])
      #expect(plain.map(\.count) == [2, 0, 1])
    }
  }
}
