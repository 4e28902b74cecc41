import CofferCore
import CofferQuery

extension FetchableRecord {
  // MARK: From a statement

  /// Returns a cursor over the records of a statement.
  @inlinable
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    RecordCursor(try Row.fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// Returns all records of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).all()
  }

  /// Returns the first record of a statement; nil if there is none.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).first()
  }

  // MARK: From SQL

  /// Returns a cursor over the records of a query.
  @inlinable
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    try fetchCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns all records of a query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// Returns the first record of a query; nil if there is none.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}

extension FetchableRecord where Self: Hashable {
  /// Returns the distinct records of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).set()
  }

  /// Returns the distinct records of a query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}
