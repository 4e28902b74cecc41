import Coffer
import CofferTestSupport
import Testing

@Suite("JSON functions of documents") struct JSONListFunctionTests {
  private func value(_ sql: String, _ arguments: StatementArguments = []) throws -> DatabaseValue {
    try EncryptedQueue().queue.read { db in
      try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)", arguments: arguments) ?? .null
    }
  }

  @Test(arguments: [
    ("[1, 2]", "$", 2), (" {\"a\": {\"b\": 1}, \"c\": 2} ", "$", 2),
    ("{\"a\":[true,[],{}]}", "$.a", 3), ("[]", "$", 0), ("{}", "$", 0),
  ])
  func `elements and members are counted`(_ json: String, _ path: String, _ count: Int) throws {
    #expect(try value("coffer_json_count(?, ?)", [json, path]) == count.databaseValue)
  }

  @Test(arguments: ["1", "\"[]\"", "null", "[1,", "[1],", ""])
  func `a value that is no list has no number of elements`(_ json: String) throws {
    #expect(try value("coffer_json_count(?, '$')", [json]).isNull)
    #expect(try value("coffer_json_contains(?, '$', 1)", [json]).isNull)
  }

  @Test func `elements are found`() throws {
    let json = #"["a", "\u00e9\"", 1, 2.5, true, null, {"a":[1]}, [1,2]]"#
    let isThere: [any DatabaseValueConvertible] = [
      "a", "é\"", 1, 2.5, DatabaseValue.null, "{\"a\":[1]}", "[1,2]",
    ]
    for element in isThere {
      #expect(
        try value("coffer_json_contains(?, '$', ?)", [json, element]) == 1.databaseValue)
    }
    for element in ["b", "A", "a "] {
      #expect(
        try value("coffer_json_contains(?, '$', ?)", [json, element]) == 0.databaseValue)
    }
    #expect(try value("coffer_json_contains('{\"a\":1}', '$', 1)").isNull)
    #expect(try value("coffer_json_contains(NULL, '$', 1)").isNull)
  }

  @Test(arguments: [
    (#"{"a":1,"x":2}"#, #"{"a":3}"#, #"{"a":0}"#, #"{"a":3,"x":2}"#),
    (#"{"a":1,"b":2}"#, #"{"a":3}"#, #"{"a":0,"b":0}"#, #"{"a":3}"#),
    (
      #"{"g":{"lat":1,"x":[1]},"y":null}"#, #"{"g":{"lat":2}}"#, #"{"g":{"lat":0}}"#,
      #"{"g":{"lat":2,"x":[1]},"y":null}"#
    ),
    (#"{"g":{"x":1}}"#, #"{"g":null}"#, #"{"g":{"lat":0}}"#, #"{"g":null}"#),
    (#"{"g":7}"#, #"{"g":{"lat":2}}"#, #"{"g":{"lat":0}}"#, #"{"g":{"lat":2}}"#),
    (#"{"\u0061":1}"#, #"{}"#, #"{"a":0}"#, #"{}"#),
    (#"[1]"#, #"{"a":3}"#, #"{"a":0}"#, #"{"a":3}"#),
    (#"no"#, #"{"a":3}"#, #"{"a":0}"#, #"{"a":3}"#), (#"{"x":1}"#, #"[2]"#, #"{"a":0}"#, #"[2]"#),
  ])
  func `members that a writer doesn't know are kept`(
    _ old: String, _ new: String, _ known: String, _ result: String
  ) throws {
    #expect(
      try value("coffer_json_keep(?, ?, ?)", [old, new, known]) == result.databaseValue)
    #expect(try value("coffer_json_keep(NULL, ?, ?)", [new, known]) == new.databaseValue)
    #expect(try value("coffer_json_keep(?, NULL, ?)", [old, known]).isNull)
  }
}
