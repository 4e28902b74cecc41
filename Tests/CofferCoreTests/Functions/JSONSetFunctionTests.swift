@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("coffer_json_set") struct JSONSetFunctionTests {
  private static func result(
    _ json: (any DatabaseValueConvertible)?, _ path: String?,
    _ value: (any DatabaseValueConvertible)?
  ) throws -> DatabaseValue {
    let database = try EncryptedQueue()
    return try database.use { db in
      try DatabaseValue.fetchOne(
        db, sql: "SELECT coffer_json_set(?, ?, ?)", arguments: [json, path, value]) ?? .null
    }
  }

  static let changed: [(String, String, String, String)] = [
    (#"{"a":1,"b":2}"#, "$.a", "3", #"{"a":3,"b":2}"#),
    (#"{ "a" : 1 , "b" : [1, 2] }"#, "$.b", "{}", #"{ "a" : 1 , "b" : {} }"#),
    (#"{"a":{"b":{"c":"x"}}}"#, "$.a.b.c", #""y\"z""#, #"{"a":{"b":{"c":"y\"z"}}}"#),
    (#"{"a":[1,{"b":2}]}"#, "$.a[1].b", "null", #"{"a":[1,{"b":null}]}"#),
    (#"{"a":[1,2]}"#, "$.a[0]", "true", #"{"a":[true,2]}"#),
    (#"[1]"#, "$", "2", "2"),
    (#"{"a":1,"a":2}"#, "$.a", "3", #"{"a":3,"a":2}"#),
    (#"{"é":1}"#, "$.é", "2", #"{"é":2}"#),
    (#"{"\u00e9":1}"#, "$.é", "2", #"{"\u00e9":2}"#),
    // Members that are missing.
    (#"{}"#, "$.a", "1", #"{"a":1}"#), (#"{ }"#, "$.a", "1", #"{ "a":1}"#),
    (#"{"a":1}"#, "$.b", #""x""#, #"{"a":1,"b":"x"}"#),
    (#"{"a":{}}"#, "$.a.b", "[]", #"{"a":{"b":[]}}"#),
    (#"{"a":1}"#, #"$."street 2""#, "1", #"{"a":1,"street 2":1}"#),
    (#"{"a":1}"#, #"$."say \"hi\"""#, "1", #"{"a":1,"say \"hi\"":1}"#),
    // Nowhere to put it.
    (#"{"a":1}"#, "$.b.c", "1", #"{"a":1}"#), (#"{"a":null}"#, "$.a.b", "1", #"{"a":null}"#),
    (#"{"a":[1]}"#, "$.a.b", "1", #"{"a":[1]}"#), (#"{"a":[1]}"#, "$.a[1]", "1", #"{"a":[1]}"#),
    ("{", "$.a", "1", "{"), ("", "$.a", "1", ""), ("x", "$", "1", "x"),
  ]

  @Test(arguments: changed)
  func `one value is changed, and the rest stays as it is written`(
    json: String, path: String, value: String, result: String
  ) throws {
    #expect(try Self.result(json, path, value) == result.databaseValue)
    #expect(try Self.result(Data(json.utf8), path, Data(value.utf8)) == result.databaseValue)
  }

  @Test func `numbers and NULL stand for themselves`() throws {
    #expect(try Self.result(#"{"a":1}"#, "$.a", 7) == #"{"a":7}"#.databaseValue)
    #expect(try Self.result(#"{"a":1}"#, "$.a", -1.5) == #"{"a":-1.5}"#.databaseValue)
    #expect(try Self.result(#"{"a":1}"#, "$.a", nil) == #"{"a":null}"#.databaseValue)
  }

  @Test func `a value that isn't JSON text stays as it is`() throws {
    #expect(try Self.result(nil, "$.a", "1").isNull)
    #expect(try Self.result(5, "$.a", "1") == 5.databaseValue)
    #expect(try Self.result("{}", nil, "1") == "{}".databaseValue)
  }

  @Test(arguments: ["Rome", "", "{", "[1,]", "1 2", "nul"])
  func `a value that is no JSON is an error that doesn't show it`(value: String) throws {
    let error = databaseError { try Self.result(#"{"a":"secret"}"#, "$.a", value) }
    #expect(error?.resultCode == .SQLITE_ERROR)
    #expect(error?.message?.contains("third argument") == true)
    #expect(error.map { "\($0)".contains("secret") } == false)
    #expect(databaseError { try Self.result("{}", "$.a", Double.infinity) } != nil)
    #expect(databaseError { try Self.result("{}", "$.a", Data([0xFF])) } != nil)
  }

  @Test(arguments: ["", "a", "$a", "$.", "$["])
  func `a text that isn't a path is an error`(path: String) throws {
    let error = databaseError { try Self.result("{}", path, "1") }
    #expect(error?.message?.contains("second argument") == true)
  }

  @Test func `big texts and deep ones are changed`() throws {
    let list = "[" + Array(repeating: "\"x\"", count: 100_000).joined(separator: ",") + "]"
    let result = try Self.result(#"{"list":\#(list),"b":1}"#, "$.b", "2")
    #expect(result == #"{"list":\#(list),"b":2}"#.databaseValue)
    let deep = String(repeating: #"{"a":"#, count: 900) + "1" + String(repeating: "}", count: 900)
    let path = "$" + String(repeating: ".a", count: 900)
    let changed = try Self.result(deep, path, "2")
    #expect(changed == deep.replacing("1", with: "2").databaseValue)
  }
}
