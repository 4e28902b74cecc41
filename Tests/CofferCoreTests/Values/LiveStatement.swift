import CSQLCipher
@testable import CofferCore
import Testing

/// Runs a query in an empty database, through SQLite's C API, and lends its first row.
func withRow<T>(
  _ sql: String, _ bindings: [any StatementBinding] = [], encoding: String = "UTF-8",
  _ body: (SQLiteStatement) throws -> T
) throws -> T {
  var connection: OpaquePointer?
  try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
  defer { sqlite3_close(connection) }
  try #require(
    sqlite3_exec(connection, "PRAGMA encoding = '\(encoding)'", nil, nil, nil) == SQLITE_OK)
  var statement: OpaquePointer?
  try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
  defer { sqlite3_finalize(statement) }
  let prepared = try #require(statement)
  for (index, binding) in bindings.enumerated() {
    try #require(binding.bind(to: prepared, at: CInt(index + 1)) == SQLITE_OK)
  }
  try #require(sqlite3_step(prepared) == SQLITE_ROW)
  return try body(prepared)
}

/// The only column of a query's first row, read straight from the statement.
func live<T: StatementColumnConvertible>(_ type: T.Type, _ sql: String) throws -> T? {
  try withRow("SELECT \(sql)") { T.fromStatement($0, atUncheckedIndex: 0) }
}

/// The only column of a query's first row, read by way of a database value.
func stored<T: DatabaseValueConvertible>(_ type: T.Type, _ sql: String) throws -> T? {
  T.fromDatabaseValue(try databaseValue(sql))
}

/// The only column of a query's first row.
func databaseValue(_ sql: String) throws -> DatabaseValue {
  try withRow("SELECT \(sql)") { DatabaseValue(sqliteStatement: $0, index: 0) }
}

/// What SQLite has after the value was bound, and SQLite's name of its class.
func bound(_ value: any StatementBinding) throws -> (value: DatabaseValue, type: String?) {
  try withRow("SELECT ?1, typeof(?1)", [value]) {
    (
      DatabaseValue(sqliteStatement: $0, index: 0),
      String.fromStatement($0, atUncheckedIndex: 1)
    )
  }
}

/// Expects the same value back on each way of binding and reading.
func expectRoundTrip<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
  _ value: T, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(T.fromDatabaseValue(value.databaseValue) == value, sourceLocation: sourceLocation)
  for binding in [value, value.databaseValue] as [any StatementBinding] {
    try withRow("SELECT ?", [binding]) { statement in
      #expect(
        T.fromStatement(statement, atUncheckedIndex: 0) == value, sourceLocation: sourceLocation)
      #expect(
        T(sqliteStatement: statement, index: 0) == value, sourceLocation: sourceLocation)
      #expect(
        T?.fromStatement(statement, atUncheckedIndex: 0) == .some(.some(value)),
        sourceLocation: sourceLocation)
    }
    let found = try withRow("SELECT ?", [binding]) { DatabaseValue(sqliteStatement: $0, index: 0) }
    #expect(found.storage == value.databaseValue.storage, sourceLocation: sourceLocation)
  }
}
