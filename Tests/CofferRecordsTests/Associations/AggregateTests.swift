import Coffer
import CofferTestSupport
import Testing

@Suite struct AssociationAggregateTests {
  private struct Team: TableRecord {
    static let players = hasMany(Player.self)
    static let awards = hasMany(Award.self)
    static let best = hasMany(Player.self, key: "bestPlayers")
  }

  private struct Player: TableRecord {
    static let team = belongsTo(Team.self)
    static let awards = hasMany(Award.self, through: team, using: Team.awards)
    var score: Int
  }

  private struct Award: TableRecord {}

  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId REFERENCES team, score INTEGER);
    CREATE TABLE award (code INTEGER PRIMARY KEY, teamId REFERENCES team);
    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues'), (3, 'Greens'), (4, 'Oranges');
    INSERT INTO player VALUES (1, 1, 100), (2, 1, 1000), (3, 2, 200), (4, 2, 500), (5, 2, 800),
      (6, 4, 0);
    INSERT INTO award VALUES (1, 1), (2, 1), (3, 1), (4, 2), (5, 3);
    """

  private let database: RequestDatabase

  init() throws { database = try RequestDatabase(Self.schema) }

  private func sql(_ request: some FetchRequest) throws -> String { try database.sql(request) }

  private let joined = #" FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id""#
  private let grouped = #" GROUP BY "team"."id""#

  @Test func `rows are annotated with what is counted and computed of others`() throws {
    let score = Column("score")
    let request = Team.annotated(
      with: Team.players.count, Team.players.max(score), Team.players.min(score),
      Team.players.sum(score), Team.players.average(score), Team.players.isEmpty
    ).annotated(with: Team.players.total(score).forKey("total")).orderByPrimaryKey()
    try #expect(
      sql(request) == """
        SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", \
        MAX("player"."score") AS "maxPlayerScore", MIN("player"."score") AS "minPlayerScore", \
        SUM("player"."score") AS "playerScoreSum", AVG("player"."score") AS "averagePlayerScore", \
        COUNT(DISTINCT "player"."id") = 0 AS "hasNoPlayer", TOTAL("player"."score") AS "total"\
        \(joined)\(grouped) ORDER BY "team"."id"
        """)
    try database.use { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0["playerCount"] as Int } == [2, 3, 0, 1])
      #expect(rows.map { $0["maxPlayerScore"] as Int? } == [1000, 800, nil, 0])
      #expect(rows.map { $0["averagePlayerScore"] as Double? } == [550, 500, nil, 0])
      #expect(rows.map { $0["hasNoPlayer"] as Bool } == [false, false, true, false])
      #expect(rows.map { $0["total"] as Double } == [1100, 1500, 0, 0])
      #expect(try request.fetchCount(db) == 4)
    }
  }

  @Test func `the columns of aggregates are named after keys`() throws {
    try #expect(
      sql(Team.annotated(with: Team.best.count)).contains(#" AS "bestPlayerCount""#))
    try #expect(sql(Team.annotated(with: Team.players.count.forKey("n"))).contains(#" AS "n""#))
    try #expect(
      sql(Team.annotated(with: Team.players.min(Column("score")) ?? 0)).contains(
        #"IFNULL(MIN("player"."score"), 0) AS "minPlayerScore""#))
    try #expect(
      sql(Team.annotated(with: cast(Team.players.count, as: .real))).contains(
        #"CAST(COUNT(DISTINCT "player"."id") AS REAL) AS "playerCount""#))
    try #expect(
      sql(Team.annotated(with: abs(Team.players.max(Column("score"))))).contains(
        #"ABS(MAX("player"."score")) FROM"#))
  }

  @Test func `closures name the properties of the rows`() throws {
    let request = Team.annotated(with: Team.players.max { $0.score })
    #expect(try sql(request).contains(#"MAX("player"."score") AS "maxPlayerScore""#))
  }

  @Test func `aggregates are conditions`() throws {
    let cases: [(AssociationAggregate<Team>, String, Int)] = [
      (Team.players.isEmpty, #"COUNT(DISTINCT "player"."id") = 0"#, 1),
      (!Team.players.isEmpty, #"COUNT(DISTINCT "player"."id") > 0"#, 3),
      (Team.players.isEmpty == false, #"COUNT(DISTINCT "player"."id") > 0"#, 3),
      (Team.players.isEmpty == true, #"COUNT(DISTINCT "player"."id") = 0"#, 1),
      (Team.players.count == 2, #"COUNT(DISTINCT "player"."id") = 2"#, 1),
      (2 == Team.players.count, #"2 = COUNT(DISTINCT "player"."id")"#, 1),
      (Team.players.count != 2, #"COUNT(DISTINCT "player"."id") <> 2"#, 3),
      (Team.players.count >= 2, #"COUNT(DISTINCT "player"."id") >= 2"#, 2),
      (2 > Team.players.count, #"2 > COUNT(DISTINCT "player"."id")"#, 2),
      (!(Team.players.count > 2), #"NOT (COUNT(DISTINCT "player"."id") > 2)"#, 3),
      (Team.players.count * 2 - 1 > 3, #"((COUNT(DISTINCT "player"."id") * 2) - 1) > 3"#, 1),
    ]
    for (condition, having, count) in cases {
      try #expect(
        sql(Team.having(condition)) == #"SELECT "team".*"# + joined + grouped + " HAVING " + having)
      try #expect(database.use { try Team.having(condition).fetchCount($0) } == count)
      try #expect(database.use { try Team.having(condition).fetchAll($0, as: Row.self) } == count)
    }
  }

  @Test func `aggregates of several associations are subqueries`() throws {
    let players = #"(SELECT COUNT(*) FROM "player" WHERE "teamId" = "team"."id")"#
    let awards = #"(SELECT COUNT(*) FROM "award" WHERE "teamId" = "team"."id")"#
    try #expect(
      sql(Team.having(Team.players.isEmpty || Team.awards.count < Team.players.count)) == """
        SELECT * FROM "team" WHERE (\(players) = 0) OR (\(awards) < \(players))
        """)
    let low = Team.players.filter(Column("score") < 500).forKey("lowPlayers")
    let high = Team.players.filter(Column("score") >= 500).forKey("highPlayers")
    let request = Team.annotated(with: low.count, high.count).orderByPrimaryKey()
    #expect(try !sql(request).contains("JOIN"))
    try database.use { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0["lowPlayerCount"] as Int } == [1, 1, 0, 1])
      #expect(rows.map { $0["highPlayerCount"] as Int } == [1, 2, 0, 0])
    }
  }

  @Test func `joins of the request and groups of its own are kept`() throws {
    try #expect(
      sql(
        Team.annotated(with: Team.players.max(Column("score"))).joining(required: Team.players))
          == """
          SELECT "team".*, MAX("player"."score") AS "maxPlayerScore" FROM "team" \
          JOIN "player" ON "player"."teamId" = "team"."id"\(grouped)
          """)
    try #expect(
      sql(
        Team.select(Column("name")).annotated(with: Team.players.count).group(Column("name")))
          == """
          SELECT "team"."name", COUNT(DISTINCT "player"."id") AS "playerCount"\(joined) \
          GROUP BY "team"."name"
          """)
    try #expect(
      sql(Player.annotated(with: Player.awards.count).orderByPrimaryKey()) == """
        SELECT "player".*, COUNT(DISTINCT "award"."code") AS "awardCount" FROM "player" \
        LEFT JOIN "team" ON "team"."id" = "player"."teamId" \
        LEFT JOIN "award" ON "award"."teamId" = "team"."id" \
        GROUP BY "player"."id" ORDER BY "player"."id"
        """)
  }

  @Test func `rows are ordered by aggregates`() throws {
    let request = Team.all().order(Team.players.count.desc, Team.players.sum(Column("score")).asc)
    try database.use { db throws in
      #expect(
        try Row.fetchAll(db, request.select(Column("name"))).map { $0[0] as String }
          == ["Blues", "Reds", "Oranges", "Greens"])
    }
  }

  @Test func `counts as subqueries group nothing`() throws {
    let request = Team.annotated(with: Team.players.countSubquery, Team.awards.countSubquery)
      .filter(Team.players.countSubquery > 0).orderByPrimaryKey()
    try #expect(
      sql(request) == """
        SELECT *, (SELECT COUNT(*) FROM "player" WHERE "teamId" = "team"."id") AS "playerCount", \
        (SELECT COUNT(*) FROM "award" WHERE "teamId" = "team"."id") AS "awardCount" FROM "team" \
        WHERE (SELECT COUNT(*) FROM "player" WHERE "teamId" = "team"."id") > 0 ORDER BY "id"
        """)
    try database.use { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0["playerCount"] as Int } == [2, 3, 1])
      #expect(rows.map { $0["awardCount"] as Int } == [3, 1, 0])
      let awards = try Row.fetchAll(
        db, Player.annotated(with: Player.awards.countSubquery).orderByPrimaryKey())
      #expect(awards.map { $0["awardCount"] as Int } == [3, 3, 1, 1, 1, 0])
    }
  }

  @Test func `distinct rows are counted by their values`() throws {
    try database.use { db throws in
      try db.execute(sql: "UPDATE player SET score = 200 WHERE id IN (1, 2, 4)")
      let scores = Team.players.select(Column("score")).distinct()
      for other in [Team.players.count, Team.players.filter(Column("score") > 0).count] {
        let request = Team.select(Column("id"))
          .annotated(with: scores.count.forKey("n"), other.forKey("m")).orderByPrimaryKey()
        #expect(try Row.fetchAll(db, request).map { $0["n"] as Int } == [1, 2, 0, 1])
      }
      let alone = Team.having(scores.count >= 2).select(Column("id"), as: Int.self)
      #expect(try alone.fetchAll(db) == [2])
      #expect(
        try Team.having(scores.isEmpty).select(Column("id"), as: Int.self).fetchAll(db) == [3])
      // Where they would have to be joined, nothing tells them apart.
      let groups = Team.select(Column("name")).group(Column("name"))
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, groups.annotated(with: scores.count))
      }
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, Team.annotated(with: scores.aliased(TableAlias()).count))
      }
    }
  }

  @Test func `rows without a rowid are counted`() throws {
    struct Flag: TableRecord {}
    let flags = Table("team").hasMany(Table("flag"))
    try database.use { db throws in
      try db.execute(
        sql: """
          CREATE TABLE flag (
            teamId INTEGER REFERENCES team, color TEXT, PRIMARY KEY (teamId, color)
          ) WITHOUT ROWID;
          INSERT INTO flag VALUES (1, 'red'), (1, 'white'), (3, 'green');
          """)
      let request = Table("team").annotated(with: flags.count).orderByPrimaryKey()
      #expect(try Row.fetchAll(db, request).map { $0["flagCount"] as Int } == [2, 0, 1, 0])
    }
  }
}

extension QueryInterfaceRequest {
  fileprivate func fetchAll(_ db: Database, as type: Row.Type) throws -> Int {
    try Row.fetchAll(db, self).count
  }
}
