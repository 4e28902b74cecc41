extension Database {
  // MARK: SQL literals

  /// Executes one or several statements, with interpolated values as arguments.
  ///
  /// ```swift
  /// try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(score))")
  /// ```
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// Compiles a statement and binds the interpolated values.
  ///
  /// ```swift
  /// let strong = try db.makeStatement(literal: "SELECT * FROM player WHERE score > \(1000)")
  /// let any = try db.makeStatement(literal: "SELECT * FROM \(sql: table) WHERE score > ?")
  /// ```
  ///
  /// Without interpolated values, parameters can be set later.
  /// - Throws: ``DatabaseError``, also if only some of the parameters have values.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// Returns a statement from the connection's cache, with the interpolated values bound.
  ///
  /// Parameters can be set later as in ``makeStatement(literal:)``.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// Returns a cursor over the statements in the SQL, with the interpolated values bound.
  ///
  /// Parameters can be set later as in ``makeStatement(literal:)``.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
  }
}
