import CofferVault

extension DatabaseValueConvertible {
  // MARK: From a statement

  /// Returns a cursor over the values of a statement, the first column of each row.
  @inlinable
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    if let arguments { try statement.setArguments(arguments) }
    return try DatabaseValueCursor(statement, adapter: adapter)
  }

  /// Returns all values of a statement, the first column of each row.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    if let arguments { try statement.setArguments(arguments) }
    let cursor = try DatabaseValueCursor<Self>(statement, adapter: adapter)
    var values: [Self] = []
    while let value = try cursor.next() { values.append(value) }
    return values
  }

  /// Returns the first value of a statement; nil if it is NULL or there is no row.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    if let arguments { try statement.setArguments(arguments) }
    let column = CInt(try statement.firstColumn(adapter))
    let execution = StatementExecution(statement)
    guard try execution.advance(), let handle = statement.handle else { return nil }
    guard let value = Self._value(of: handle, at: column) else {
      guard SQLite.columnIsNull(handle, column) else {
        throw execution.fail(statement.mismatch(Self.self, column: Int(column)))
      }
      try execution.stop()
      return nil
    }
    try execution.stop()
    return value
  }

  // MARK: From SQL

  /// Returns a cursor over the values of a query, the first column of each row.
  @inlinable
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try fetchCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns all values of a query, the first column of each row.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns the first value of a query; nil if it is NULL or there is no row.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// Returns the distinct values of a statement, the first column of each row.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// Returns the distinct values of a query, the first column of each row.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}
