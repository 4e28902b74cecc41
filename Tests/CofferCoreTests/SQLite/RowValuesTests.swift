import CSQLCipher
@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Testing

/// Values found by their place in a row are those that SQLite returns.
@Suite struct RowValuesTests {
  private func check(_ sql: String, isFound: Bool) throws {
    try EncryptedQueue.with { db in
      let statement = try db.makeStatement(sql: sql)
      let execution = StatementExecution(statement)
      var count = 0
      while try execution.advance() {
        let handle = try #require(statement.handle)
        let columns = statement.columnCount
        let found = RowValues(of: handle, count: columns)
        let requested = RowValues(of: handle, count: columns, findsPlaces: false)
        #expect(found.areFound == isFound)
        #expect(!requested.areFound)
        for index in 0..<columns {
          let value = sqlite3_column_value(handle, CInt(index))
          #expect(found[index] == value)
          #expect(requested[index] == value)
        }
        count += 1
      }
      #expect(count > 0)
    }
  }

  @Test func `a wide row's values are found by their places`() throws {
    try check("SELECT 1, 'text', x'00ff', NULL, 1.5, zeroblob(1000)", isFound: true)
    let list = (0..<300).map { "'value \($0)'" }.joined(separator: ", ")
    try check("SELECT \(list)", isFound: true)
  }

  @Test func `places are found for each row, wherever it comes from`() throws {
    try check(
      """
      WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 20)
      SELECT a, a * 2, 'a' || a, NULL FROM n UNION ALL SELECT 4, 3, 2, 1 ORDER BY 1
      """, isFound: true)
    try check("SELECT 1, 2, 3, 4 UNION ALL SELECT 5, 6, 7, 'eight'", isFound: true)
    try check("PRAGMA table_info(sqlite_master)", isFound: true)
  }

  @Test func `a narrow row's values are requested`() throws {
    try check("SELECT 'one'", isFound: false)
    try check("SELECT 1, 2, 3", isFound: false)
  }
}
