import CofferCore
import CofferQuery

extension FetchableRecord {
  // MARK: From a statement

  /// A cursor over the records of a statement.
  @inlinable
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    RecordCursor(try Row.fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// All records of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).all()
  }

  /// The first record of a statement, or nil where it gives none.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).first()
  }

  // MARK: From SQL

  /// A cursor over the records of a query.
  @inlinable
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    try fetchCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// All records of a query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }

  /// The first record of a query, or nil where it gives none.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}

extension FetchableRecord where Self: Hashable {
  /// The distinct records of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).set()
  }

  /// The distinct records of a query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
  }
}
