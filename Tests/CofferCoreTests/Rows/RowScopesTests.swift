@testable import CofferCore
import CofferTestSupport
import Testing

struct RowScopesTests {
  private let sql = """
    SELECT 0 AS id0, 'v0' AS val0, 1 AS id1, 'v1' AS val1, 2 AS id2, 'v2' AS val2
    """

  private func mapping(_ number: Int) -> ColumnMapping {
    ColumnMapping(["id": "id\(number)", "val": "val\(number)"])
  }

  private func check(_ adapter: any RowAdapter, _ body: (Row) throws -> Void) throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, sql, adapter: adapter, body)
      // A copy of a live row has them as well.
      let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
      let copy = try #require(try cursor.next()).copy()
      #expect(try cursor.next() == nil)
      try body(copy)
    }
  }

  @Test func `scopes are views of the row by name`() throws {
    try check(ScopeAdapter(["one": mapping(1), "two": mapping(2)])) { row in
      #expect(row.count == 6)
      #expect(row["val0"] == "v0")
      #expect(row.scopes.names == ["one", "two"])
      #expect(row.scopes.count == 2)
      #expect(row.scopes.map(\.name) == ["one", "two"])
      #expect(row.scopes.map(\.row) == [["id": 1, "val": "v1"], ["id": 2, "val": "v2"]])
      #expect(row.scopes["one"] == ["id": 1, "val": "v1"])
      #expect(row.scopes["one"]?["val"] == "v1")
      #expect(row.scopes["ONE"] == nil)
      #expect(row.scopes["missing"] == nil)
      #expect(row.scopes["one"]?.scopes.isEmpty == true)
      #expect(row.scopes["one"]?.unadapted == row.unadapted)
      #expect(row.scopesTree.names == ["one", "two"])
      #expect(row.scopesTree["two"] == row.scopes["two"])
      #expect(row.scopesTree["missing"] == nil)
    }
  }

  @Test func `a row without scopes has none`() throws {
    for row in [Row(), ["a": 1]] {
      #expect(row.scopes.isEmpty)
      #expect(row.scopes.names == [])
      #expect(row.scopesTree.names == [])
      #expect(row.scopesTree["a"] == nil)
      #expect(row.unscoped === row)
      #expect(row.unadapted === row)
    }
  }

  @Test func `scopes see the columns that the base adapter hides`() throws {
    try check(mapping(0).addingScopes(["one": mapping(1)])) { row in
      #expect(row.unscoped == ["id": 0, "val": "v0"])
      #expect(row.scopes["one"] == ["id": 1, "val": "v1"])
      #expect(row != ["id": 0, "val": "v0"])
    }
    try check(ScopeAdapter(base: EmptyRowAdapter(), scopes: ["one": mapping(1)])) { row in
      #expect(row.isEmpty)
      #expect(row.containsNonNullValue)
      #expect(row.scopes["one"] == ["id": 1, "val": "v1"])
    }
    try check(SuffixRowAdapter(fromIndex: 2).addingScopes(["s": SuffixRowAdapter(fromIndex: 4)])) {
      row in
      #expect(row.unscoped == ["id1": 1, "val1": "v1", "id2": 2, "val2": "v2"])
      #expect(row.scopes["s"] == ["id2": 2, "val2": "v2"])
    }
  }

  @Test func `scopes that are added replace those of the same name`() throws {
    let adapter = ScopeAdapter(["zero": mapping(0), "one": mapping(2)])
      .addingScopes(["one": mapping(1), "two": mapping(2)])
    try check(adapter) { row in
      #expect(row.scopes.names == ["one", "two", "zero"])
      #expect(row.scopes["zero"] == ["id": 0, "val": "v0"])
      #expect(row.scopes["one"] == ["id": 1, "val": "v1"])
      #expect(row.scopes["two"] == ["id": 2, "val": "v2"])
    }
    try check(mapping(0).addingScopes([:])) { row in
      #expect(row.scopes.isEmpty)
      #expect(row == ["id": 0, "val": "v0"])
    }
  }

  @Test func `scopes nest`() throws {
    let adapter = mapping(0).addingScopes([
      "one": mapping(1).addingScopes(["two": mapping(2).addingScopes(["three": mapping(0)])])
    ])
    try check(adapter) { row in
      #expect(row.scopes.names == ["one"])
      #expect(row.scopes["two"] == nil)
      #expect(row.scopes["one"]?.scopes["two"]?.unscoped == ["id": 2, "val": "v2"])
      #expect(row.scopesTree.names == ["one", "two", "three"])
      #expect(row.scopesTree["two"] == row.scopes["one"]?.scopes["two"])
      #expect(row.scopesTree["three"] == ["id": 0, "val": "v0"])
      #expect(row.scopes["one"]?.scopesTree.names == ["two", "three"])
    }
  }

  @Test func `the tree gives the scope that is nearest to the row`() throws {
    let adapter = ScopeAdapter([
      "a": mapping(0).addingScopes(["x": mapping(1)]), "x": mapping(2),
    ])
    try check(adapter) { row in
      #expect(row.scopesTree["x"] == ["id": 2, "val": "v2"])
      #expect(row.scopes["a"]?.scopesTree["x"] == ["id": 1, "val": "v1"])
    }
  }

  @Test func `equality compares scopes, and not hidden columns`() throws {
    try EncryptedQueue.with { db in
      let sql = "SELECT 0 AS a, 1 AS b, 1 AS c"
      let b = ColumnMapping(["x": "b"])
      let c = ColumnMapping(["x": "c"])
      func row(_ adapter: any RowAdapter) throws -> Row {
        try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
      }
      let (plainB, plainC) = (try row(b), try row(c))
      #expect(plainB == plainC)
      #expect(plainB == ["x": 1])
      let scoped = try row(b.addingScopes(["s": b]))
      let others = [
        plainB, try row(b.addingScopes(["t": b])), try row(b.addingScopes(["s": b, "t": b])),
        try row(b.addingScopes(["s": ColumnMapping(["x": "a"])])),
      ]
      #expect(try row(c.addingScopes(["s": c])) == scoped)
      #expect(scoped.hashValue == plainC.hashValue)
      for other in others { #expect(scoped != other) }
    }
  }

  @Test func `a scope of NULLs is recognized`() throws {
    try EncryptedQueue.with { db in
      let adapter = RangeRowAdapter(0..<1).addingScopes(["rest": SuffixRowAdapter(fromIndex: 1)])
      try withCopiedAndLiveRow(db, "SELECT NULL AS a, 1 AS b", adapter: adapter) { row in
        #expect(row.containsNonNullValue)
        #expect(!row.unscoped.containsNonNullValue)
      }
      try withCopiedAndLiveRow(db, "SELECT 1 AS a, NULL AS b, NULL AS c", adapter: adapter) {
        #expect($0.scopes["rest"]?.containsNonNullValue == false)
      }
    }
  }

  @Test func `a scope of a live row follows the cursor, and its copy stays`() throws {
    try EncryptedQueue.with { db in
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'",
        adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)]))
      let scope = try #require(try cursor.next()?.scopes["s"])
      let copy = scope.copy()
      _ = try cursor.next()
      #expect(scope == ["b": "y"])
      #expect(copy == ["b": "x"])
      #expect(copy.unadapted == ["a": 1, "b": "x"])
    }
  }

  @Test func `a scope keeps the memory of the copied row alive`() throws {
    let scope = try EncryptedQueue.with { db in
      try Row.fetchOne(
        db, sql: "SELECT 1 AS a, hex(zeroblob(500)) AS b",
        adapter: ScopeAdapter([
          "s": SuffixRowAdapter(fromIndex: 1).addingScopes(["t": SuffixRowAdapter(fromIndex: 1)])
        ]))?.scopes["s"]?.scopes["t"]
    }
    #expect(scope == ["b": String(repeating: "0", count: 1000)])
    #expect(scope?.unadapted["a"] == 1)
  }
}
