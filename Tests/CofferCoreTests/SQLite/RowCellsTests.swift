import CSQLCipher
@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Foundation
import Testing

/// Values that are read from SQLite's memory are those that its functions return.
@Suite struct RowCellsTests {
  @Test func `the layout of the linked SQLite is known`() {
    #expect(CellLayout.linked != .unknown)
    #expect(CellLayout.linked.row > 0)
    #expect(CellLayout.proven() == .linked)
  }

  /// Compares each value of each row; `layout` is that of the cells.
  private func check(
    _ sql: String, _ arguments: StatementArguments = [], layout: CellLayout = .linked,
    in db: Database
  ) throws {
    let statement = try db.makeStatement(sql: sql)
    try statement.setArguments(arguments)
    let execution = StatementExecution(statement)
    var generator = SeededGenerator()
    var count = 0
    while try execution.advance() {
      let handle = try #require(statement.handle)
      var cells = RowCells(layout: layout)
      cells.begin(handle)
      for index in (0..<statement.columnCount).shuffled(using: &generator) {
        let column = CInt(index)
        let value = sqlite3_column_value(handle, column)
        let type = sqlite3_value_type(value)
        if let (found, bits) = cells.bits(index) {
          #expect(found == type)
          switch type {
          case SQLITE_INTEGER: #expect(Int64(bitPattern: bits) == sqlite3_value_int64(value))
          case SQLITE_FLOAT: #expect(bits == sqlite3_value_double(value).bitPattern)
          default: #expect(type == SQLITE_NULL && bits == 0)
          }
        }
        #expect(cells.isNull(index) == (type == SQLITE_NULL && layout != .unknown))
        if let integer = cells.integer(index) {
          #expect(type == SQLITE_INTEGER && integer == sqlite3_value_int64(value))
        }
        if let real = cells.real(index) {
          #expect(type == SQLITE_INTEGER || type == SQLITE_FLOAT)
          #expect(real.bitPattern == sqlite3_value_double(value).bitPattern)
        }
        if let text = cells.text(index) {
          #expect(type == SQLITE_TEXT)
          #expect(Array(text) == Array(String(cString: sqlite3_value_text(value)).utf8))
        }
        #expect(cells.value(handle, index) == value)
      }
      count += 1
    }
    #expect(count > 0)
  }

  @Test func `rows have the same values, wherever they come from`() throws {
    try EncryptedQueue.with { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, n NUMERIC, x TEXT, b BLOB, v);
          CREATE TABLE w (k PRIMARY KEY, v) WITHOUT ROWID;
          CREATE INDEX i ON t (v, r);
          """)
      var generator = SeededGenerator()
      func value() -> DatabaseValue {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: .null
        case 1: Int64.random(in: .min ... .max, using: &generator).databaseValue
        case 2: Int.random(in: -2...2, using: &generator).databaseValue
        case 3: Double.random(in: -1e9...1e9, using: &generator).databaseValue
        case 4: Double(Int.random(in: -9...9, using: &generator)).databaseValue
        case 5: "\(Int.random(in: 0..<100, using: &generator))".databaseValue
        default: Data(generator.bytes(.random(in: 0...40, using: &generator))).databaseValue
        }
      }
      for _ in 0..<300 {
        try db.execute(
          sql: "INSERT INTO t (r, n, x, b, v) VALUES (?, ?, ?, ?, ?)",
          arguments: StatementArguments((0..<5).map { _ in value() }))
      }
      try db.execute(sql: "INSERT OR IGNORE INTO w SELECT coalesce(v, id), r FROM t")
      let list = (0..<300).map { "\($0), 'value \($0)', \($0).5" }.joined(separator: ", ")
      for sql in [
        "SELECT * FROM t", "SELECT * FROM t ORDER BY v DESC, id",
        "SELECT v, r, id FROM t INDEXED BY i",
        "SELECT * FROM w", "SELECT DISTINCT v, n FROM t", "SELECT id FROM t", "SELECT \(list)",
        "SELECT r, count(*), sum(id), avg(r), max(v), min(n), total(r) FROM t GROUP BY n",
        "SELECT a.*, c.* FROM t a LEFT JOIN t c ON c.id = a.id + 290",
        "SELECT v, r FROM t UNION SELECT k, v FROM w ORDER BY 1",
        "SELECT * FROM (SELECT r, v, id + 1 FROM t LIMIT 50)",
        "WITH n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 9) SELECT a, a / 2.0 FROM n",
        "SELECT (SELECT max(v) FROM t), CASE id % 3 WHEN 0 THEN r ELSE v END FROM t",
        "VALUES (1, 2.5, NULL), ('a', x'00', 3)", "PRAGMA table_info(t)", "PRAGMA page_count",
        "EXPLAIN QUERY PLAN SELECT * FROM t",
      ] {
        try check(sql, in: db)
        try check(sql, layout: .unknown, in: db)
        let known = CellLayout.linked
        try check(sql, layout: CellLayout(stride: known.stride, flags: known.flags, row: 0), in: db)
      }
      try check(
        "SELECT ?, ?, ?, ?, ?", [1, 2.5, nil, "text", Data(generator.bytes(3))], in: db)
    }
  }

  @Test func `a value that SQLite has converted is still itself`() throws {
    try EncryptedQueue.with { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT 17, 2.5, '12', NULL")
      let row = try #require(try rows.next())
      #expect(row[0] as String == "17")
      #expect(row[0] as Int64 == 17)
      #expect(row[0] as Double == 17)
      #expect(row[1] as Int == 2)
      #expect(row[1] as String == "2.5")
      #expect(row[1] as Double? == 2.5)
      #expect(row[2] as Int == 12)
      #expect(row[2] as String == "12")
      #expect(row[3] as Int? == nil)
      #expect(row[3] as Double? == nil)
      #expect(row[0] as Bool)
    }
  }

  @Test func `there are no values after the last row, and between two rows`() throws {
    try EncryptedQueue.with { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT 1, 2, 3, 4")
      let row = try #require(try rows.next())
      #expect(row[3] as Int? == 4)
      #expect(try rows.next() == nil)
      for index in 0..<4 { #expect(row[index] as Int? == nil) }

      let statement = try db.makeStatement(sql: "SELECT 5, 6")
      let first = try Row.fetchCursor(statement)
      let old = try #require(try first.next())
      #expect(old[1] as Int? == 6)
      try statement.execute()
      #expect(old[1] as Int? == nil)
    }
  }

  @Test func `a function that is called by a step sees what SQLite has`() throws {
    try EncryptedQueue.with { db in
      final class Look {
        var row: Row?
        var seen: [Bool] = []
      }
      // One thread uses it.
      nonisolated(unsafe) let look = Look()
      let function = DatabaseFunction("look", argumentCount: 1) { values in
        if let row = look.row, let handle = row.statement?.handle {
          look.seen.append(row[1] as Int64? ?? 0 == sqlite3_column_int64(handle, 1))
        }
        return values[0]
      }
      db.add(function: function)
      let rows = try Row.fetchCursor(
        db, sql: "SELECT look(n), n FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3)")
      var values: [Int] = []
      while let next = try rows.next() {
        look.row = next
        values.append(next[1])
      }
      look.row = nil
      #expect(values == [1, 2, 3])
      #expect(look.seen == [true, true])
    }
  }
}
