extension Database {
  // MARK: SQL literals

  /// Executes one or several statements, with the values in them as arguments.
  ///
  /// ```swift
  /// try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(score))")
  /// ```
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// Prepares a statement, and binds the values in it.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// A prepared statement from the connection's cache, with the values in it bound.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }

  /// A cursor over the statements in the SQL, with the values in them bound.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments)
  }
}
