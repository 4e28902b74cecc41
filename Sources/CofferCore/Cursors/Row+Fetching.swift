extension Row {
  // MARK: From a statement

  /// A cursor over the rows of a statement.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    if let arguments { try statement.setArguments(arguments) }
    return try RowCursor(statement, adapter: adapter)
  }

  /// All rows of a statement.
  ///
  /// - Complexity: two allocations a row.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    var rows: [Row] = []
    try forEachCopy(statement, arguments, adapter) { rows.append($0) }
    return rows
  }

  /// The distinct rows of a statement.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    var rows: Set<Row> = []
    try forEachCopy(statement, arguments, adapter) { rows.insert($0) }
    return rows
  }

  /// The first row of a statement, or nil where it gives none.
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

  private static func forEachCopy(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
    _ body: (Row) -> Void
  ) throws {
    if let arguments { try statement.setArguments(arguments) }
    let execution = StatementExecution(statement)
    guard try execution.advance() else { return }
    // After the first step: SQLite may have compiled the statement anew.
    let adaptation = try statement.adaptation(of: adapter)
    var block = RowBlock(layout: statement.layout, capacity: 0)
    while let handle = statement.handle {
      let start = RowBlock.copyRow(of: handle, to: &block)
      body(Row(block: block, start: start, adaptation: adaptation))
      guard try execution.advance() else { break }
    }
  }

  // MARK: From SQL

  /// A cursor over the rows of a query.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try fetchCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// All rows of a query.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// The distinct rows of a query.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// The first row of a query, or nil where it gives none.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}
