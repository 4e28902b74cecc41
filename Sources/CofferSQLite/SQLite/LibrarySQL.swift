/// The library's own SQL, outside of the statement cache, on any connection.
package enum LibrarySQL {
  /// Executes `body`, whose failures become errors that name the SQL.
  @safe package static func naming<T>(
    _ sql: String, in connection: SQLiteConnection,
    _ body: (SQLiteConnection) throws(SQLite.Failure) -> T
  ) throws -> T {
    do {
      return try unsafe body(connection)
    } catch {
      throw DatabaseError(code: error.code, connection: connection, sql: sql)
    }
  }

  /// Runs SQL and ignores its rows.
  @safe package static func run(_ sql: String, in connection: SQLiteConnection) throws {
    let code = SQLite.run(connection, sql)
    guard code == SQLite.ok else {
      throw DatabaseError(code: code, connection: connection, sql: sql)
    }
  }

  /// Returns the first column of the first row as text; nil for no row or NULL.
  @safe package static func scalar(
    _ sql: String, in connection: SQLiteConnection
  ) throws -> String? {
    try naming(sql, in: connection) { connection throws(SQLite.Failure) in
      try SQLite.scalar(connection, sql)
    }
  }

  /// Compiles a statement, which the caller finalizes.
  @safe package static func prepare(
    _ sql: String, in connection: SQLiteConnection
  ) throws -> SQLiteStatement {
    try naming(sql, in: connection) { connection throws(SQLite.Failure) in
      try SQLite.prepare(sql, in: connection)
    }
  }

  /// Runs a statement without rows, whose parameters `bind` sets.
  @safe package static func run(
    _ sql: String, in connection: SQLiteConnection, binding bind: (SQLiteStatement) -> CInt
  ) throws {
    let statement = try prepare(sql, in: connection)
    defer { SQLite.finalize(statement) }
    var code = unsafe bind(statement)
    if code == SQLite.ok { code = SQLite.step(statement) }
    guard code == SQLite.done else {
      throw DatabaseError(code: code, connection: connection, sql: sql)
    }
  }
}
