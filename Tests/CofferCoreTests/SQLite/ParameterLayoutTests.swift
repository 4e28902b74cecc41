import CSQLCipher
@testable import CofferCore
@testable import CofferSQLite
import CofferTestSupport
import Foundation
import Testing

/// Values that are stored in SQLite's memory are those that its functions bind.
@Suite struct ParameterLayoutTests {
  private static let layout = ParameterLayout.linked

  @Test func `the layout of the linked SQLite is known`() {
    #expect(Self.layout != .unknown)
    #expect(ParameterLayout.proven() == Self.layout)
  }

  /// The values of the first row, each with its type.
  private func row(_ handle: SQLiteStatement) -> [String] {
    defer { sqlite3_reset(handle) }
    guard sqlite3_step(handle) == SQLITE_ROW else { return [] }
    return (0..<sqlite3_column_count(handle)).map { column in
      let type = sqlite3_column_type(handle, column)
      let content =
        switch type {
        case SQLITE_INTEGER: "\(sqlite3_column_int64(handle, column))"
        case SQLITE_FLOAT: "\(sqlite3_column_double(handle, column).bitPattern)"
        case SQLITE_NULL: ""
        default: "\(Array(SQLite.columnBlob(handle, column)))"
        }
      return "\(type) \(content)"
    }
  }

  @Test func `both ways to bind give the same rows, in any order`() throws {
    try EncryptedQueue.with { db in
      let sql = "SELECT ?1, ?2, ?3, typeof(?1), ?2 + ?3, ?1 || ?3"
      let (stored, bound) = try (db.makeStatement(sql: sql), db.makeStatement(sql: sql))
      let handles = try (#require(stored.handle), #require(bound.handle))
      #expect(handles.0 != handles.1)
      var generator = SeededGenerator()
      let reals = [0.0, -0.0, .infinity, -.infinity, .nan, .signalingNaN, .leastNonzeroMagnitude]
      for round in 0..<3000 {
        for _ in 0...Int.random(in: 0...3, using: &generator) {
          let index = CInt.random(in: 1...3, using: &generator)
          let codes: (CInt, CInt)
          switch Int.random(in: 0..<6, using: &generator) {
          case 0:
            codes = (SQLite.bindNull(handles.0, index), sqlite3_bind_null(handles.1, index))
          case 1:
            let real =
              Bool.random(using: &generator)
              ? Double.random(in: -1e300...1e300, using: &generator)
              : reals.randomElement(using: &generator) ?? 0
            codes = (
              SQLite.bind(real, to: handles.0, at: index),
              sqlite3_bind_double(handles.1, index, real)
            )
          case 2:
            let text = String(repeating: "ä", count: .random(in: 0...40, using: &generator))
            codes = (
              SQLite.bind(text, to: handles.0, at: index),
              SQLite.bind(text, to: handles.1, at: index)
            )
          case 3 where round % 20 == 0:
            codes = (sqlite3_clear_bindings(handles.0), sqlite3_clear_bindings(handles.1))
          default:
            let number = Int64.random(in: .min ... .max, using: &generator)
            codes = (
              SQLite.bind(number, to: handles.0, at: index),
              sqlite3_bind_int64(handles.1, index, number)
            )
          }
          #expect(codes == (SQLITE_OK, SQLITE_OK))
        }
        // The statements are compiled again, and keep their values.
        if round % 500 == 250 { try db.execute(sql: "CREATE TABLE t\(round) (a)") }
        #expect(row(handles.0) == row(handles.1))
      }
    }
  }

  @Test func `a parameter that the statement hasn't is out of range`() throws {
    try EncryptedQueue.with { db in
      for (sql, count) in [
        ("SELECT 1", 0), ("SELECT ?", 1), ("SELECT ?7", 7), ("SELECT ?999", 999),
      ] {
        let statement = try db.makeStatement(sql: sql)
        let handle = try #require(statement.handle)
        for index in [-1, 0, count + 1, count + 65536, Int(CInt.max)] {
          #expect(SQLite.bind(Int64(1), to: handle, at: CInt(index)) == SQLITE_RANGE)
          #expect(SQLite.bind(1.5, to: handle, at: CInt(index)) == SQLITE_RANGE)
          #expect(SQLite.bindNull(handle, CInt(index)) == SQLITE_RANGE)
        }
        for index in 1..<count + 1 {
          #expect(Self.layout.store(1, CellLayout.integer, in: handle, at: CInt(index)))
        }
      }
    }
  }

  @Test func `a number that replaces a blob frees it`() throws {
    try EncryptedQueue.with { db in
      let statement = try db.makeStatement(sql: "SELECT ?, ?")
      let handle = try #require(statement.handle)
      let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      defer { count.deallocate() }
      count.initialize(to: 0)
      for number in 1...3 {
        sqlite3_bind_blob(handle, 2, count, 8) { bytes in
          bytes?.assumingMemoryBound(to: Int.self).pointee += 1
        }
        #expect(!Self.layout.store(0, CellLayout.null, in: handle, at: 2))
        #expect(SQLite.bind(Int64(number), to: handle, at: 2) == SQLITE_OK)
        #expect(count.pointee == number)
        #expect(row(handle) == ["5 ", "1 \(number)"])
      }
    }
  }

  @Test func `a statement whose plan depends on a value is compiled again`() throws {
    try EncryptedQueue.with { db in
      try db.execute(sql: "CREATE TABLE t (name TEXT COLLATE NOCASE); CREATE INDEX i ON t (name)")
      try db.execute(sql: "INSERT INTO t VALUES ('1a'), ('1b'), ('2.5'), ('25'), ('x'), (NULL)")
      let sql = "SELECT count(*), ? FROM t WHERE name LIKE ?"
      let statement = try db.makeStatement(sql: sql)
      let handle = try #require(statement.handle)
      for index in [CInt(1), 2] {
        #expect(!Self.layout.store(1, CellLayout.integer, in: handle, at: index))
      }
      for pattern in ["1%", 25, 2.5, nil, "x", 25, "%", nil] as [(any DatabaseValueConvertible)?] {
        let found = try Int.fetchOne(statement, arguments: [7, pattern])
        let text = pattern?.databaseValue ?? .null
        let literal = try String.fetchOne(db, sql: "SELECT quote(?)", arguments: [text]) ?? ""
        let expected = try Int.fetchOne(
          db, sql: "SELECT count(*) FROM t WHERE name LIKE \(literal)")
        #expect(found == expected)
      }
    }
  }

  @Test func `nothing is stored without a layout`() throws {
    try EncryptedQueue.with { db in
      let statement = try db.makeStatement(sql: "SELECT ?")
      let handle = try #require(statement.handle)
      #expect(!ParameterLayout.unknown.store(1, CellLayout.integer, in: handle, at: 1))
      #expect(row(handle) == ["5 "])
    }
  }

  @Test func `tracers see the values`() throws {
    try EncryptedQueue.with { db in
      let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
      try statement.setArguments([-7, 0.5, nil])
      let text = sqlite3_expanded_sql(statement.handle)
      defer { sqlite3_free(text) }
      #expect(text.map { String(cString: $0) } == "SELECT -7, 0.5, NULL")
    }
  }
}
