@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

struct RowCopyTests {
  @Test func `a copy is a snapshot of the cursor's row`() throws {
    try EncryptedQueue.with { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'")
      let live = try #require(try cursor.next())
      let copy = live.copy()
      #expect(copy == live)
      #expect(copy.copy() === copy)
      #expect(try cursor.next() === live)
      #expect(live == ["a": 2, "b": "y"])
      #expect(copy == ["a": 1, "b": "x"])
    }
  }

  @Test func `a live row after the end has the columns and no values`() throws {
    try EncryptedQueue.with { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS b, x'01' AS c")
      let live = try #require(try cursor.next())
      #expect(try cursor.next() == nil)
      #expect(live == ["a": nil, "b": nil, "c": nil])
      #expect(live.copy() == live)
      #expect(live.withUTF8(at: 1) { $0 == nil })
    }
  }

  @Test func `copies outlive the connection`() throws {
    let database = try EncryptedQueue()
    let rows = try database.queue.read { db in
      try Row.fetchAll(
        db, sql: "SELECT 1 AS a, 'text' AS b, x'010203' AS c, NULL AS d, 1.5 AS e")
    }
    try database.queue.close()
    #expect(
      rows == [["a": 1, "b": "text", "c": Data([1, 2, 3]), "d": nil, "e": 1.5]])
    #expect(rows[0]["b"] == "text")
    #expect(rows[0].withUTF8(at: 1) { $0.map(Array.init) } == Array("text".utf8))
  }

  @Test func `a live row of a closed connection has no values`() throws {
    let database = try EncryptedQueue()
    nonisolated(unsafe) var live: Row?
    nonisolated(unsafe) var scope: Row?
    nonisolated(unsafe) var cursor: RowCursor?
    try database.queue.read { db in
      cursor = try Row.fetchCursor(
        db, sql: "SELECT 1 AS a, 'x' AS b, x'01' AS c UNION ALL SELECT 2, 'y', x'02'",
        adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)]))
      live = try cursor?.next()
      scope = live?.scopes["s"]
    }
    try database.queue.close()
    let row = try #require(live)
    #expect(row.count == 3)
    #expect(row.unscoped == ["a": nil, "b": nil, "c": nil])
    #expect(scope == ["b": nil, "c": nil])
    #expect(row["a"] == nil)
    #expect(row[1] as String? == nil)
    #expect(throws: RowDecodingError.self) { try row.decode(Int.self, atIndex: 0) }
    #expect(throws: RowDecodingError.self) { try row.decode(String.self, forColumn: "b") }
    #expect(row.copy().unscoped == ["a": nil, "b": nil, "c": nil])
    #expect(row.copy().scopes["s"] == ["b": nil, "c": nil])
    #expect(row.withUTF8(at: 1) { $0 == nil })
    #expect(throws: DatabaseError.self) { try cursor?.next() }
  }

  @Test func `odd texts and blobs are copied as they are`() throws {
    try EncryptedQueue.with { db in
      let sql = """
        SELECT 'a' || char(0) || 'b' AS nul, CAST(x'61ff62' AS TEXT) AS bad, x'' AS empty,
          '' AS none, NULL AS null_, CAST(x'00' AS TEXT) AS only
        """
      try withCopiedAndLiveRow(db, sql) { row in
        for row in [row, row.copy()] {
          #expect(row["nul"] == "a\0b")
          #expect(row["bad"] == "a\u{FFFD}b")
          #expect(row.withUTF8(at: 1) { $0.map(Array.init) } == [0x61, 0xff, 0x62])
          #expect(row["empty"] == Data())
          #expect(row["empty"] as DatabaseValue == Data().databaseValue)
          #expect(row["none"] == "")
          #expect(row["null_"] as Data? == nil)
          #expect(row["only"] == "\0")
          #expect(row.withUTF8(at: 3) { $0?.count } == 0)
          #expect(row.withUnsafeBytes(at: 2) { $0?.count } == 0)
          #expect(row.withUnsafeBytes(at: 4) { $0 == nil })
          #expect(row.withUTF8(at: 2) { $0 == nil })
        }
      }
    }
  }

  @Test func `huge texts and blobs are copied whole`() throws {
    try EncryptedQueue.with { db in
      let count = 20_000_000
      let sql = "SELECT 1 AS a, zeroblob(?) AS b, hex(zeroblob(?)) AS c, 'end' AS d"
      try withCopiedAndLiveRow(db, sql, arguments: [count, count / 10]) { row in
        let copy = row.copy()
        #expect(copy["a"] == 1)
        #expect(copy.withUnsafeBytes(at: 1) { $0?.count } == count)
        #expect(copy.withUnsafeBytes(at: 1) { $0?.allSatisfy { $0 == 0 } } == true)
        #expect(copy.withUTF8(at: 2) { $0?.count } == count / 5)
        #expect(copy["d"] == "end")
      }
    }
  }

  @Test func `many columns of every kind are copied in their order`() throws {
    try EncryptedQueue.with { db in
      let values: [(any DatabaseValueConvertible)?] = (0..<500).map { index in
        switch index % 5 {
        case 0: index
        case 1: Double(index) / 4
        case 2: String(repeating: "é", count: index)
        case 3: Data(repeating: UInt8(index % 256), count: index)
        default: nil
        }
      }
      let columns = values.indices.map { "? AS c\($0)" }.joined(separator: ",")
      let expected = values.map { $0?.databaseValue ?? .null }
      try withCopiedAndLiveRow(
        db, "SELECT \(columns)", arguments: StatementArguments(values)
      ) { row in
        #expect(Array(row.databaseValues) == expected)
        #expect(Array(row.copy().databaseValues) == expected)
      }
    }
  }

  /// Executes `body` with a statement for `SELECT * FROM t`, prepared when the
  /// columns were a, b and c, after another connection has made them `columns`.
  private func withChangedColumns(
    _ columns: String, _ body: (Statement) throws -> Void
  ) throws {
    let database = try EncryptedQueue()
    let other = try database.other()
    try database.queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 'b', 'c')")
    }
    try database.queue.writeWithoutTransaction { db in
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      try other.write { db in
        try db.execute(
          sql: "DROP TABLE t; CREATE TABLE t (\(columns)); INSERT INTO t (b) VALUES ('new')")
      }
      try body(statement)
    }
    try other.close()
  }

  @Test(arguments: ["b", "z, a, b", "b, x1, x2, x3"])
  func `an adapted row follows a change of the schema`(columns: String) throws {
    let adapter = ColumnMapping(["x": "b"]).addingScopes(["s": ColumnMapping(["y": "b"])])
    try withChangedColumns(columns) { statement in
      let cursor = try Row.fetchCursor(statement, adapter: adapter)
      let row = try #require(try cursor.next())
      #expect(row.unscoped == ["x": "new"])
      #expect(row.scopes["s"] == ["y": "new"])
      #expect(row.copy() == row)
    }
    try withChangedColumns(columns) { statement in
      let rows = try Row.fetchAll(statement, adapter: adapter)
      #expect(rows.map(\.unscoped) == [["x": "new"]])
    }
    try withChangedColumns(columns) { statement throws in
      #expect(try String.fetchAll(statement, adapter: adapter) == ["new"])
    }
    try withChangedColumns(columns) { statement throws in
      let cursor = try String.fetchCursor(statement, adapter: adapter)
      #expect(try cursor.next() == "new")
    }
  }

  @Test func `an adapter that wants columns that are gone throws`() throws {
    for adapter in [SuffixRowAdapter(fromIndex: 2), ColumnMapping(["x": "a"])] as [any RowAdapter] {
      try withChangedColumns("b") { statement in
        let cursor = try Row.fetchCursor(statement, adapter: adapter)
        #expect(throws: DatabaseError.self) { try cursor.next() }
        #expect(throws: DatabaseError.self) { try cursor.next() }
      }
      try withChangedColumns("b") { statement throws in
        #expect(throws: DatabaseError.self) { try Row.fetchAll(statement, adapter: adapter) }
        #expect(throws: DatabaseError.self) { try String.fetchAll(statement, adapter: adapter) }
      }
    }
  }

  @Test func `the row of an old cursor is safe when its statement has other columns`() throws {
    try EncryptedQueue.with { db in
      try db.execute(sql: "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3)")
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      let old = try #require(
        try Row.fetchCursor(
          statement, adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)])
        ).next())
      try db.execute(sql: "DROP TABLE t; CREATE TABLE t (b); INSERT INTO t VALUES ('new')")
      let cursor = try Row.fetchCursor(statement)
      #expect(try cursor.next() == ["b": "new"])
      #expect(old.unscoped == ["a": "new", "b": nil, "c": nil])
      #expect(old.copy() == ["a": "new", "b": nil, "c": nil])
      #expect(old.scopes["s"]?.copy() == ["b": nil, "c": nil])
      #expect(old.unadapted == ["b": "new"])
    }
  }
}
