import CSQLCipher
@testable import CofferCore
import Foundation
import Testing

@Suite struct DatabaseErrorTests {
  @Test func `the description has code, message and SQL`() {
    let error = DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "UNIQUE constraint failed: t.a",
      sql: "INSERT INTO t VALUES (?)")
    #expect(
      error.description
        == "SQLite error 19: UNIQUE constraint failed: t.a - while executing "
        + "`INSERT INTO t VALUES (?)`")
    #expect("\(error)" == error.description)
    #expect(error.expandedDescription == error.description)
    #expect(error.resultCode == .SQLITE_CONSTRAINT)
    #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    #expect(error.message == "UNIQUE constraint failed: t.a")
    #expect(error.sql == "INSERT INTO t VALUES (?)")
    #expect(error.arguments == nil)
  }

  @Test func `without a message, it has SQLite's words for the code`() {
    #expect(DatabaseError().description == "SQLite error 1: \(ResultCode.SQLITE_ERROR.words)")
    #expect(DatabaseError(resultCode: .SQLITE_NOMEM).message == "out of memory")
  }

  @Test func `an error without arguments doesn't mention them`() {
    let error = DatabaseError(
      message: "m", sql: "SELECT 1", arguments: StatementArguments(),
      publicStatementArguments: true)
    #expect(error.description == "SQLite error 1: m - while executing `SELECT 1`")
    #expect(error.expandedDescription == error.description)
  }

  @Test func `a hint ends the description`() {
    let error = DatabaseError(
      .SQLITE_NOTADB, "file is not a database", hint: "check the key", sql: "SELECT 1")
    #expect(
      error.description
        == "SQLite error 26: file is not a database - while executing `SELECT 1` - check the key")
  }

  @Test func `errors of SQLite are described in its words, and debugged with a hint`() throws {
    try DatabaseQueue().inDatabase { db in
      let error = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT abs()")
      }
      #expect(
        error.description
          == "SQLite error 1: wrong number of arguments to function abs()"
          + " - while executing `SELECT abs()`")
      // SQLite gives the place since 3.38.
      let hint = error.hint.map { " - \($0)" } ?? ""
      #expect(hint.isEmpty == (sqlite3_libversion_number() < 3_038_000))
      #expect(error.debugDescription == "\(error.description)\(hint)")
      let count = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT ?; SELECT ?, ?", arguments: [1, 2])
      }
      #expect(
        count.description
          == "SQLite error 21: wrong number of statement arguments: 1"
          + " - while executing `SELECT ?, ?`")
      let many = try #require(throws: DatabaseError.self) {
        try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1, 2, 3])
      }
      #expect(many.description == "SQLite error 21: wrong number of statement arguments: 3")
    }
  }

  @Test func `interruption and abortion are told from failure`() {
    #expect(DatabaseError(resultCode: .SQLITE_INTERRUPT).isInterruptionError)
    #expect(DatabaseError(resultCode: .SQLITE_ABORT).isInterruptionError)
    #expect(DatabaseError(resultCode: .SQLITE_ABORT_ROLLBACK).isInterruptionError)
    #expect(!DatabaseError(resultCode: .SQLITE_BUSY).isInterruptionError)
  }

  @Test func `Foundation sees domain, code and description`() {
    let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "m")
    let nsError = error as NSError
    #expect(nsError.domain == "Coffer.DatabaseError")
    #expect(nsError.code == 2067)
    #expect((error as any Error).localizedDescription == "SQLite error 19: m")
  }

  @Test func `a database error has the size of a pointer`() {
    #expect(MemoryLayout<DatabaseError>.size == MemoryLayout<UnsafeRawPointer>.size)
    #expect(MemoryLayout<RowDecodingError>.size == MemoryLayout<UnsafeRawPointer>.size)
  }
}

extension ResultCode {
  fileprivate var words: Substring {
    description.drop { $0 != "(" }.dropFirst().dropLast()
  }
}
