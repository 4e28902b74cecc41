@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite(.enabled(if: SQLiteFeatures.linked.hasJSONB))
struct JSONBFunctionTests {
  private static let name = JSONPlayers.name
  private static let info = JSONPlayers.info

  /// A blob, and the text that it stands for.
  struct Case: Sendable, CustomTestStringConvertible {
    let expression: SQLExpression
    let sql: String
    let json: String

    init(_ expression: SQLExpression, _ sql: String, _ json: String) {
      self.expression = expression
      self.sql = sql
      self.json = json
    }

    var testDescription: String { sql }
  }

  @Test(arguments: [
    Case(Database.jsonb(info["scores"]), #"JSONB("info" ->> 'scores')"#, "[1,2,3]"),
    Case(Database.jsonbArray([1, 2]), "JSONB_ARRAY(1, 2)", "[1,2]"),
    Case(
      Database.jsonbArray(
        [name, "[1]".databaseValue.asJSON, Database.jsonbArray([2])] as [any SQLExpressible]),
      #"JSONB_ARRAY("name", JSONB('[1]'), JSONB_ARRAY(2))"#, #"["Arthur",[1],[2]]"#),
    Case(Database.jsonbObject(["a": 2]), "JSONB_OBJECT('a', 2)", #"{"a":2}"#),
    Case(
      Database.jsonbObject(["a": name, "b": info] as KeyValuePairs<String, any SQLExpressible>),
      #"JSONB_OBJECT('a', "name", 'b', JSONB("info"))"#,
      #"{"a":"Arthur","b":{"country":"FR","scores":[1,2,3],"team":null}}"#),
    Case(
      Database.jsonbExtract(info, atPath: "$.scores"), #"JSONB_EXTRACT("info", '$.scores')"#,
      "[1,2,3]"),
    Case(
      Database.jsonbExtract(info, atPaths: ["$.country", "$.team"]),
      #"JSONB_EXTRACT("info", '$.country', '$.team')"#, #"["FR",null]"#),
    Case(
      Database.jsonbInsert("[1]", ["$[#]": "[2]".databaseValue.asJSON]),
      "JSONB_INSERT('[1]', '$[#]', JSONB('[2]'))", "[1,[2]]"),
    Case(
      Database.jsonbReplace("[1]", ["$[0]": name]), #"JSONB_REPLACE('[1]', '$[0]', "name")"#,
      #"["Arthur"]"#),
    Case(Database.jsonbSet("{}", ["$.a": 1]), "JSONB_SET('{}', '$.a', 1)", #"{"a":1}"#),
    Case(
      Database.jsonbPatch(#"{"a":1}"#, with: #"{"b":2}"#),
      #"JSONB_PATCH('{"a":1}', '{"b":2}')"#, #"{"a":1,"b":2}"#),
    Case(Database.jsonbRemove("[1,2]", atPath: "$[0]"), "JSONB_REMOVE('[1,2]', '$[0]')", "[2]"),
    Case(
      Database.jsonbRemove("[1,2,3]", atPaths: ["$[0]", "$[0]"]),
      "JSONB_REMOVE('[1,2,3]', '$[0]', '$[0]')", "[3]"),
    Case(
      Database.jsonbGroupArray(name, orderBy: name.desc, filter: name != nil),
      #"JSONB_GROUP_ARRAY("name" ORDER BY "name" DESC) FILTER (WHERE "name" IS NOT NULL)"#,
      #"["[1]","Arthur"]"#),
    Case(
      Database.jsonbGroupObject(key: name, value: info["country"]),
      #"JSONB_GROUP_OBJECT("name", "info" ->> 'country')"#, #"{"Arthur":"FR","[1]":"IT"}"#),
  ])
  func `functions give JSON in the binary format`(_ example: Case) throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      #expect(try example.expression.quotedSQL(db) == example.sql)
      let request = SQLRequest<Row>(
        literal: """
          SELECT typeof(\(example.expression)), json(\(example.expression)) FROM player LIMIT 1
          """)
      #expect(try request.fetchOne(db)?.values == values("blob", example.json))
    }
  }

  @Test(arguments: [
    JSONCase(Database.jsonErrorPosition("[1,}"), "JSON_ERROR_POSITION('[1,}')", 4),
    JSONCase(Database.jsonErrorPosition(info), #"JSON_ERROR_POSITION("info")"#, 0),
    JSONCase(Database.jsonIsValid("{a:1}", options: .json), "JSON_VALID('{a:1}', 1)", 0),
    JSONCase(Database.jsonIsValid("{a:1}", options: .json5), "JSON_VALID('{a:1}', 2)", 1),
    JSONCase(
      Database.jsonIsValid(Database.jsonb("[1]"), options: .probablyJSONB),
      "JSON_VALID(JSONB('[1]'), 4)", 1),
    JSONCase(
      Database.jsonIsValid(Database.jsonb("[1]"), options: [.json, .jsonb]),
      "JSON_VALID(JSONB('[1]'), 9)", 1),
    JSONCase(
      Database.jsonIsValid(Database.jsonb("[1]"), options: .json), "JSON_VALID(JSONB('[1]'), 1)", 0),
  ])
  func `JSON is checked with options`(_ example: JSONCase) throws { try example.check() }

  @Test func `a column of binary JSON is read as one of text`() throws {
    try EncryptedQueue.with("CREATE TABLE player (info BLOB)") { db throws in
      let info = Self.info
      try db.execute(
        literal: """
          INSERT INTO player VALUES (\(Database.jsonb(#"{"country":"FR","tags":["a"]}"#)))
          """)
      let request = SQLRequest<Row>(
        literal: """
          SELECT \(info["country"]), \(info.jsonRepresentation(atPath: "tags")),
            \(Database.jsonArray([info])) FROM player
          """)
      #expect(
        try request.fetchOne(db)?.values
          == values("FR", #"["a"]"#, #"[{"country":"FR","tags":["a"]}]"#))
    }
  }
}
