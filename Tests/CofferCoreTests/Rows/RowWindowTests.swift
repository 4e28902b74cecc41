@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

/// Rows that show a run of columns, live and copied, read by the short ways.
@Suite struct RowWindowTests {
  private let schema = """
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, aNameOfMoreThanFifteenBytes TEXT);
    CREATE TABLE author (id INTEGER PRIMARY KEY, title TEXT, born REAL);
    INSERT INTO book VALUES (1, 'One', 'long 1'), (2, 'Two', 'long 2'), (3, NULL, NULL);
    INSERT INTO author VALUES (11, 'Dr.', 1900.5), (12, NULL, 1901), (13, 'Sir', NULL);
    """
  private let sql = "SELECT book.*, author.* FROM book JOIN author ON author.id = book.id + 10"
  private let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<3), scopes: ["author": RangeRowAdapter(3..<6)])

  private struct Pair: Equatable {
    var id: Int
    var title: String?
    var long: String?
    var authorID: Int64
    var authorTitle: String?
    var born: Double?

    init(_ row: Row) throws {
      id = row["id"]
      title = row["TITLE"]
      long = row["aNameOfMoreThanFifteenBytes"]
      let author = try #require(row.scopes["author"])
      authorID = author["id"]
      authorTitle = author["title"]
      born = author[2]
      #expect(author["aNameOfMoreThanFifteenBytes"] == nil)
      #expect(row["born"] == nil)
      #expect(try row.decode(Int.self, forColumn: "id") == id)
      #expect(try author.decode(Int64.self, atIndex: 0) == authorID)
      #expect(author.index(ofColumn: "born") == 2)
      #expect(throws: RowDecodingError.self) { try author.decode(Int.self, forColumn: "missing") }
    }

    init(_ values: [DatabaseValue]) throws {
      id = try #require(Int.fromDatabaseValue(values[0]))
      title = String.fromDatabaseValue(values[1])
      long = String.fromDatabaseValue(values[2])
      authorID = try #require(Int64.fromDatabaseValue(values[3]))
      authorTitle = String.fromDatabaseValue(values[4])
      born = Double.fromDatabaseValue(values[5])
    }
  }

  @Test func `rows and scopes show their columns, live and copied`() throws {
    try EncryptedQueue.with(schema) { db in
      let expected = try Row.fetchAll(db, sql: sql).map { try Pair($0.values) }
      #expect(expected.map(\.title) == ["One", "Two", nil])
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      #expect(try Array(cursor.map { try Pair($0) }) == expected)
      let copies = try Row.fetchAll(db, sql: sql, adapter: adapter)
      #expect(try copies.map { try Pair($0) } == expected)
      let copied = try Array(Row.fetchCursor(db, sql: sql, adapter: adapter).map { $0.copy() })
      #expect(try copied.map { try Pair($0) } == expected)
      #expect(copied == copies)
    }
  }

  @Test func `a cursor's row has the same scope at each step`() throws {
    try EncryptedQueue.with(schema) { db in
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      let row = try #require(try cursor.next())
      let scope = try #require(row.scopes["author"])
      #expect(scope["id"] == 11)
      let copy = scope.copy()
      _ = try cursor.next()
      #expect(row.scopes["author"] === scope)
      #expect(row.scopes.first?.row === scope)
      #expect(row.scopesTree["author"] === scope)
      #expect(scope["id"] == 12)
      #expect(copy["id"] == 11)
      #expect(row.unscoped["id"] == 2)
      #expect(row.unadapted.count == 6)
      #expect(row.scopes["none"] == nil)
    }
  }

  @Test func `scopes have their prefetched rows`() throws {
    try EncryptedQueue.with(schema) { db in
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      let row = try #require(try cursor.next())
      #expect(row.scopes["author"]?.prefetchedRows["x"] == nil)
      var prefetched = PrefetchedRows()
      prefetched.setRows(RowList([["a": 1]]), forKeyPath: ["author", "x"])
      row.prefetched = prefetched
      #expect(row.scopes["author"]?.prefetchedRows["x"] == [["a": 1]])
      #expect(row.scopes["author"]?["id"] == 11)
    }
  }

  @Test func `renamed, mapped and empty rows are read as well`() throws {
    let renamed = RenameColumnAdapter { "a_" + $0 }
    let mapped = ColumnMapping(["first": "born", "second": "title"])
    try EncryptedQueue.with(schema) { db in
      try withCopiedAndLiveRow(db, sql, adapter: renamed) { row in
        #expect(row["a_id"] == 1)
        #expect(row["a_born"] == 1900.5)
        #expect(row["id"] == nil)
      }
      try withCopiedAndLiveRow(db, sql, adapter: mapped) { row in
        #expect(row["first"] == 1900.5)
        #expect(row["second"] == "One")
        #expect(row[1] == 1900.5)
        #expect(row["id"] == nil)
      }
      try withCopiedAndLiveRow(db, sql, adapter: EmptyRowAdapter()) { row in
        #expect(row.isEmpty)
        #expect(row["id"] == nil)
        #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "id") }
      }
    }
  }

  @Test func `names that come twice stand for the first column`() throws {
    let long = "aNameOfMoreThanFifteenBytes"
    let sql = """
      SELECT 0 AS z, 1 AS a, 2 AS a, 3 AS A, 4 AS \(long), 5 AS \(long), 6 AS é, 7 AS é
      """
    try EncryptedQueue.with { db in
      for adapter in [nil, SuffixRowAdapter(fromIndex: 1), RangeRowAdapter(0..<8)]
        as [(any RowAdapter)?]
      {
        try withCopiedAndLiveRow(db, sql, adapter: adapter) { row in
          for _ in 0..<2 {
            #expect(row["a"] as Int == 1)
            #expect(row["A"] as Int == 1)
            #expect(row[long] as Int == 4)
            #expect(row["é"] as Int == 6)
            for name in row.columnNames.suffix(3) {
              #expect(row[name] as Int == (name == long ? 4 : 6))
            }
          }
        }
      }
    }
  }

  @Test func `rows of many columns are found by name`() throws {
    let names = (0..<100).map { $0 % 2 == 0 ? "c\($0)" : "column with a long name \($0)" }
    let sql = "SELECT " + names.enumerated().map { "\($0) AS \"\($1)\"" }.joined(separator: ", ")
    try EncryptedQueue.with { db in
      for adapter in [nil, RangeRowAdapter(0..<100)] as [(any RowAdapter)?] {
        try withCopiedAndLiveRow(db, sql, adapter: adapter) { row in
          for (index, name) in names.enumerated().reversed() { #expect(row[name] as Int == index) }
          #expect(row["C2"] as Int == 2)
          #expect(row["c"] == nil)
        }
      }
    }
  }

  @Test func `a statement with arrays shows its rows through an adapter`() throws {
    try EncryptedQueue.with(schema) { db in
      let statement = try db.makeStatement(sql: sql + " WHERE book.id IN (?) ORDER BY 1")
      for ids in [[1], [1, 3], [], [2]] {
        let cursor = try Row.fetchCursor(statement, arguments: [ids], adapter: adapter)
        let pairs = try Array(
          cursor.map { row in
            [row["id"] as Int, row.scopes["author"]?["id"] as Int? ?? 0]
          })
        #expect(pairs == ids.map { [$0, $0 + 10] })
      }
    }
  }

  @Test func `a row of a closed connection shows nothing`() throws {
    let database = try EncryptedQueue(schema)
    var rows: [Row] = []
    try database.queue.inDatabase { db in
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      rows.append(try #require(try cursor.next()))
      rows.append(try #require(rows[0].scopes["author"]))
      #expect(rows.map { $0["id"] as Int? } == [1, 11])
    }
    try database.queue.close()
    #expect(rows.map { $0["id"] as Int? } == [nil, nil])
    #expect(rows[0].scopes["author"]?["id"] as Int? == nil)
  }

  @Test func `a change of the schema changes adapted rows`() throws {
    try EncryptedQueue.with(schema) { db in
      let all = SuffixRowAdapter(fromIndex: 0)
      let statement = try db.makeStatement(sql: "SELECT * FROM author")
      let before = try Row.fetchCursor(statement, adapter: all)
      #expect(try before.next()?["born"] == 1900.5)
      statement.abandon()
      try db.execute(
        sql: "DROP TABLE author; CREATE TABLE author (x, born); INSERT INTO author VALUES (1, 2)")
      let cursor = try Row.fetchCursor(statement, adapter: all)
      let row = try #require(try cursor.next())
      #expect(row["born"] == 2)
      #expect(row["id"] == nil)
      #expect(row.count == 2)
    }
  }
}
