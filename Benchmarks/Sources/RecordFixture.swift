import CFloor
import CSQLCipher
import Coffer
import Foundation

/// The tables of the record benchmarks: people, books with authors, and parents with children.
final class RecordFixture {
  let fixture: Fixture

  init(_ fixture: Fixture) { self.fixture = fixture }

  /// Creates the tables, once.
  func fill() throws {
    let rows = fixture.rows
    try fixture.queue.write { db in
      guard try !db.tableExists("person") else { return }
      try db.execute(
        sql: """
          CREATE TABLE person (
            id INTEGER PRIMARY KEY, name TEXT, email TEXT, nickname TEXT, created TEXT, score REAL);
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
          CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, year INTEGER, authorId INTEGER);
          CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parentId INTEGER, name TEXT, score INTEGER);
          """)
      for row in 1...rows {
        let created = Date(timeIntervalSince1970: Double(1_600_000_000 + row * 61))
        try db.execute(
          sql: "INSERT INTO person VALUES (?,?,?,?,?,?)",
          arguments: [
            row, "Person number \(row)", "person.\(row)@example.com",
            row % 3 == 0 ? nil : "nick \(row)", created, Double(row) / 4,
          ])
        try db.execute(
          sql: "INSERT INTO book VALUES (?,?,?,?)",
          arguments: [row, "The title of book \(row)", 1900 + row % 120, row % 1000 + 1])
      }
      for row in 1...1000 {
        try db.execute(
          sql: "INSERT INTO author VALUES (?,?,?)",
          arguments: [row, "Author number \(row)", "Country \(row % 50)"])
        try db.execute(
          sql: "INSERT INTO parent VALUES (?,?)", arguments: [row, "Parent number \(row)"])
        for child in 0..<100 {
          try db.execute(
            sql: "INSERT INTO child VALUES (?,?,?,?)",
            arguments: [row * 100 + child, row, "Child \(child) of \(row)", child])
        }
      }
    }
  }

  /// Steps through a query with the C API.
  func forEachRow(_ sql: String, _ body: (OpaquePointer) -> Void) {
    let connection = OpaquePointer(floor_connection(fixture.floor))
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { return }
    while sqlite3_step(statement) == SQLITE_ROW { body(statement) }
    sqlite3_finalize(statement)
  }

  /// Executes an insertion `count` times with the C API, in one transaction, and returns SQLite's
  /// code.
  func insert(
    _ count: Int, _ sql: String, _ bind: (OpaquePointer, _ index: Int) -> Void
  ) -> Int64 {
    let connection = OpaquePointer(floor_connection(fixture.floor))
    floor_exec(fixture.floor, "BEGIN IMMEDIATE")
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { return -1 }
    for index in 0..<count {
      bind(statement, index)
      guard sqlite3_step(statement) == SQLITE_DONE else { return -1 }
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    return Int64(floor_exec(fixture.floor, "COMMIT"))
  }
}

/// Returns a column's text, read with the C API as a Swift programmer would.
@inline(__always)
func text(_ statement: OpaquePointer, _ column: CInt) -> String? {
  guard let start = sqlite3_column_text(statement, column) else { return nil }
  let count = Int(sqlite3_column_bytes(statement, column))
  return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

/// Returns the date of text of the form `YYYY-MM-DD HH:MM:SS.SSS`.
func date(_ statement: OpaquePointer, _ column: CInt) -> Date? {
  guard let text = sqlite3_column_text(statement, column),
    sqlite3_column_bytes(statement, column) == 23
  else { return nil }
  func number(_ range: Range<Int>) -> Int {
    var result = 0
    for index in range { result = result * 10 + Int(text[index]) - 48 }
    return result
  }
  var (year, month) = (number(0..<4), number(5..<7))
  if month <= 2 { (year, month) = (year - 1, month + 12) }
  let days =
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month - 457) / 5
    + number(8..<10) - 719_469
  let seconds = days * 86_400 + number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
  return Date(timeIntervalSince1970: Double(seconds) + Double(number(20..<23)) / 1000)
}
