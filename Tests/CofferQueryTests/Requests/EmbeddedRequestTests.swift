import Coffer
import CofferTestSupport
import Testing

/// Requests inside of SQL literals, and SQL requests inside of others.
@Suite struct EmbeddedRequestTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, score INT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, teamId INT, score INT);
    INSERT INTO team VALUES (1, 'Reds', 5), (2, 'Blues', 50);
    INSERT INTO player VALUES (1, 'Arthur', 1, 10), (2, 'Barbara', 1, 20), (3, 'Craig', 2, 30);
    """

  private let score = Column("score"), name = Column("name"), id = Column("id")
  private let best = Table("player").select(max(Column("score")))
  private let ids: SQLRequest<Int> = "SELECT id FROM player WHERE score > \(15)"

  private func use(_ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with(Self.schema, body)
  }

  // MARK: Columns

  @Test func `an SQL request's columns are its own`() throws {
    let inner: SQLRequest<Int> = "SELECT max(\(score)) FROM team"
    try use { db throws in
      for alias in [TableAlias(), TableAlias(name: "p")] {
        let players = Table("player").aliased(alias).order(id).select(id, as: Int.self)
        #expect(try players.filter(score > inner).fetchAll(db) == [])
        #expect(try players.filter(literal: "\(score) < \(inner)").fetchAll(db) == [1, 2, 3])
        #expect(try players.filter(SQL("\(score) * 2 > \(inner)")).fetchAll(db) == [3])
      }
    }
  }

  @Test func `the columns of an SQL query in contains, exists and a common table are its own`()
    throws
  {
    let names: SQLRequest<String> = "SELECT \(name) FROM team WHERE \(score) > 10"
    let common = CommonTableExpression(named: "names", literal: "SELECT \(name) FROM team")
    let outer = TableAlias(name: "t")
    try use { db throws in
      let teams = Table("team").aliased(outer).order(id).select(id, as: Int.self)
      #expect(try teams.filter(names.contains(name)).fetchAll(db) == [2])
      #expect(try teams.filter(names.exists()).fetchAll(db) == [1, 2])
      #expect(try teams.filter(!names.exists()).fetchAll(db) == [])
      #expect(try teams.with(common).filter(common.contains(name)).fetchAll(db) == [1, 2])
      #expect(
        try RequestDatabase(Self.schema).sql(teams.filter(names.exists())) == """
          SELECT "t"."id" FROM "team" "t" WHERE EXISTS \
          (SELECT "name" FROM team WHERE "score" > 10) ORDER BY "t"."id"
          """)
    }
  }

  @Test func `an alias in an SQL request is that of the query around it`() throws {
    let team = TableAlias()
    let players: SQLRequest<Int> = """
      SELECT \(id) FROM player WHERE teamId = \(team[id]) AND \(score) > 15
      """
    try use { db throws in
      let teams = Table("team").aliased(team).select(id, as: Int.self)
      #expect(try teams.filter(team[id] == 1).filter(players.exists()).fetchAll(db) == [1])
      let strict: SQLRequest<Int> = """
        SELECT \(id) FROM player WHERE teamId = \(team[id]) AND \(score) > 25
        """
      #expect(try teams.filter(strict.exists()).fetchAll(db) == [2])
    }
  }

  // MARK: Parentheses

  private func built(_ sql: SQL) throws -> String {
    try DatabaseQueue().read { db throws in try sql.build(db).sql }
  }

  @Test func `a value gets parentheses, unless it has them`() throws {
    let one: SQLRequest<Int> = "SELECT 1"
    #expect(try built("SELECT \(one)") == "SELECT (SELECT 1)")
    #expect(try built("SELECT (\(one))") == "SELECT (SELECT 1)")
    #expect(try built("SELECT ( \(one) )") == "SELECT ( SELECT 1 )")
    #expect(try built("SELECT (\(one) + 2)") == "SELECT ((SELECT 1) + 2)")
    #expect(try built("SELECT (2 + \(one))") == "SELECT (2 + (SELECT 1))")
    #expect(try built("SELECT abs(\(one))") == "SELECT abs((SELECT 1))")
    #expect(try built("SELECT max(\(one), \(one))") == "SELECT max((SELECT 1), (SELECT 1))")
    #expect(try built("VALUES (\(one))") == "VALUES ((SELECT 1))")
    #expect(try built("SELECT CAST(\(one) AS TEXT)") == "SELECT CAST((SELECT 1) AS TEXT)")
    #expect(
      try built("SELECT CASE WHEN \(one) THEN (\(one)) END").contains(
        "WHEN (SELECT 1) THEN (SELECT 1)"))
    #expect(try built("SELECT x FROM t WHERE x IN \(one)").hasSuffix("IN (SELECT 1)"))
    #expect(try built("SELECT x FROM t WHERE x IN (\(one))").hasSuffix("IN (SELECT 1)"))
    #expect(
      try built("SELECT x FROM t WHERE x IN (\(one), \(one))").hasSuffix(
        "IN ((SELECT 1), (SELECT 1))"))
    #expect(
      try built("SELECT EXISTS (\(one)), EXISTS \(one)")
        == "SELECT EXISTS (SELECT 1), EXISTS (SELECT 1)")
    #expect(
      try built("SELECT * FROM \(one), (\(one)) AS y")
        == "SELECT * FROM (SELECT 1), (SELECT 1) AS y")
    #expect(try built("SELECT * FROM (\(one) AS y)") == "SELECT * FROM ((SELECT 1) AS y)")
    #expect(
      try built("SELECT '(', \(one) -- (\n, \(one)") == "SELECT '(', (SELECT 1) -- (\n, (SELECT 1)")
  }

  @Test func `a query goes without parentheses`() throws {
    let one: SQLRequest<Int> = "SELECT 1"
    #expect(try built("\(one)") == "SELECT 1")
    #expect(try built("\(one) UNION ALL \(one) LIMIT 1") == "SELECT 1 UNION ALL SELECT 1 LIMIT 1")
    #expect(try built("\(one); \(one)") == "SELECT 1; SELECT 1")
    #expect(try built("EXPLAIN QUERY PLAN \(one)") == "EXPLAIN QUERY PLAN SELECT 1")
    #expect(
      try built("SELECT 0 EXCEPT \(one) INTERSECT \(one)").hasSuffix(
        "EXCEPT SELECT 1 INTERSECT SELECT 1"))
    #expect(try built("SELECT (\(one) UNION \(one))") == "SELECT (SELECT 1 UNION SELECT 1)")
    #expect(try built("INSERT INTO t \(one)") == "INSERT INTO t SELECT 1")
    #expect(try built("INSERT INTO t (a) \(one)") == "INSERT INTO t (a) SELECT 1")
    #expect(try built("INSERT INTO t (a) VALUES (\(one), 2)").hasSuffix("VALUES ((SELECT 1), 2)"))
    #expect(try built("INSERT INTO t SELECT \(one)") == "INSERT INTO t SELECT (SELECT 1)")
    #expect(try built("CREATE VIEW v AS \(one)") == "CREATE VIEW v AS SELECT 1")
    #expect(try built("WITH a AS (\(one)) \(one)") == "WITH a AS (SELECT 1) SELECT 1")
    #expect(
      try built("WITH a AS \(one), b(x) AS \(one) \(one)")
        == "WITH a AS (SELECT 1), b(x) AS (SELECT 1) SELECT 1")
    #expect(
      try built("WITH a AS (\(one)) INSERT INTO t \(one)").hasSuffix("INSERT INTO t SELECT 1"))
    #expect(
      try built("SELECT EXISTS (WITH a AS (\(one)) \(one))").hasSuffix(
        "(WITH a AS (SELECT 1) SELECT 1)"))
    let nested: SQLRequest<Int> = "\(one) UNION \(one)"
    #expect(
      try built("SELECT \(nested), (\(nested))")
        == "SELECT (SELECT 1 UNION SELECT 1), (SELECT 1 UNION SELECT 1)")
    #expect(try built("\(nested) UNION \(nested)").contains("(") == false)
  }

  @Test func `SQLite executes embedded requests as values, lists and tables`() throws {
    try use { db throws in
      let all: SQLRequest<Int> = "\(ids) UNION ALL \(best) ORDER BY 1"
      #expect(try all.fetchAll(db) == [2, 3, 30])
      #expect(try all.fetchCount(db) == 3)
      let common = CommonTableExpression<Row>(
        named: "best", request: Table("player").filter(score > 15))
      let one = Table("best").select(id).order(id)
      let with: SQLRequest<Int> = "WITH \(definitionFor: common) \(one)"
      #expect(try with.fetchAll(db) == [2, 3])
      // Lists of one and of several rows.
      for list: SQL in ["(\(ids))", "\(ids)"] {
        let players: SQLRequest<Int> = "SELECT id FROM player WHERE id IN \(list) ORDER BY id"
        #expect(try players.fetchAll(db) == [2, 3])
      }
      let scalar: SQLRequest<Int> = "SELECT id FROM player WHERE score = \(best) AND EXISTS(\(ids))"
      #expect(try scalar.fetchAll(db) == [3])
      try db.execute(literal: "INSERT INTO team (id) \(Table("player").select(id).filter(id > 2))")
      try db.execute(literal: "UPDATE team SET score = \(best) WHERE id IN (\(ids))")
      #expect(try Int.fetchAll(db, sql: "SELECT score FROM team ORDER BY id") == [5, 30, 30])
      let values: SQLRequest<Int> = "SELECT total(score) + coalesce(\(best), 0) FROM player"
      #expect(try values.fetchOne(db) == 90)
      let both = CommonTableExpression<Row>(named: "both", literal: "\(ids) UNION \(best)")
      #expect(try Table("player").with(both).filter(both.contains(id)).fetchCount(db) == 2)
    }
  }

  @Test func `a request may be embedded in any part of another`() throws {
    try use { db throws in
      let players = Table("player").order(id).select(id, as: Int.self)
      #expect(try players.filter(literal: "id IN (\(ids))").fetchAll(db) == [2, 3])
      #expect(try players.filter(literal: "id IN \(ids)").filter(score < 25).fetchAll(db) == [2])
      #expect(try players.filter(literal: "\(best) = score").fetchAll(db) == [3])
      #expect(try players.filter(SQL("\(best) = score") && score > 0).fetchAll(db) == [3])
      #expect(try players.select(literal: "\(best)", as: Int.self).fetchAll(db) == [30, 30, 30])
      #expect(try players.select(literal: "(\(best)) + 1", as: Int.self).fetchOne(db) == 31)
      #expect(try players.select(SQL("\(best)").forKey("best")).fetchAll(db) == [30, 30, 30])
    }
  }

  @Test func `a comment at a query's end swallows nothing`() throws {
    let ids: SQLRequest<Int> = "SELECT 2 -- the best"
    try use { db throws in
      let players: SQLRequest<Int> = "SELECT id FROM player WHERE id IN \(ids) AND score > 0"
      #expect(try players.fetchAll(db) == [2])
      let listed: SQLRequest<Int> = "SELECT id FROM player WHERE id IN (\(ids)) AND score > 0"
      #expect(try listed.fetchAll(db) == [2])
      #expect(try Table("player").filter(ids.contains(id)).fetchCount(db) == 1)
    }
  }
}
