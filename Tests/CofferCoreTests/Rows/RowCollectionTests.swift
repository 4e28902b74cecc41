@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

struct RowCollectionTests {
  @Test func `a row is a collection of names and values`() throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, "SELECT 1 AS a, 'x' AS b, NULL AS a") { row in
        #expect(row.map(\.0) == ["a", "b", "a"])
        #expect(row.map(\.1) == [1.databaseValue, "x".databaseValue, .null])
        #expect(row.count == 3)
        #expect(!row.isEmpty)
        #expect(row.first?.1 == 1.databaseValue)
        #expect(row.last?.1 == .null)
        #expect(row.reversed().map(\.0) == ["a", "b", "a"])
        #expect(Array(row.columnNames) == ["a", "b", "a"])
        #expect(Array(row.databaseValues) == row.map(\.1))
        #expect(row.dropFirst().first?.0 == "b")
      }
    }
  }

  @Test func `indices are numbers in a type of their own`() {
    let row: Row = ["a": 1, "b": 2, "c": 3]
    let second = row.startIndex.advanced(by: 1)
    #expect(row[second].0 == "b")
    #expect(row.startIndex.distance(to: row.endIndex) == 3)
    #expect(row.index(before: row.endIndex) == second.advanced(by: 1))
    #expect(row.startIndex < second)
    #expect(Array(row.indices).count == 3)
    #expect(row.firstIndex { $0.0 == "c" } == second.advanced(by: 1))
  }

  @Test func `an index out of range traps`() async {
    await #expect(processExitsWith: .failure) {
      let row: Row = ["a": 1]
      _ = row[row.endIndex]
    }
    await #expect(processExitsWith: .failure) {
      let row: Row = ["a": 1]
      _ = row[1] as Int?
    }
    await #expect(processExitsWith: .failure) {
      let row: Row = ["a": 1]
      _ = row[-1] as Int?
    }
  }

  @Test func `the order and the duplicates of a literal are kept`() {
    let row: Row = ["z": 1, "a": nil, "z": "x"]
    #expect(Array(row.columnNames) == ["z", "a", "z"])
    #expect(Array(row.databaseValues) == [1.databaseValue, .null, "x".databaseValue])
    #expect(row["z"] == 1)
  }

  @Test func `rows are made of dictionaries and of nothing`() throws {
    #expect(Row().isEmpty)
    #expect(Row() == [:])
    #expect(Row()["a"] == nil)
    #expect(Row(["a": 1]) == ["a": 1])
    let values: [String: (any DatabaseValueConvertible)?] = ["b": "x", "a": nil]
    #expect(Row(values) == ["a": nil, "b": "x"])
    let any: [AnyHashable: Any] = ["a": 1, "b": "x"]
    #expect(try #require(Row(any)) == ["a": 1, "b": "x"])
    let notStorable: [AnyHashable: Any] = ["a": Thread.current]
    #expect(Row(notStorable) == nil)
    let notNamed: [AnyHashable: Any] = [1: "a"]
    #expect(Row(notNamed) == nil)
  }

  @Test func `rows with the same columns, order and values are equal`() {
    let row: Row = ["a": 1, "b": "x"]
    let equal: Row = ["a": 1.0, "b": "x"]
    #expect(row == equal)
    #expect(row.hashValue == equal.hashValue)
    #expect(row != ["b": "x", "a": 1])
    #expect(row != ["a": 1])
    #expect(row != ["a": 1, "b": "y"])
    #expect(row != ["a": 1, "B": "x"])
    #expect(row != ["a": 1, "b": nil])
    #expect(Set([row, equal, ["b": "x"]]).count == 2)
  }

  @Test func `fetched rows are equal to rows that were made, live or copied`() throws {
    try EncryptedQueue.with { db in
      let sql = "SELECT 1 AS i, 1.5 AS r, 'x' AS t, x'00ff' AS b, NULL AS n"
      try withCopiedAndLiveRow(db, sql) { row in
        let made: Row = ["i": 1, "r": 1.5, "t": "x", "b": Data([0, 255]), "n": nil]
        #expect(row == made)
        #expect(row.hashValue == made.hashValue)
        #expect(row.copy() == row)
      }
      let rows = try Row.fetchSet(db, sql: "SELECT 1 AS a UNION ALL SELECT 1 UNION ALL SELECT 2")
      #expect(rows == [["a": 1], ["a": 2]])
    }
  }

  @Test func `the leftmost column of a name is found in either case`() throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, "SELECT 1 AS name, 2 AS NAME, 3 AS \"Straße\"") { row in
        #expect(row["NaMe"] == 1)
        #expect(row["name"] == 1)
        // The leftmost, though another one has just that name.
        #expect(row["NAME"] == 1)
        #expect(row[1] == 2)
        #expect(row.hasColumn("Name"))
        #expect(row["straße"] == 3)
        #expect(row["STRASSE"] == nil)
        #expect(row["missing"] == nil)
        #expect(row["missing"] as Int? == nil)
        #expect(!row.hasColumn("missing"))
      }
    }
  }

  @Test func `the leftmost of many columns is found in either case`() throws {
    try EncryptedQueue.with { db in
      let columns = (0..<30).map { "\($0) AS \($0 % 2 == 0 ? "c" : "C")\($0 / 2)" }
      try withCopiedAndLiveRow(db, "SELECT " + columns.joined(separator: ", ")) { row in
        for number in 0..<15 {
          #expect(row["c\(number)"] == number * 2)
          #expect(row["C\(number)"] == number * 2)
        }
        #expect(row[29] == 29)
      }
    }
  }

  @Test func `the row of a dictionary has its columns in the order of their names`() throws {
    let row = Row(["b": 2, "a": 1, "C": nil])
    #expect(Array(row.columnNames) == ["C", "a", "b"])
    #expect(Row(["b": 2, "a": 1] as [AnyHashable: Any])?.first?.0 == "a")
    let literal: Row = ["b": 2, "a": 1, "B": 3]
    #expect(Array(literal.columnNames) == ["b", "a", "B"])
    #expect(literal["B"] == 2)
  }

  @Test func `coalesce gives the first value that is there`() throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, "SELECT NULL AS a, 'x' AS b, 'y' AS c") { row in
        #expect(row.coalesce(["a", "missing", "b", "c"]) == "x")
        #expect(row.coalesce(["c", "b"]) == "y")
        #expect(row.coalesce(["a"]) as String? == nil)
        #expect(row.coalesce([]) as String? == nil)
      }
    }
  }

  @Test func `null values are recognized without decoding them`() throws {
    try EncryptedQueue.with { db in
      try withCopiedAndLiveRow(db, "SELECT NULL AS a, x'' AS b, '' AS c") { row in
        #expect(row.hasNull(atIndex: 0))
        #expect(!row.hasNull(atIndex: 1))
        #expect(!row.hasNull(atIndex: 2))
        #expect(row.containsNonNullValue)
      }
      try withCopiedAndLiveRow(db, "SELECT NULL, NULL") { #expect(!$0.containsNonNullValue) }
      #expect(!Row().containsNonNullValue)
    }
  }
}
