@testable import CofferCore
import CofferTestSupport
import Testing

struct RowDescriptionTests {
  @Test func `a description shows names and values`() throws {
    try EncryptedQueue.with { db in
      let sql = #"SELECT 1 AS id, 'a "b"' AS name, 1.5 AS r, x'0102' AS data, NULL AS n"#
      let expected = #"[id:1 name:"a \"b\"" r:1.5 data:Data(2 bytes) n:NULL]"#
      try withCopiedAndLiveRow(db, sql) { row in
        #expect(row.description == expected)
        #expect(row.debugDescription == expected)
      }
      #expect(Row().description == "[]")
      #expect(Row().debugDescription == "[]")
    }
  }

  @Test func `a debug description shows hidden columns and the tree of scopes`() throws {
    try EncryptedQueue.with { db in
      let adapter = ColumnMapping(["id": "a"]).addingScopes([
        "x": ColumnMapping(["id": "b"]).addingScopes(["deep": SuffixRowAdapter(fromIndex: 2)]),
        "e": EmptyRowAdapter(),
      ])
      try withCopiedAndLiveRow(db, "SELECT 1 AS a, 2 AS b, 'c' AS c", adapter: adapter) { row in
        #expect(row.description == "[id:1]")
        #expect(
          row.debugDescription == """
            ▿ [id:1]
              unadapted: [a:1 b:2 c:"c"]
              - e: []
              - x: [id:2]
                - deep: [c:"c"]
            """)
        #expect(
          row.scopes["x"]?.debugDescription == """
            ▿ [id:2]
              unadapted: [a:1 b:2 c:"c"]
              - deep: [c:"c"]
            """)
      }
    }
  }

  @Test func `a debug description has the number of prefetched rows`() {
    let row: Row = ["id": 1]
    var prefetched = PrefetchedRows()
    prefetched.setRows(RowList([["x": 1], ["x": 2]]), forKeyPath: ["books"])
    prefetched.setRows(RowList([["x": 1]]), forKeyPath: ["awards"])
    prefetched.setRows(RowList([]), forKeyPath: ["pivot", "readers"])
    row.prefetched = prefetched
    #expect(
      row.debugDescription == """
        ▿ [id:1]
          + awards: 1 row
          + books: 2 rows
          + readers: 0 row
        """)
  }
}
