@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite("coffer_json") struct JSONFunctionTests {
  private static func value(_ json: String, _ path: String) -> DatabaseValue {
    json.withContiguousBytes { json in
      path.withContiguousBytes { JSONScanner.value(in: json, at: $0) }
    }
  }

  private static let person = """
    {"name":"Ann","age":41,"score":1.5,"big":18446744073709551615,"low":-9223372036854775808,
     "exp":1e3,"on":true,"off":false,"none":null,"address":{"city":"Rom","geo":[1,[2,3],{"x":4}]},
     "tags":["a","b"],"":"empty","a.b":"dot","say \\"hi\\"":"quote","\\u00e9":"accent"}
    """

  static let found: [(String, DatabaseValue)] = [
    ("$.name", "Ann".databaseValue), ("$.age", 41.databaseValue), ("$.score", 1.5.databaseValue),
    ("$.big", 18446744073709551615.0.databaseValue), ("$.low", Int64.min.databaseValue),
    ("$.exp", 1000.0.databaseValue), ("$.on", 1.databaseValue), ("$.off", 0.databaseValue),
    ("$.none", .null), ("$.address.city", "Rom".databaseValue),
    ("$.address.geo", "[1,[2,3],{\"x\":4}]".databaseValue), ("$.address.geo[0]", 1.databaseValue),
    ("$.address.geo[1][1]", 3.databaseValue), ("$.address.geo[2].x", 4.databaseValue),
    ("$.tags[1]", "b".databaseValue), ("$.\"name\"", "Ann".databaseValue),
    ("$.\"\"", "empty".databaseValue), ("$.\"a.b\"", "dot".databaseValue),
    ("$.\"say \\\"hi\\\"\"", "quote".databaseValue), ("$.é", "accent".databaseValue),
    ("$.\"\\u00E9\"", "accent".databaseValue),
  ]

  @Test(arguments: found)
  func `a value is found with the type of SQL that it has`(path: String, value: DatabaseValue) {
    #expect(Self.value(Self.person, path).storage == value.storage)
  }

  @Test(arguments: [
    "$.nothing", "$.name.x", "$.name[0]", "$.address[0]", "$.tags[2]", "$.tags.a",
    "$.address.City", "$.tags[99999999999999999999]",
  ])
  func `a path that leads nowhere gives NULL`(path: String) {
    #expect(Self.value(Self.person, path).isNull)
  }

  @Test(arguments: ["", "name", "$.", "$name", "$[", "$[]", "$[x]", "$[-1]", "$.\"name", "$.a..b"])
  func `a text that isn't a path gives NULL`(path: String) {
    #expect(Self.value(Self.person, path).isNull)
    #expect(Self.value("{\"\":1}", path).isNull)
  }

  @Test(arguments: [
    "", " ", "{", "}", "{\"a\":1", "{\"a\":1}}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{a:1}",
    "{\"a\":01}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":.5}",
    "{\"a\":1,\"b\":nul}", "{\"a\":1,\"b\":\"x}", "{\"a\":1,\"b\":\"\\x\"}",
    "{\"a\":1,\"b\":\"\\u12g4\"}", "{\"a\":1,\"b\":\"\\u12\"}", "{\"a\":1,\"b\":[1,]}",
    "{\"a\":1,\"b\":\"\u{1}\"}", "{\"a\":1} x", "{\"a\":1,\"b\":NaN}", "'a'",
  ])
  func `a text that is no JSON has no values, not even before the mistake`(json: String) {
    #expect(Self.value(json, "$.a").isNull)
    #expect(Self.value(json, "$").isNull)
  }

  @Test func `a text that ends too soon has no values, and no byte of it can do harm`() {
    let bytes = Array(Self.person.utf8)
    for count in bytes.indices {
      let json = String(decoding: bytes[..<count], as: UTF8.self)
      #expect(Self.value(json, "$.name").isNull, "\(count) bytes")
    }
    let path = Array("$.address.geo[2].x".utf8)
    for byte: UInt8 in [0, 0x22, 0x5C, 0x5B, 0x7D, 0x2C, 0x39, 0xFF] {
      for index in bytes.indices {
        var json = bytes
        json[index] = byte
        json.withUnsafeBytes { json in
          path.withUnsafeBytes { _ = JSONScanner.value(in: json, at: $0) }
        }
      }
      for index in path.indices {
        var path = path
        path[index] = byte
        bytes.withUnsafeBytes { json in
          path.withUnsafeBytes { _ = JSONScanner.value(in: json, at: $0) }
        }
      }
    }
  }

  @Test func `the root may be any value`() {
    #expect(Self.value(" 12 ", "$").storage == 12.databaseValue.storage)
    #expect(Self.value("\"x\"", "$").storage == "x".databaseValue.storage)
    #expect(Self.value("[ ]", "$").storage == "[ ]".databaseValue.storage)
    #expect(Self.value("{ }", "$").storage == "{ }".databaseValue.storage)
    #expect(Self.value("-0.5e-1", "$").storage == (-0.05).databaseValue.storage)
    #expect(Self.value("null", "$").isNull)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u4e2d""#, "Aé中"),
    (#""\ud83d\ude00!""#, "😀!"), (#""\ud83d""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
    (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""a\u0000b""#, "a\0b"), (#""é😀""#, "é😀"), (#""""#, ""),
  ])
  func `the escapes of a text are decoded`(json: String, text: String) {
    #expect(Self.value(json, "$").storage == text.databaseValue.storage)
  }

  @Test func `the first of several members of a name counts`() {
    #expect(Self.value("{\"a\":1,\"a\":2}", "$.a").storage == 1.databaseValue.storage)
    #expect(Self.value("{\"a\":{},\"a\":{\"b\":2}}", "$.a.b").isNull)
  }

  @Test func `deep and long JSON neither ends the process nor hides values`() {
    let deep = String(repeating: "[", count: 900) + "7" + String(repeating: "]", count: 900)
    let path = "$" + String(repeating: "[0]", count: 900)
    #expect(Self.value(deep, path).storage == 7.databaseValue.storage)
    #expect(Self.value(String(repeating: "[", count: 1_000_000), "$").isNull)
    let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(Self.value("{\(members)}", "$.k19999").storage == 19999.databaseValue.storage)
  }

  @Test func `what Foundation encodes is read back`() throws {
    struct Inner: Codable { var text: String, number: Double, list: [Int] }
    struct Outer: Codable { var inner: Inner }
    let texts = ["", "é\u{301}", "\"\\/\n\u{7F}\u{2028}", "a\0b", "😀"]
    for text in texts {
      for number in [0, -0.0, 1, 1.5, -1e300, 1e-7, 123456789.125] {
        let value = Outer(inner: Inner(text: text, number: number, list: [3]))
        let json = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        #expect(Self.value(json, "$.inner.text").storage == text.databaseValue.storage)
        #expect(Double.fromDatabaseValue(Self.value(json, "$.inner.number")) == number)
        #expect(Self.value(json, "$.inner.list[0]").storage == 3.databaseValue.storage)
      }
    }
  }

  // MARK: In SQL

  @Test func `every connection knows the function, and indexes may use it`() throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, j);
      CREATE INDEX i ON t(coffer_json("j", '$.city'));
      INSERT INTO t VALUES (1, '{"city":"Rom"}'), (2, '{"city":"Oslo"}'), (3, NULL), (4, 'no'),
        (5, 5), (6, x'7B2263697479223A226266227D');
      """)
    let other = try database.other()
    for queue in [database.queue, other] {
      try queue.read { db throws in
        let sql = "SELECT id FROM t WHERE coffer_json(\"j\", '$.city') = 'Oslo'"
        #expect(try Int.fetchAll(db, sql: sql) == [2])
        let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql)
        #expect(plan.contains { ($0["detail"] as String).contains("INDEX i") })
        #expect(
          try String?.fetchAll(db, sql: "SELECT coffer_json(j, '$.city') FROM t ORDER BY id")
            == ["Rom", "Oslo", nil, nil, nil, "bf"])
        #expect(try Row.fetchOne(db, sql: "SELECT coffer_json('{}', NULL)")?[0] as Int? == nil)
      }
    }
    try database.use { db throws in
      expectFailure(.SQLITE_ERROR) { try db.execute(sql: "SELECT coffer_json('{}')") }
    }
  }
}

extension String {
  fileprivate func withContiguousBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
