@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

/// Values of copied rows are converted like database values.
@Suite struct RowImageTests {
  private static let values: [String] = [
    "NULL", "0", "1", "-7", "9223372036854775807", "-9223372036854775808", "1.5", "-0.0",
    "2.0", "1e300", "''", "'text'", "'12'", "'é\u{1F600}'", "CAST(X'FF41' AS TEXT)", "x''",
    "x'616263'", "x'FF00'", "'2024-02-03 04:05:06.789'", "'a text that is longer than fifteen'",
  ]

  private func check<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ type: T.Type
  ) throws {
    let sql = "SELECT " + Self.values.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", ")
    try EncryptedQueue.with { db in
      let row = try #require(try Row.fetchOne(db, sql: sql))
      let adapted = try #require(
        try Row.fetchOne(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1)))
      for (index, value) in row.databaseValues.enumerated() {
        let expected = T.fromDatabaseValue(value)
        #expect((try? row.decode(T.self, atIndex: index)) == expected, "\(T.self) \(index)")
        #expect((try? row.decode(T.self, forColumn: "c\(index)")) == expected, "\(T.self) \(index)")
        if expected != nil { #expect(row["C\(index)"] as T == expected) }
        guard index > 0 else { continue }
        #expect((try? adapted.decode(T.self, atIndex: index - 1)) == expected)
        #expect((try? adapted.decode(T.self, forColumn: "c\(index)")) == expected)
      }
    }
  }

  @Test func `numbers and texts are those of the database value`() throws {
    try check(Int.self)
    try check(Int64.self)
    try check(Double.self)
    try check(String.self)
    try check(Int?.self)
    try check(Int64?.self)
    try check(Double?.self)
    try check(String?.self)
  }

  @Test func `other types are those of the database value`() throws {
    try check(Bool.self)
    try check(Int8.self)
    try check(UInt?.self)
    try check(Float.self)
    try check(Data.self)
    try check(Data?.self)
    try check(Date.self)
    try check(DatabaseValue.self)
  }
}
