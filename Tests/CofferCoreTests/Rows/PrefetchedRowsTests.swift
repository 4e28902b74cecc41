@testable import CofferCore
import CofferTestSupport
import Testing

struct PrefetchedRowsTests {
  private let rows: [Row] = [["x": 1], ["x": 2]]

  @Test func `a row without prefetched rows has none`() {
    let row: Row = ["a": 1]
    #expect(row.prefetchedRows.isEmpty)
    #expect(row.prefetchedRows.keys == [])
    #expect(row.prefetchedRows["a"] == nil)
  }

  @Test func `rows are found by their key, on every level`() {
    var view = PrefetchedRows()
    view.setRows(RowList(rows), forKeyPath: ["books"])
    view.setRows(RowList([]), forKeyPath: ["pivot", "readers"])
    #expect(!view.isEmpty)
    #expect(view.keys == ["books", "readers"])
    #expect(view["books"] == rows)
    #expect(view["readers"] == [])
    #expect(view["pivot"] == nil)
    #expect(view["missing"] == nil)
  }

  @Test func `the nearest rows of a key are found`() {
    var view = PrefetchedRows()
    view.setRows(RowList([]), forKeyPath: ["a", "x"])
    view.setRows(RowList(rows), forKeyPath: ["x"])
    #expect(view["x"] == rows)
  }

  @Test func `rows belong to scopes, and are compared`() throws {
    try EncryptedQueue.with { db in
      let adapter = RangeRowAdapter(0..<1).addingScopes(["author": SuffixRowAdapter(fromIndex: 1)])
      let sql = "SELECT 1 AS id, 2 AS id"
      let row = try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
      let plain = try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
      #expect(row == plain)
      row.prefetched = PrefetchedRows()
      row.prefetched?.setRows(RowList(rows), forKeyPath: ["author", "books"])
      #expect(row != plain)
      #expect(row.hashValue == plain.hashValue)
      #expect(row.prefetchedRows["books"] == rows)
      let author = try #require(row.scopes["author"])
      #expect(author.prefetchedRows["books"] == rows)
      #expect(author.prefetchedRows.keys == ["books"])
      #expect(author.unscoped == ["id": 2])
      #expect(row.unscoped == ["id": 1])
      #expect(row.unadapted == ["id": 1, "id": 2])
      #expect(row.copy().prefetchedRows == row.prefetchedRows)
      #expect(
        row.debugDescription == """
          ▿ [id:1]
            unadapted: [id:1 id:2]
            - author: [id:2]
              + books: 2 rows
            + books: 2 rows
          """)
    }
  }
}
