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
  ///
  /// ```swift
  /// let strong = try db.makeStatement(literal: "SELECT * FROM player WHERE score > \(1000)")
  /// let any = try db.makeStatement(literal: "SELECT * FROM \(sql: table) WHERE score > ?")
  /// ```
  ///
  /// Without values in it, parameters may be left open, and get their arguments later on.
  /// - Throws: An error also where some parameters have values, and others don't.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// A prepared statement from the connection's cache, with the values in it bound.
  ///
  /// Parameters may be left open as in ``makeStatement(literal:)``.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// A cursor over the statements in the SQL, with the values in them bound.
  ///
  /// Parameters may be left open as in ``makeStatement(literal:)``.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
  }
}
