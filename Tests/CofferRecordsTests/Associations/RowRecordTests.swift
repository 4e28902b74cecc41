import Coffer
import CofferTestSupport
import Testing

@Suite struct RowRecordTests {
  private struct Team: FetchableRecord, TableRecord {
    static let players = hasMany(Player.self)
    var id: Int
    init(row: Row) { id = row["id"] }
  }

  private struct Player: FetchableRecord, TableRecord, Hashable {
    static let team = belongsTo(Team.self)
    var id: Int
    init(row: Row) { id = row["id"] }
  }

  private struct TeamInfo: FetchableRecord {
    var team: Team
    var players: [Player]
    var set: Set<Player>

    init(row: Row) throws {
      team = Team(row: row)
      players = row["players"]
      set = try row.decode(forKey: "players")
    }
  }

  private struct PlayerInfo: FetchableRecord {
    var player: Player
    var team: Team?

    init(row: Row) throws {
      player = Player(row: row)
      team = row["team"]
    }
  }

  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
    INSERT INTO team VALUES (1), (2);
    INSERT INTO player VALUES (3, 1), (4, 1), (5, NULL);
    """

  @Test func `rows give the records of associations`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let teams = try Team.including(all: Team.players.orderByPrimaryKey()).orderByPrimaryKey()
        .asRequest(of: TeamInfo.self).fetchAll(db)
      #expect(teams.map { $0.players.map(\.id) } == [[3, 4], []])
      #expect(teams.map(\.set.count) == [2, 0])
      let players = try Player.including(optional: Player.team).orderByPrimaryKey()
        .asRequest(of: PlayerInfo.self).fetchAll(db)
      #expect(players.map(\.team?.id) == [1, 1, nil])
      let row = try #require(
        try Row.fetchOne(db, Player.including(required: Player.team).filter(key: 3)))
      let team: Team = row["team"]
      #expect(team.id == 1)
      #expect(try row.decode(Team.self, forKey: "team").id == 1)
    }
  }

  @Test func `a missing association is an error that names the keys`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let row = try #require(
        try Row.fetchOne(db, Player.including(optional: Player.team).filter(key: 5)))
      #expect(try row.decodeIfPresent(Team.self, forKey: "team") == nil)
      #expect(try row.decodeIfPresent(Team.self, forKey: "club") == nil)
      var error = #expect(throws: RowDecodingError.self) {
        try row.decode(Team.self, forKey: "team")
      }
      #expect(error?.kind == .keyNotFound)
      error = #expect(throws: RowDecodingError.self) {
        try row.decode(Team.self, forKey: "club")
      }
      #expect(error?.description.contains("available keys: team") == true)
      error = #expect(throws: RowDecodingError.self) {
        try row.decode([Player].self, forKey: "players")
      }
      #expect(error?.kind == .keyNotFound && error?.recordType == "Player")
    }
  }
}
