import CofferCore
import CofferQuery
import CofferRecords
import Dispatch

extension FetchedRecordsController {
  /// A controller of a request's records.
  ///
  /// - Parameters:
  ///   - queue: The serial queue on which the controller is used and tells of changes.
  ///   - sectionName: Makes sections: of consecutive records that it gives the same name. It is
  ///     called on another thread, once for each version of a record. Nil for one section, which is
  ///     there even if it has no records.
  ///   - isSameRecord: Whether two records are the same one, before and after a change; called on
  ///     another thread. Records of equal rows are taken for the same one without asking. Of those
  ///     that were changed, each that is new or has moved may be compared with all others.
  /// - Throws: Nothing, today.
  public convenience init<Request: FetchRequest>(
    _ reader: any DatabaseReader, request: Request, queue: DispatchQueue = .main,
    sectionName: (@Sendable (Record) -> String)? = nil,
    isSameRecord: (@Sendable (Record, Record) -> Bool)? = nil
  ) throws where Request.RowDecoder == Record {
    self.init(
      reader, AnyFetchRequest(request), queue: queue,
      identity: isSameRecord.map { .function($0) } ?? .contents, sectionName: sectionName)
  }

  /// A controller of the records of an SQL query.
  ///
  /// ```swift
  /// let controller = try FetchedRecordsController<Player>(
  ///   queue, sql: "SELECT * FROM player WHERE team = ? ORDER BY name", arguments: ["red"])
  /// ```
  /// - Parameter adapter: What the rows are seen through.
  /// - Throws: Nothing, today: the SQL is looked at by ``performFetch()``.
  public convenience init(
    _ reader: any DatabaseReader, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, queue: DispatchQueue = .main,
    sectionName: (@Sendable (Record) -> String)? = nil,
    isSameRecord: (@Sendable (Record, Record) -> Bool)? = nil
  ) throws {
    try self.init(
      reader, request: SQLRequest<Record>(sql: sql, arguments: arguments, adapter: adapter),
      queue: queue, sectionName: sectionName, isSameRecord: isSameRecord)
  }

  /// Fetches other records from now on.
  ///
  /// Where changes are tracked, the records are fetched on another thread, and how the list becomes
  /// the other one is told as a batch of changes; an error goes to ``trackErrors(_:)``, and nothing
  /// is tracked then until there is another request. Otherwise it is ``performFetch()`` that fetches.
  /// - Throws: Nothing, today.
  public func setRequest<Request: FetchRequest>(_ request: Request) throws
  where Request.RowDecoder == Record {
    self.request = AnyFetchRequest(request)
    if isFetched, callbacks != nil { restart() }
  }

  /// Fetches the records of an SQL query from now on, as ``setRequest(_:)`` does.
  ///
  /// - Throws: Nothing, today: an error in the SQL goes to ``trackErrors(_:)``.
  public func setRequest(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws {
    try setRequest(SQLRequest<Record>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension FetchedRecordsController where Record: TableRecord {
  /// A controller of a request's records, which are told apart by their primary keys.
  ///
  /// ```swift
  /// let controller = try FetchedRecordsController(
  ///   pool, request: Player.order { $0.team }, sectionName: { $0.team })
  /// ```
  /// - Parameters:
  ///   - queue: The serial queue on which the controller is used and tells of changes.
  ///   - sectionName: Makes sections: of consecutive records that it gives the same name. It is
  ///     called on another thread, once for each version of a record. Nil for one section, which is
  ///     there even if it has no records.
  /// - Throws: Nothing, today.
  public convenience init<Request: FetchRequest>(
    _ reader: any DatabaseReader, request: Request, queue: DispatchQueue = .main,
    sectionName: (@Sendable (Record) -> String)? = nil
  ) throws where Request.RowDecoder == Record {
    self.init(
      reader, AnyFetchRequest(request), queue: queue,
      identity: .primaryKey(table: Record.databaseTableName), sectionName: sectionName)
  }

  /// A controller of the records of an SQL query, which are told apart by their primary keys.
  ///
  /// - Parameter adapter: What the rows are seen through.
  /// - Throws: Nothing, today: the SQL is looked at by ``performFetch()``.
  public convenience init(
    _ reader: any DatabaseReader, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, queue: DispatchQueue = .main,
    sectionName: (@Sendable (Record) -> String)? = nil
  ) throws {
    try self.init(
      reader, request: SQLRequest<Record>(sql: sql, arguments: arguments, adapter: adapter),
      queue: queue, sectionName: sectionName)
  }
}
