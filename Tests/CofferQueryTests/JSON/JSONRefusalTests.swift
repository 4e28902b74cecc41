@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

/// Errors about functions that an old SQLite lacks.
@Suite(.enabled(if: !SQLiteFeatures.linked.hasJSON))
struct JSONRefusalTests {
  private static let info = JSONPlayers.info

  private static func error(_ expression: SQLExpression) throws -> DatabaseError? {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      databaseError {
        try SQLRequest<DatabaseValue>(literal: "SELECT \(expression) FROM player").fetchAll(db)
      }
    }
  }

  @Test(arguments: [
    Database.json(info), Database.jsonArray([1]), Database.jsonArray([] as [Int]),
    Database.jsonObject(["a": 1]), Database.jsonExtract(info, atPath: "$.a"), info["a"],
    info.jsonRepresentation(atPath: "a"), Database.jsonGroupArray(info),
    Database.jsonGroupObject(key: "a", value: 1), info["a"] == 1,
    Database.jsonSet(info, ["$.a": 1]),
  ])
  func `JSON names the version that it needs`(_ expression: SQLExpression) throws {
    #expect(try Self.error(expression)?.message == "JSON needs SQLite 3.38.0 or later")
  }

  @Test(arguments: [
    Database.jsonb(info), Database.jsonbArray([1]), Database.jsonbGroupArray(info),
    Database.jsonbSet(info, ["$.a": 1]),
  ])
  func `JSONB names the version that it needs`(_ expression: SQLExpression) throws {
    #expect(try Self.error(expression)?.message == "JSONB needs SQLite 3.45.0 or later")
  }

  @Test func `single functions name the version that they need`() throws {
    #expect(
      try Self.error(Database.jsonErrorPosition(Self.info))?.message
        == "JSON_ERROR_POSITION needs SQLite 3.42.0 or later")
    #expect(
      try Self.error(Database.jsonIsValid(Self.info, options: .json))?.message
        == "JSON_VALID with options needs SQLite 3.45.0 or later")
  }

  @Test func `a JSON column whose functions aren't used is like any column`() throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      let request = SQLRequest<String>(
        literal: "SELECT \(Self.info) FROM player WHERE \(Self.info.asJSON != nil)")
      #expect(try request.fetchAll(db).count == 2)
    }
  }
}
