import CofferTestSupport
import Testing

@testable import Coffer

@Suite("Names of associations") struct AssociationNameTests {
  private struct Team1: TableRecord { static let players = hasMany(Player1.self) }
  private struct Player1: TableRecord {
    static let team = belongsTo(Team1.self)
    static let captain = belongsTo(Player1.self, key: "captain", using: ForeignKey(["captainId"]))
  }

  private static let schema = """
    CREATE TABLE team1 (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player1 (id INTEGER PRIMARY KEY, name TEXT,
      teamId INTEGER REFERENCES team1(id), captainId INTEGER);
    INSERT INTO team1 VALUES (1, 'x');
    INSERT INTO player1 VALUES (1, 'a', 1, 1), (2, 'b', 1, 1);
    """

  @Test func `digits at the end of a table's name stay there`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      let team = try Team1.including(all: Team1.players).asRequest(of: Row.self).fetchOne(db)
      #expect(team?.prefetchedRows["player1s"] == nil)
      #expect(team?.prefetchedRows["players1"]?.count == 2)
      let player = try Player1.including(required: Player1.team).asRequest(of: Row.self)
        .fetchOne(db)
      #expect(player?.scopes["team1"]?["name"] == "x")
    }
  }

  @Test func `tables of one name are told apart by the number after the name`() throws {
    let sql = try RequestDatabase(Self.schema).sql(
      Player1.select(Column("id")).joining(required: Player1.captain))
    #expect(
      sql == """
        SELECT "player1"."id" FROM "player1" \
        JOIN "player1" "player2" ON "player2"."id" = "player1"."captainId"
        """)
  }

  @Test func `common table expressions lead to tables and types`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      let best = CommonTableExpression<Row>(
        named: "best", sql: "SELECT 1 AS playerId UNION ALL SELECT 7")
      func rows<A: Association>(_ association: A) throws -> Int
      where A.OriginRowDecoder == Row {
        try best.all().with(best).joining(required: association).fetchCount(db)
      }
      let counts = try [
        rows(best.association(to: Player1.self)),
        rows(best.association(to: Table("player1"))),
        rows(best.association(to: Player1.self) { $0["playerId"] == $1["id"] }),
        rows(best.association(to: Table("player1")) { $0["playerId"] == $1["id"] }),
        rows(best.association(to: best)),
      ]
      #expect(counts == [4, 4, 1, 1, 4])
    }
  }

  @available(*, deprecated)  // As what it tests.
  @Test func `the error has its former name`() throws {
    #expect(PersistenceError.self == RecordError.self)
  }
}
