import CSQLCipher
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct StatementLookupTests {
  private let schema = "CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'x')"

  private func expandedSQL(_ statement: Statement) -> String? {
    guard let text = sqlite3_expanded_sql(statement.sqliteStatement) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  @Test func `a look-up gives a row, and forgets its value afterwards`() throws {
    try EncryptedQueue.with(schema) { db in
      let statement = try db.makeStatement(sql: "SELECT * FROM t WHERE a = ?")
      let row = Row(statement: statement)
      #expect(try statement.lookUp(1.databaseValue) == .found)
      #expect(statement.isActive)
      #expect(row["b"] == "x")
      statement.endLookup()
      #expect(!statement.isActive)
      #expect(expandedSQL(statement) == "SELECT * FROM t WHERE a = NULL")
      #expect(try statement.lookUp(2.databaseValue) == .none)
      #expect(!statement.isActive)
      #expect(expandedSQL(statement) == "SELECT * FROM t WHERE a = NULL")
      try db.execute(sql: "DROP TABLE t")
    }
  }

  @Test func `a change of the schema is reported`() throws {
    let database = try EncryptedQueue(schema)
    let other = try database.other()
    try database.queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "SELECT * FROM t WHERE a = ?")
      #expect(try statement.lookUp(1.databaseValue) == .found)
      statement.endLookup()
      try other.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
      #expect(try statement.lookUp(1.databaseValue) == .needsRequest)
      #expect(!statement.isActive)
      try other.inDatabase { try $0.execute(sql: "DROP TABLE t") }
      #expect(try statement.lookUp(1.databaseValue) == .needsRequest)
      #expect(!statement.isActive)
      #expect(expandedSQL(statement) == "SELECT * FROM t WHERE a = NULL")
    }
  }

  @Test func `errors that are no change of the schema are thrown`() throws {
    try EncryptedQueue.with(schema) { db in
      let statement = try db.makeStatement(sql: "SELECT zeroblob(?) FROM t")
      let error = databaseError { try statement.lookUp(Int.max.databaseValue) }
      #expect(error?.resultCode == .SQLITE_TOOBIG)
      #expect(!statement.isActive)
      #expect(try statement.lookUp(1.databaseValue) == .found)
      statement.endLookup()
    }
  }
}
