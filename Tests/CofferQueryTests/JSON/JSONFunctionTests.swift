@testable import CofferCore
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite(.enabled(if: SQLiteFeatures.linked.hasJSON))
struct JSONFunctionTests {
  private static let name = JSONPlayers.name
  private static let info = JSONPlayers.info

  // MARK: Reading

  @Test(arguments: [
    JSONCase(
      Database.json(info), #"JSON("info")"#, #"{"country":"FR","scores":[1,2,3],"team":null}"#),
    JSONCase(Database.json(" [ 1 ] "), "JSON(' [ 1 ] ')", "[1]"),
    JSONCase(Database.jsonIsValid(info), #"JSON_VALID("info")"#, 1),
    JSONCase(Database.jsonIsValid(name), #"JSON_VALID("name")"#, 0),
    JSONCase(Database.jsonType(info), #"JSON_TYPE("info")"#, "object"),
    JSONCase(
      Database.jsonType(info, atPath: "$.scores"), #"JSON_TYPE("info", '$.scores')"#, "array"),
    JSONCase(Database.jsonType(info, atPath: "$.x"), #"JSON_TYPE("info", '$.x')"#, nil),
    JSONCase(Database.jsonArrayLength("[1, 2]"), "JSON_ARRAY_LENGTH('[1, 2]')", 2),
    JSONCase(
      Database.jsonArrayLength(info, atPath: "$.scores"),
      #"JSON_ARRAY_LENGTH("info", '$.scores')"#, 3),
    JSONCase(
      Database.jsonExtract(info, atPath: "$.country"), #"JSON_EXTRACT("info", '$.country')"#, "FR"),
    JSONCase(
      Database.jsonExtract(info, atPaths: ["$.country", "$.scores[0]"]),
      #"JSON_EXTRACT("info", '$.country', '$.scores[0]')"#, #"["FR",1]"#),
  ])
  func `functions read JSON`(_ example: JSONCase) throws { try example.check() }

  @Test(arguments: [
    JSONCase(info["country"], #""info" ->> 'country'"#, "FR"),
    JSONCase(info["scores"], #""info" ->> 'scores'"#, "[1,2,3]"),
    JSONCase(info["$.scores[1]"], #""info" ->> '$.scores[1]'"#, 2),
    JSONCase(info["team"], #""info" ->> 'team'"#, nil),
    JSONCase(info["x"], #""info" ->> 'x'"#, nil),
    JSONCase(info.jsonRepresentation(atPath: "country"), #""info" -> 'country'"#, #""FR""#),
    JSONCase(info.jsonRepresentation(atPath: "team"), #""info" -> 'team'"#, "null"),
    JSONCase(
      info.jsonRepresentation(atPath: "scores").asJSON[0], #"("info" -> 'scores') ->> 0"#, 1),
    JSONCase(
      info.jsonExtract(atPath: "$.scores"), #"JSON_EXTRACT("info", '$.scores')"#, "[1,2,3]"),
    JSONCase(
      info.jsonExtract(atPaths: ["$.team", "$.country"]),
      #"JSON_EXTRACT("info", '$.team', '$.country')"#, #"[null,"FR"]"#),
    JSONCase(info["country"] == "FR", #"("info" ->> 'country') = 'FR'"#, 1),
    JSONCase(info["team"] == nil, #"("info" ->> 'team') IS NULL"#, 1),
    JSONCase(info["scores"].asJSON[2] + 1, #"(("info" ->> 'scores') ->> 2) + 1"#, 4),
    JSONCase(abs(info["$.scores[0]"] - 5), #"ABS(("info" ->> '$.scores[0]') - 5)"#, 4),
  ])
  func `a JSON column has paths`(_ example: JSONCase) throws { try example.check() }

  // MARK: Building

  @Test(arguments: [
    JSONCase(Database.jsonArray(1...3), "JSON_ARRAY(1, 2, 3)", "[1,2,3]"),
    JSONCase(Database.jsonArray([1, nil, 3] as [Int?]), "JSON_ARRAY(1, NULL, 3)", "[1,null,3]"),
    JSONCase(Database.jsonArray([1, "2", 3.5]), "JSON_ARRAY(1, '2', 3.5)", #"[1,"2",3.5]"#),
    JSONCase(Database.jsonArray([name]), #"JSON_ARRAY("name")"#, #"["Arthur"]"#),
    JSONCase(
      Database.jsonArray([info["country"]]), #"JSON_ARRAY("info" ->> 'country')"#, #"["FR"]"#),
    JSONCase(Database.jsonArray([] as [Int]), "JSON_ARRAY()", "[]"),
    JSONCase(Database.jsonObject(["a": 2]), "JSON_OBJECT('a', 2)", #"{"a":2}"#),
    JSONCase(
      Database.jsonObject(
        ["a": name, "b": info["team"]] as KeyValuePairs<String, any SQLExpressible>),
      #"JSON_OBJECT('a', "name", 'b', "info" ->> 'team')"#, #"{"a":"Arthur","b":null}"#),
    JSONCase(
      Database.jsonObject([("b", 1), ("a", "x")] as [(key: String, value: any SQLExpressible)]),
      "JSON_OBJECT('b', 1, 'a', 'x')", #"{"b":1,"a":"x"}"#),
    JSONCase(Database.jsonQuote(name), #"JSON_QUOTE("name")"#, #""Arthur""#),
    JSONCase(Database.jsonQuote(nil as Int?), "JSON_QUOTE(NULL)", "null"),
  ])
  func `functions build JSON from SQL values`(_ example: JSONCase) throws {
    try example.check()
  }

  @Test(arguments: [
    JSONCase(
      Database.jsonArray([info]), #"JSON_ARRAY(\#(parse)("info"))"#,
      #"[{"country":"FR","scores":[1,2,3],"team":null}]"#),
    JSONCase(
      Database.jsonArray(["[1]", "[2]".databaseValue.asJSON]),
      "JSON_ARRAY('[1]', \(parse)('[2]'))", #"["[1]",[2]]"#),
    JSONCase(
      Database.jsonArray([info["scores"], info["scores"].asJSON] as [any SQLExpressible]),
      #"JSON_ARRAY("info" ->> 'scores', \#(parse)("info" ->> 'scores'))"#, ##"["[1,2,3]",[1,2,3]]"##
    ),
    JSONCase(
      Database.jsonArray([DatabaseValue.null.asJSON]), "JSON_ARRAY(NULL)", "[null]"),
    JSONCase(
      Database.jsonArray(
        [
          info.jsonRepresentation(atPath: "country"),
          info.jsonRepresentation(atPath: "scores").asJSON,
        ] as [any SQLExpressible]),
      #"JSON_ARRAY("info" -> 'country', "info" -> 'scores')"#, #"["FR",[1,2,3]]"#),
    JSONCase(
      Database.jsonArray(
        [Database.jsonArray([1]), Database.json("{}").asJSON] as [any SQLExpressible]),
      "JSON_ARRAY(JSON_ARRAY(1), JSON('{}'))", "[[1],{}]"),
    JSONCase(
      Database.jsonObject(["c": Database.jsonObject(["e": 5])]),
      "JSON_OBJECT('c', JSON_OBJECT('e', 5))", #"{"c":{"e":5}}"#),
    JSONCase(
      Database.jsonObject(["a": "x", "i": "[1]".databaseValue.asJSON] as KeyValuePairs),
      "JSON_OBJECT('a', 'x', 'i', \(parse)('[1]'))", #"{"a":"x","i":[1]}"#),
    JSONCase(
      Database.jsonQuote(info["scores"].asJSON),
      #"JSON_QUOTE(\#(parse)("info" ->> 'scores'))"#, "[1,2,3]"),
    JSONCase(
      Database.jsonSet("{}", ["$.i": info["scores"].asJSON]),
      #"JSON_SET('{}', '$.i', \#(parse)("info" ->> 'scores'))"#, #"{"i":[1,2,3]}"#),
  ])
  func `a JSON value is inserted as JSON, and not as text`(_ example: JSONCase) throws {
    try example.check()
  }

  // MARK: Changing

  @Test(arguments: [
    JSONCase(
      Database.jsonInsert("[1]", ["$[#]": 2]), "JSON_INSERT('[1]', '$[#]', 2)", "[1,2]"),
    JSONCase(
      Database.jsonInsert(#"{"a":1}"#, ["$.a": "x"]), #"JSON_INSERT('{"a":1}', '$.a', 'x')"#,
      #"{"a":1}"#),
    JSONCase(
      Database.jsonReplace(#"{"a":1}"#, ["$.a": name]),
      #"JSON_REPLACE('{"a":1}', '$.a', "name")"#, #"{"a":"Arthur"}"#),
    JSONCase(
      Database.jsonSet(
        info, ["$.country": "DE", "$.team": "red"] as KeyValuePairs<String, any SQLExpressible>),
      #"JSON_SET("info", '$.country', 'DE', '$.team', 'red')"#,
      #"{"country":"DE","scores":[1,2,3],"team":"red"}"#),
    JSONCase(
      Database.jsonPatch(info, with: #"{"scores":null,"team":"red"}"#),
      #"JSON_PATCH("info", '{"scores":null,"team":"red"}')"#,
      #"{"country":"FR","team":"red"}"#),
    JSONCase(
      Database.jsonRemove(info, atPath: "$.scores"), #"JSON_REMOVE("info", '$.scores')"#,
      #"{"country":"FR","team":null}"#),
    JSONCase(
      Database.jsonRemove("[0,1,2]", atPaths: ["$[2]", "$[0]"]),
      "JSON_REMOVE('[0,1,2]', '$[2]', '$[0]')", "[1]"),
  ])
  func `functions change JSON`(_ example: JSONCase) throws { try example.check() }

  // MARK: Aggregates

  @Test(arguments: [
    JSONCase(
      Database.jsonGroupArray(name), #"JSON_GROUP_ARRAY("name")"#, #"["Arthur","[1]"]"#),
    JSONCase(
      Database.jsonGroupArray(name.asJSON, filter: name == "[1]"),
      #"JSON_GROUP_ARRAY(\#(parse)("name")) FILTER (WHERE "name" = '[1]')"#, "[[1]]"),
    JSONCase(
      Database.jsonGroupObject(key: name, value: info.jsonRepresentation(atPath: "scores")),
      #"JSON_GROUP_OBJECT("name", "info" -> 'scores')"#, #"{"Arthur":[1,2,3],"[1]":[]}"#),
    JSONCase(
      Database.jsonGroupObject(key: "k", value: name.asJSON, filter: name != "Arthur"),
      #"JSON_GROUP_OBJECT('k', \#(parse)("name")) FILTER (WHERE "name" <> 'Arthur')"#,
      #"{"k":[1]}"#),
  ])
  func `aggregates build JSON from rows`(_ example: JSONCase) throws { try example.check() }

  @Test(
    .enabled(if: SQLiteFeatures.linked.hasAggregateOrdering),
    arguments: [
      JSONCase(
        Database.jsonGroupArray(name, orderBy: info["country"].desc),
        #"JSON_GROUP_ARRAY("name" ORDER BY "info" ->> 'country' DESC)"#, #"["[1]","Arthur"]"#),
      JSONCase(
        Database.jsonGroupArray(name, orderBy: name, filter: info["captain"] != nil),
        #"JSON_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE ("info" ->> 'captain') IS NOT NULL)"#,
        #"["[1]"]"#),
    ])
  func `aggregated arrays have an order`(_ example: JSONCase) throws { try example.check() }

  @Test func `an aggregate has a window`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let running = Database.jsonGroupArray(Self.name).over(orderBy: Self.name)
      let request = SQLRequest<String>(literal: "SELECT \(running) FROM player")
      #expect(try request.fetchAll(db) == [#"["Arthur"]"#, #"["Arthur","[1]"]"#])
    }
  }
}
