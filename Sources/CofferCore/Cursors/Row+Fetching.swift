extension Row {
  // MARK: From a statement

  /// Returns a cursor over the rows of a statement.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    if let arguments { try statement.setArguments(arguments) }
    return try RowCursor(statement, adapter: adapter)
  }

  /// Returns all rows of a statement.
  ///
  /// - Complexity: Two allocations per row.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    var rows: [Row] = []
    try forEachCopy(statement, arguments, adapter) { rows.append($0) }
    return rows
  }

  /// Returns the distinct rows of a statement.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    var rows: Set<Row> = []
    try forEachCopy(statement, arguments, adapter) { rows.insert($0) }
    return rows
  }

  /// Returns the first row of a statement, or nil if there is none.
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    if let arguments { try statement.setArguments(arguments) }
    let execution = StatementExecution(statement)
    guard try execution.advance() else { return nil }
    let row = Row(copying: statement, adaptation: try statement.adaptation(of: adapter))
    try execution.stop()
    return row
  }

  static func forEachCopy(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
    _ body: (consuming Row) throws -> Void
  ) throws {
    if let arguments { try statement.setArguments(arguments) }
    try forEachImage(statement, adapter) { try body(Row(block: $0, start: $1, adaptation: $2)) }
  }

  /// Executes a statement, and calls `body` with the place of each copied row.
  @inline(__always)
  @safe static func forEachImage(
    _ statement: Statement, _ adapter: (any RowAdapter)?,
    _ body: (RowBlock, UnsafeRawPointer, RowAdaptation?) throws -> Void
  ) throws {
    let execution = StatementExecution(statement)
    guard try execution.advance() else { return }
    // After the first step, since SQLite may have recompiled the statement.
    let adaptation = try statement.adaptation(of: adapter)
    var block = RowBlock(layout: statement.layout, capacity: 0)
    while let handle = statement.handle {
      let start = RowBlock.copyRow(of: handle, statement.core, to: &block)
      try unsafe body(block, start, adaptation)
      guard try execution.advance() else { break }
    }
  }

  // MARK: From SQL

  /// Returns a cursor over the rows of a query.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try fetchCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns all rows of a query.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns the distinct rows of a query.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns the first row of a query, or nil if there is none.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}
