import CofferCore
import CofferTestSupport
import Foundation
import Testing

/// Parts of large values, in the memory of the part.
struct PartOfValueTests {
  private func read(
    _ rowID: Int64, _ column: String, _ range: Range<Int>, _ db: Database
  ) throws -> (data: Data, size: Int) {
    try db.partOfValue(in: "note", column: column, rowID: rowID, range: range)
  }

  @Test func `a part has the bytes of substr, also over pages and past the end`() throws {
    try EncryptedQueue.with { db in
      try db.execute(
        sql: """
          CREATE TABLE note (id INTEGER PRIMARY KEY, data, text);
          INSERT INTO note VALUES (7, randomblob(100000), 'Grüße')
          """)
      for range in [0..<10, 4_090..<12_300, 99_990..<100_010, 200_000..<200_001, 5..<5] {
        let expected = try Data.fetchOne(
          db, sql: "SELECT substr(data, ?, ?) FROM note",
          arguments: [range.lowerBound + 1, range.count])
        let part = try read(7, "data", range, db)
        #expect(part.data == expected)
        #expect(part.size == 100_000)
      }
      let text = try read(7, "text", 0..<100, db)
      #expect(text.data == Data("Grüße".utf8))
      #expect(text.size == 7)
    }
  }

  @Test func `a part is observed with its table`() throws {
    try EncryptedQueue.with { db in
      try db.execute(
        sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, data); INSERT INTO note VALUES (1, 'x')")
      let (part, region) = try db.recordingRegion { try read(1, "data", 0..<1, db) }
      #expect(part.size == 1)
      #expect(region == DatabaseRegion(table: "note"))
    }
  }

  @Test func `numbers, NULL, and rows and tables that aren't there have no parts`() throws {
    try EncryptedQueue.with { db in
      try db.execute(
        sql: """
          CREATE TABLE note (id INTEGER PRIMARY KEY, number, empty);
          INSERT INTO note VALUES (1, 2, NULL)
          """)
      for (rowID, column) in [(1, "number"), (1, "empty"), (1, "missing"), (2, "number")] {
        #expect(throws: DatabaseError.self) { try read(Int64(rowID), column, 0..<1, db) }
      }
      // The connection is as good as before.
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM note")
      #expect(count == 1)
    }
  }
}
