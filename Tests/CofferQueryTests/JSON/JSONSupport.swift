@testable import CofferCore
@testable import CofferQuery
import CofferTestSupport
import Testing

/// The SQL function that parses values declared to be JSON.
let parse = SQLiteFeatures.linked.hasJSONB ? "JSONB" : "JSON"

/// Two players with a name, which is text, and an info, which is JSON.
enum JSONPlayers {
  static let schema = """
    CREATE TABLE player (name TEXT, info TEXT);
    INSERT INTO player VALUES
      ('Arthur', '{"country": "FR", "scores": [1, 2, 3], "team": null}'),
      ('[1]', '{"country": "IT", "scores": [], "captain": true}');
    """
  static let name = Column("name")
  static let info = JSONColumn("info")
}

/// An expression, its SQL, and its value for the first player.
struct JSONCase: Sendable, CustomTestStringConvertible {
  let expression: SQLExpression
  let sql: String
  let value: DatabaseValue

  init(_ expression: SQLExpression, _ sql: String, _ value: (any DatabaseValueConvertible)?) {
    self.expression = expression
    self.sql = sql
    self.value = value?.databaseValue ?? .null
  }

  var testDescription: String { sql }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try EncryptedQueue.with(JSONPlayers.schema) { db throws in
      #expect(try expression.quotedSQL(db) == sql, sourceLocation: sourceLocation)
      let request = SQLRequest<DatabaseValue>(literal: "SELECT \(expression) FROM player LIMIT 1")
      #expect(try request.fetchOne(db) == value, sourceLocation: sourceLocation)
    }
  }
}
