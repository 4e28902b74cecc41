import CofferCore
import CofferQuery
import CofferRecords
import Dispatch

extension FetchedRecordsController {
  /// Creates a controller of a request's records.
  ///
  /// ```swift
  /// let controller = try FetchedRecordsController(
  ///   pool, request: Player.order { $0.team }, sectionName: { $0.team })
  /// ```
  ///
  /// Records of a `TableRecord` are identified by their primary keys, unless there is an
  /// `isSameRecord`.
  /// - Parameters:
  ///   - queue: The serial queue on which the controller is used and calls its callbacks.
  ///   - sectionName: Divides the list into sections of consecutive records with the same name.
  ///     Called on another thread, once for each version of a record. Nil for one section, which
  ///     exists even without records.
  ///   - isSameRecord: Returns whether two records, before and after a change, have the same
  ///     identity; called on another thread. Not called for records with equal rows, which count as
  ///     the same. Among the changed records, each one that is new or has moved can be compared
  ///     with all others.
  /// - Throws: Currently nothing.
  public convenience init<Request: FetchRequest>(
    _ reader: any DatabaseReader, request: Request, queue: DispatchQueue = .main,
    sectionName: (@Sendable (Record) -> String)? = nil,
    isSameRecord: (@Sendable (Record, Record) -> Bool)? = nil
  ) throws where Request.RowDecoder == Record {
    let table = (Record.self as? any TableRecord.Type)?.databaseTableName
    let identity = table.map { ListIdentity<Record>.primaryKey(table: $0) } ?? .contents
    self.init(
      reader, AnyFetchRequest(request), queue: queue,
      identity: isSameRecord.map { .function($0) } ?? identity, sectionName: sectionName)
  }

  /// Creates a controller of the records of an SQL query.
  ///
  /// ```swift
  /// let controller = try FetchedRecordsController<Player>(
  ///   queue, sql: "SELECT * FROM player WHERE team = ? ORDER BY name", arguments: ["red"])
  /// ```
  /// - Parameter adapter: The adapter of the rows.
  /// - Throws: Currently nothing: ``performFetch()`` reports errors in the SQL.
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

  /// Changes the request.
  ///
  /// If changes are tracked, the records are fetched on another thread, and a batch of changes
  /// describes how the list becomes the new one; an error is passed to ``trackErrors(_:)``, and
  /// tracking stops until the request is changed again. Otherwise ``performFetch()`` fetches the
  /// new records.
  /// - Throws: Currently nothing.
  public func setRequest<Request: FetchRequest>(_ request: Request) throws
  where Request.RowDecoder == Record {
    self.request = AnyFetchRequest(request)
    if isFetched, callbacks != nil { restart() }
  }

  /// Changes the request to an SQL query, like ``setRequest(_:)``.
  ///
  /// - Throws: Currently nothing: an error in the SQL is passed to ``trackErrors(_:)``.
  public func setRequest(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws {
    try setRequest(SQLRequest<Record>(sql: sql, arguments: arguments, adapter: adapter))
  }
}
