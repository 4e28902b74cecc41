import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite(.enabled(if: SQLiteFeatures.linked.hasJSON))
struct JSONRequestTests {
  private enum Player: TableRecord {
    enum Columns {
      static let name = Column("name")
      static let info = JSONColumn(CodingKeys.info)
    }
    private enum CodingKeys: String, CodingKey { case info }
  }

  private static let player = Table("player")
  private static let name = JSONPlayers.name
  private static let info = JSONPlayers.info

  private static func sql(_ db: Database, _ request: some SQLSubqueryable) throws -> String {
    try request.sqlExpression.quotedSQL(db)
  }

  @Test func `JSON can be used in filters, orders and selections`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let request = Self.player
        .select(Self.info["country"], as: String.self)
        .filter(Self.info.jsonExtract(atPath: "$.captain") != 1 || Self.info["team"] == nil)
        .order(Self.info["country"].desc)
      #expect(
        try Self.sql(db, request) == """
          (SELECT "info" ->> 'country' FROM "player" \
          WHERE (JSON_EXTRACT("info", '$.captain') <> 1) OR (("info" ->> 'team') IS NULL) \
          ORDER BY "info" ->> 'country' DESC)
          """)
      #expect(try request.fetchAll(db) == ["IT", "FR"])
    }
  }

  @Test func `rows are gathered by what is in their JSON`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      try db.execute(sql: "INSERT INTO player VALUES ('Claude', '{\"country\":\"FR\"}')")
      let request = Self.player
        .select(
          Self.info["country"], Database.jsonGroupArray(Self.name).forKey("names"),
          as: Row.self
        )
        .group(Self.info["country"])
        .having(count(Self.name) > 1)
      #expect(
        try request.fetchAll(db).map(\.values) == [values("FR", #"["Arthur","Claude"]"#)])
    }
  }

  @Test func `an aliased JSON column is one of JSON`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let p = TableAlias(name: "p")
      let elements: [any SQLExpressible] = [
        p[Self.name], p[Self.name.asJSON], p[Self.info], p[Self.info["country"]],
        p[Self.info]["country"], p[Self.info].jsonRepresentation(atPath: "team"),
        p[Self.info.jsonRepresentation(atPath: "team")].asJSON,
      ]
      let request = Self.player.aliased(p).select(Database.jsonArray(elements), as: String.self)
      #expect(
        try Self.sql(db, request) == """
          (SELECT JSON_ARRAY("p"."name", \(parse)("p"."name"), \(parse)("p"."info"), \
          "p"."info" ->> 'country', "p"."info" ->> 'country', "p"."info" -> 'team', \
          "p"."info" -> 'team') FROM "player" "p")
          """)
      let second = request.filter(p[Self.name] == "[1]")
      #expect(
        try second.fetchAll(db) == [
          #"["[1]",[1],{"country":"IT","scores":[],"captain":true},"IT","IT",null,null]"#
        ])
      let whole = Self.player.aliased(p).select(p[Database.jsonArray([Self.info["country"]])])
      #expect(
        try Self.sql(db, whole)
          == #"(SELECT JSON_ARRAY("p"."info" ->> 'country') FROM "player" "p")"#)
    }
  }

  @Test func `a record's JSON column has paths in closures and behind an alias`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let request = Player.filter { $0.info["country"] == "FR" }.select { $0.name }
      #expect(
        try Self.sql(db, request)
          == #"(SELECT "name" FROM "player" WHERE ("info" ->> 'country') = 'FR')"#)
      let p = TableAlias(name: "p", for: Player.self)
      let aliased = Player.aliased(p).select(Database.jsonArray([p.info]), p.info["team"])
      #expect(
        try Self.sql(db, aliased)
          == #"(SELECT JSON_ARRAY(\#(parse)("p"."info")), "p"."info" ->> 'team' FROM "player" "p")"#
      )
    }
  }

  @Test func `a property that is stored as JSON has paths`() throws {
    struct Player: TableRecord, Codable {
      struct Info: Codable { var country: String }
      var name: String
      var info: Info?
    }
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let request = Player.filter { $0.info.asJSON["country"] == "FR" }
        .select({ $0.name }, as: String.self)
      #expect(try request.fetchAll(db) == ["Arthur"])
    }
  }

  @Test func `JSON is changed in place`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let changed = Database.jsonSet(Self.info, ["$.country": "DE"])
      try Self.player.filter(Self.name == "Arthur").updateAll(db, Self.info.set(to: changed))
      #expect(
        try Self.player.select(Self.info["country"], as: String.self).fetchAll(db)
          == ["DE", "IT"])
    }
  }

  @Test func `an index of a path serves filters on it`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let country = Self.info.jsonExtract(atPath: "$.country")
      let team = Self.info["team"]
      try db.execute(
        sql: """
          CREATE INDEX player_country ON player (\(country.quotedSQL(db)));
          CREATE INDEX player_team ON player (\(team.quotedSQL(db)));
          INSERT INTO player VALUES ('Claude', '{"team": "red"}');
          """)
      for condition in [country == "FR", team == "red"] {
        let request = Self.player.filter(condition)
        let plan = try SQLRequest<Row>(
          literal: "EXPLAIN QUERY PLAN SELECT * FROM player WHERE \(condition)"
        ).fetchAll(db)
        #expect(plan.contains { ($0["detail"] as String).contains("USING INDEX") })
        #expect(try request.fetchCount(db) == 1)
      }
    }
  }

  @Test(arguments: [
    ("country", #"'country'"#), ("$.a.b_1[#-1]", #"'$.a.b_1[#-1]'"#), ("it's", "?"), ("a@b", "?"),
    (String(repeating: "a", count: 101), "?"), ("$.naïve", "?"),
  ])
  func `paths that are plain names are written out, and no others`(
    _ path: String, _ sql: String
  ) throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db in
      let request = SQLRequest<Row>(
        literal: "SELECT \(Self.info[path]), \(Self.info.jsonExtract(atPath: path)) FROM player")
      let statement = try request.makePreparedRequest(db).statement
      #expect(
        statement.sql
          == #"SELECT "info" ->> \#(sql), JSON_EXTRACT("info", \#(sql)) FROM player"#)
    }
  }

  @Test func `generated columns and indexes are made of JSON`() throws {
    try EncryptedQueue.with { db in
      let address = JSONColumn("address")
      try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("address", .jsonText)
        t.column("country", .text)
          .generatedAs(address.jsonExtract(atPath: "$.country"))
          .indexed()
      }
      try db.create(
        index: "player_on_address", on: "player",
        expressions: [address.jsonExtract(atPath: "$.city"), address["street"]])
      let definitions = try String.fetchAll(
        db, sql: "SELECT sql FROM sqlite_master WHERE name <> 'player_on_country' ORDER BY name")
      #expect(
        definitions == [
          """
          CREATE TABLE "player" ("id" INTEGER PRIMARY KEY, "address" TEXT, \
          "country" TEXT GENERATED ALWAYS AS (JSON_EXTRACT("address", '$.country')) VIRTUAL)
          """,
          """
          CREATE INDEX "player_on_address" ON "player"\
          (JSON_EXTRACT("address", '$.city'), "address" ->> 'street')
          """,
        ])
      try db.execute(
        sql: "INSERT INTO player (address) VALUES (?)",
        arguments: [#"{"street": "Rue de Belleville", "city": "Paris", "country": "France"}"#])
      let player = Table("player")
      #expect(try player.select(Column("country"), as: String.self).fetchAll(db) == ["France"])
      #expect(
        try player.filter(address.jsonExtract(atPath: "$.city") == "Paris").fetchCount(db) == 1)
    }
  }

  @Test func `JSON functions take what a subquery gives`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let names = Self.player.select(Database.jsonGroupArray(Self.name))
      let request = SQLRequest<String>(
        literal: "SELECT \(Database.jsonObject(["names": names.asJSON]))")
      #expect(try request.fetchOne(db) == #"{"names":["Arthur","[1]"]}"#)
    }
  }

  @Test func `elements of JSON are rows of requests`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, tags TEXT);
      INSERT INTO note VALUES (1, '["a", "b"]'), (2, '[]'), (3, NULL), (4, '{"x": {"y": "b"}}');
      """
    ) { db throws in
      let json = #"{"list": [1, "two", null, 2.5], "object": {}}"#
      let list = Database.jsonEach(json, atPath: "$.list")
      let elements = try Row.fetchAll(db, list).map { try JSONElement(row: $0) }
      #expect(elements.map(\.key) == [0, 1, 2, 3].map(\.databaseValue))
      #expect(elements.map(\.type) == ["integer", "text", "null", "real"])
      #expect(elements.map(\.fullKey) == (0..<4).map { "$.list[\($0)]" })
      #expect(elements.allSatisfy { $0.parent == nil && $0.path == "$.list" })
      #expect(
        try list.filter { $0.type != "null" }.order { $0.value.desc }
          .select({ $0.value }, as: DatabaseValue.self).fetchCount(db) == 3)
      let leaves = Database.jsonTree(json).filter { $0.atom != nil }
      #expect(try Row.fetchAll(db, leaves.select { $0.fullKey }).count == 3)
      #expect(try Database.jsonTree(json, atPath: "$.object").fetchCount(db) == 1)

      // In the query for a table.
      let note = Table("note")
      let tags = JSONColumn("tags")
      let each = note.filter(tags.jsonEach().filter { $0.value == "b" }.exists())
      #expect(try Row.fetchAll(db, each).map { $0["id"] as Int } == [1])
      let tree = note.filter(tags.jsonTree().filter { $0.value == "b" }.exists())
      #expect(try Row.fetchAll(db, tree).map { $0["id"] as Int } == [1, 4])
      let contained = note.filter(tags.jsonEach().select { $0.value }.contains("a"))
      #expect(try Row.fetchAll(db, contained).map { $0["id"] as Int } == [1])
      let at = note.filter(tags.jsonEach(atPath: "$.x").exists())
      #expect(try Row.fetchAll(db, at).map { $0["id"] as Int } == [4])
      let sql = try Self.sql(db, tags.jsonTree(atPath: "$.x").filter { $0.key == "y" })
      #expect(sql.contains(#"(SELECT * FROM json_tree("tags", '$.x'))"#))
      #expect(sql.hasSuffix(#" WHERE "key" = 'y')"#))
    }
  }
}
