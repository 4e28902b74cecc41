@testable import CofferCore
import CofferTestSupport
import Testing

struct RowAdapterTests {
  private let sql = "SELECT 0 AS a0, 1 AS a1, 2 AS a2, 3 AS a3"

  private func check(
    _ adapter: any RowAdapter, gives expected: Row,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, sql, adapter: adapter) { row in
        #expect(row == expected, sourceLocation: sourceLocation)
        #expect(Array(row.columnNames) == Array(expected.columnNames))
        for (name, value) in expected { #expect(row[name] == value) }
        #expect(row.unadapted == ["a0": 0, "a1": 1, "a2": 2, "a3": 3])
      }
    }
  }

  @Test func `a mapping shows columns under other names, in the row's order`() throws {
    try check(ColumnMapping(["x": "a2", "y": "a0"]), gives: ["y": 0, "x": 2])
    try check(ColumnMapping(["x": "A1"]), gives: ["x": 1])
    try check(ColumnMapping(["p": "a1", "q": "a1"]), gives: ["p": 1, "q": 1])
    try check(ColumnMapping([:]), gives: [:])
  }

  @Test func `hidden columns can't be read`() throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, sql, adapter: ColumnMapping(["x": "a2"])) { row throws in
        #expect(row["a2"] == nil)
        #expect(row["a0"] as Int? == nil)
        #expect(!row.hasColumn("a0"))
        #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "a0") }
        #expect(try row.decode(Int.self, forColumn: "x") == 2)
        #expect(try row.decode(Int.self, atIndex: 0) == 2)
        #expect(row.withUTF8(at: 0) { $0 == nil })
      }
    }
  }

  @Test func `a mapping takes the leftmost column of a name`() throws {
    try EncryptedQueue.with { db in
      let sql = "SELECT 1 AS name, 2 AS NAME"
      try withCopiedAndLiveRow(db, sql, adapter: ColumnMapping(["x": "nAmE"])) { row in
        #expect(row == ["x": 1])
      }
    }
  }

  @Test func `a mapping of a column that doesn't exist throws`() throws {
    try EncryptedQueue.with { db in
      let adapter = ColumnMapping(["x": "missing"])
      let error = try #require(throws: DatabaseError.self) {
        try Row.fetchOne(db, sql: sql, adapter: adapter)
      }
      #expect(error.resultCode == .SQLITE_MISUSE)
      #expect(error.message == "no such column for a ColumnMapping: missing")
      #expect(error.sql == sql)
      #expect("\(error)".contains("a0, a1, a2, a3"))
      #expect(throws: DatabaseError.self) {
        try Row.fetchCursor(db, sql: sql, adapter: adapter).next()
      }
      #expect(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: sql, adapter: adapter)
      }
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, sql: sql, adapter: ScopeAdapter(["s": adapter]))
      }
    }
  }

  @Test func `ranges and suffixes show their columns`() throws {
    try check(RangeRowAdapter(1..<3), gives: ["a1": 1, "a2": 2])
    try check(RangeRowAdapter(0..<0), gives: [:])
    try check(RangeRowAdapter(4..<4), gives: [:])
    try check(RangeRowAdapter(2...3), gives: ["a2": 2, "a3": 3])
    try check(SuffixRowAdapter(fromIndex: 0), gives: ["a0": 0, "a1": 1, "a2": 2, "a3": 3])
    try check(SuffixRowAdapter(fromIndex: 3), gives: ["a3": 3])
    try check(SuffixRowAdapter(fromIndex: 4), gives: [:])
    try check(EmptyRowAdapter(), gives: [:])
  }

  @Test func `ranges and suffixes beyond the row throw`() throws {
    try EncryptedQueue.with { db in
      let adapters: [any RowAdapter] = [
        RangeRowAdapter(3..<5), RangeRowAdapter(4...4), SuffixRowAdapter(fromIndex: 5),
      ]
      for adapter in adapters {
        let error = try #require(throws: DatabaseError.self) {
          try Row.fetchAll(db, sql: sql, adapter: adapter)
        }
        #expect(error.resultCode == .SQLITE_MISUSE)
        #expect(error.sql == sql)
      }
    }
  }

  @Test func `columns are renamed by a function`() throws {
    let adapter = RenameColumnAdapter { $0.replacing("a", with: "b") }
    try check(adapter, gives: ["b0": 0, "b1": 1, "b2": 2, "b3": 3])
  }

  @Test func `rows are split by column counts`() throws {
    let adapters = splittingRowAdapters(columnCounts: [1, 0, 2])
    #expect(adapters.count == 4)
    try check(adapters[0], gives: ["a0": 0])
    try check(adapters[1], gives: [:])
    try check(adapters[2], gives: ["a1": 1, "a2": 2])
    try check(adapters[3], gives: ["a3": 3])
    try check(
      splittingRowAdapters(columnCounts: [])[0], gives: ["a0": 0, "a1": 1, "a2": 2, "a3": 3])
  }

  @Test func `a chained adapter starts from the columns that the first one shows`() throws {
    try check(
      ChainedRowAdapter(SuffixRowAdapter(fromIndex: 1), then: SuffixRowAdapter(fromIndex: 1)),
      gives: ["a2": 2, "a3": 3])
    try check(
      ChainedRowAdapter(ColumnMapping(["b": "a1"]), then: ColumnMapping(["c": "b"])),
      gives: ["c": 1])
    try EncryptedQueue.with { db in
      let halves = splittingRowAdapters(columnCounts: [2])
      let adapter = ChainedRowAdapter(
        RenameColumnAdapter { String($0.last ?? "-") },
        then: ScopeAdapter(["left": halves[0], "right": halves[1]]))
      try withCopiedAndLiveRow(db, sql, adapter: adapter) { row in
        #expect(row.unscoped == ["0": 0, "1": 1, "2": 2, "3": 3])
        #expect(row.scopes["left"] == ["0": 0, "1": 1])
        #expect(row.scopes["right"] == ["2": 2, "3": 3])
      }
    }
  }

  @Test func `a mapping works in a chain however its columns were renamed`() throws {
    let adapter = ChainedRowAdapter(
      RenameColumnAdapter { _ in "same" }, then: ColumnMapping(["first": "SAME"]))
    try check(adapter, gives: ["first": 0])
  }

  @Test func `values are read from the first column that the adapter shows`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "SELECT 1, 2, '2020-01-01 00:00:00' UNION ALL SELECT 3, 4, NULL"
      let second = SuffixRowAdapter(fromIndex: 1)
      #expect(try Int.fetchAll(db, sql: sql) == [1, 3])
      #expect(try Int.fetchAll(db, sql: sql, adapter: second) == [2, 4])
      #expect(try Int.fetchOne(db, sql: sql, adapter: second) == 2)
      #expect(try Int.fetchSet(db, sql: sql, adapter: second) == [2, 4])
      #expect(try Int.fetchCursor(db, sql: sql, adapter: second).next() == 2)
      // Read by way of a database value, and optionals.
      #expect(
        try DatabaseValue.fetchAll(db, sql: sql, adapter: second) == [
          2.databaseValue, 4.databaseValue,
        ])
      let third = SuffixRowAdapter(fromIndex: 2)
      #expect(
        try String?.fetchAll(db, sql: sql, adapter: third) == ["2020-01-01 00:00:00", nil])
      #expect(throws: DatabaseError.self) {
        try Int.fetchAll(db, sql: sql, adapter: EmptyRowAdapter())
      }
    }
  }

  @Test func `a negative index traps`() async {
    await #expect(processExitsWith: .failure) { _ = SuffixRowAdapter(fromIndex: -1) }
    await #expect(processExitsWith: .failure) { _ = RangeRowAdapter(-1..<2) }
    await #expect(processExitsWith: .failure) { _ = splittingRowAdapters(columnCounts: [-1]) }
  }
}
