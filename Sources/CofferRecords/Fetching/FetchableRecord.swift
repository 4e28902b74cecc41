import CofferCore
import CofferQuery
import FoundationEssentials

/// A type that is made of a row.
///
/// ```swift
/// struct Player: FetchableRecord {
///   let name: String
///   let score: Int?
///
///   init(row: Row) throws {
///     name = row["name"]
///     score = row["score"]
///   }
/// }
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
///
/// A type that is `Decodable` as well needs no `init(row:)`: its properties are
/// read from the columns with the names of its coding keys. The static
/// requirements below say how.
public protocol FetchableRecord: _CodingKeyColumns {
  /// The record that a row holds.
  ///
  /// Don't keep the row: a cursor gives the same one for each record. Keep
  /// `row.copy()`, if need be.
  init(row: Row) throws

  /// What `init(from:)` finds in its decoder's `userInfo`; nothing, by default.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// The decoder for a column that holds JSON.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How the `Data` properties of a column are decoded.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// How the `Date` properties of a column are decoded.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// How the column of a coding key is found.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
  // MARK: From a statement

  /// A cursor over the records of a statement.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    RecordCursor(
      try Row.fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// All records of a statement.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The first record of a statement, or nil where it gives none.
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    let cursor = try fetchCursor(statement, arguments: arguments, adapter: adapter)
    guard let record = try cursor.next() else { return nil }
    try cursor._execution.stop()
    return record
  }

  // MARK: From SQL

  /// A cursor over the records of a query.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    try fetchCursor(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All records of a query.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The first record of a query, or nil where it gives none.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension FetchableRecord where Self: Hashable {
  /// The distinct records of a statement.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The distinct records of a query.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try fetchSet(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

/// A cursor of records.
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
  /// A record.
  public typealias Element = Record

  private let rows: RowCursor

  init(_ rows: RowCursor) { self.rows = rows }

  /// The execution that the cursor steps.
  public var _execution: StatementExecution { rows._execution }

  /// The record of the current row.
  public func _element() throws -> Record { try Record(row: rows._element()) }
}
