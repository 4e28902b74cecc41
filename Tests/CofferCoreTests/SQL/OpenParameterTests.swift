import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// Statements made of literals take arguments later on, where the literal has no values.
@Suite struct OpenParameterTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 1000), (3, 'Craig', 500);
    """

  @Test func `parameters of a literal are left open`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      let table: SQL = "player"
      for _ in 1...2 {
        for make in [db.makeStatement(literal:), db.cachedStatement(literal:)] {
          let positional = try make("SELECT name FROM \(table) WHERE score > ?")
          expectFailure(.SQLITE_MISUSE) { try String.fetchAll(positional) }
          #expect(try String.fetchAll(positional, arguments: [500]) == ["Barbara"])
          #expect(try String.fetchAll(positional, arguments: [50]).count == 3)
          let named = try make("SELECT name FROM \(table) WHERE score > :low AND id < :end")
          #expect(try String.fetchAll(named, arguments: ["low": 50, "end": 3]).count == 2)
          try named.setArguments(["low": 0, "end": 2])
          #expect(try String.fetchAll(named) == ["Arthur"])
        }
      }
    }
  }

  @Test func `values of a literal are bound`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      for make in [db.makeStatement(literal:), db.cachedStatement(literal:)] {
        let statement = try make("SELECT name FROM player WHERE score > \(500)")
        #expect(try String.fetchAll(statement) == ["Barbara"])
        #expect(try String.fetchAll(statement, arguments: [50]).count == 3)
      }
    }
  }

  @Test func `some values and some open parameters are an error`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      for make in [db.makeStatement(literal:), db.cachedStatement(literal:)] {
        let error = databaseError {
          try make("SELECT * FROM player WHERE name = ? AND score > \(500)")
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
      }
    }
  }

  @Test func `several statements have open parameters or values, too`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      let open = try db.allStatements(
        literal:
          "SELECT name FROM player WHERE id = ?; SELECT 1; SELECT id FROM player WHERE id > ?")
      #expect(try String.fetchAll(#require(try open.next()), arguments: [3]) == ["Craig"])
      #expect(try Int.fetchAll(#require(try open.next())) == [1])
      let last = try #require(try open.next())
      expectFailure(.SQLITE_MISUSE) { try Int.fetchAll(last) }
      #expect(try Int.fetchAll(last, arguments: [2]) == [3])
      #expect(try open.next() == nil)
      let bound = try db.allStatements(
        literal: "SELECT name FROM player WHERE id = \(3); SELECT name FROM player WHERE id = \(1)")
      #expect(try String.fetchAll(#require(try bound.next())) == ["Craig"])
      #expect(try String.fetchAll(#require(try bound.next())) == ["Arthur"])
      #expect(try bound.next() == nil)
    }
  }
}
