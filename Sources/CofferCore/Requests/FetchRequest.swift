import CofferVault

/// A query and the type that its rows are decoded to.
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// The type of the fetched elements: ``Row``, a value or a record.
  associatedtype RowDecoder

  /// Returns the statement to fetch from, with its arguments bound.
  ///
  /// - Parameter singleResult: Whether only the first row is needed, so that the query can add a
  ///   limit.
  func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest

  /// Returns the number of rows of the request.
  func fetchCount(_ db: Database) throws -> Int

  /// Returns the request by ranges of rowids, for ``DatabasePool/concurrentFetchAll(_:progress:)``.
  ///
  /// - Throws: ``ConcurrentFetchError``, by default with the reason that the SQL isn't known.
  func _tableScan() throws -> _TableScan

  /// Returns the request as a list that follows changes of single rows, for observations.
  ///
  /// - Returns: Nil, the default, if only a fetch of all rows is certain to be right.
  func _listQuery() -> _ListQuery?

  /// Returns the summed values as such a list, for a request of nothing but a sum.
  ///
  /// - Returns: Nil, the default, if only a fetch is certain to be right.
  func _summedQuery() -> _ListQuery?
}

extension FetchRequest {
  /// Throws ``ConcurrentFetchError``: the request's SQL isn't known.
  public func _tableScan() throws -> _TableScan { throw ConcurrentFetchError(.sql) }

  /// Returns nil: all rows are fetched.
  public func _listQuery() -> _ListQuery? { nil }

  /// Returns nil: the value is fetched.
  public func _summedQuery() -> _ListQuery? { nil }

  /// Returns the statement for fetching all rows, with its arguments bound.
  public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
    try makePreparedRequest(db, forSingleResult: false)
  }

  /// Returns the region that the statement reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { if request.isForOneFetch { request.statement.clearBindings() } }
    return request.statement.databaseRegion
  }

  /// Returns the request with a row adapter applied to its rows.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(base: self, adapter: adapter)
  }
}

/// A statement that is ready to fetch from, with what its rows need.
public struct PreparedRequest {
  /// The statement, with its arguments bound.
  public var statement: Statement

  /// The adapter that is applied to the rows.
  public var adapter: (any RowAdapter)? {
    get { if case .adapter(let adapter) = keptAdapter { adapter } else { nil } }
    set { keptAdapter = newValue.map { .adapter($0) } ?? .none }
  }

  /// An adapter, which most requests don't have: without one, there is nothing to copy.
  private enum KeptAdapter {
    case none
    indirect case adapter(any RowAdapter)
  }

  private var keptAdapter = KeptAdapter.none

  /// Whether rows have their own columns.
  fileprivate var isUnadapted: Bool { if case .none = keptAdapter { true } else { false } }

  /// Whether the statement belongs to a single fetch.
  ///
  /// Its arguments, which may be secrets, are cleared at the end.
  package var isForOneFetch = false

  /// Stores the rows of associations in ``Row/prefetched``, before the rows are decoded.
  ///
  /// If it isn't nil, all rows are fetched first, as copies, even for a cursor.
  package var supplementaryFetch: ((Database, [Row]) throws -> Void)?

  /// Returns requests for the rows of ``supplementaryFetch``, with their key paths, for dumps.
  package var supplementaryRequests:
    ((Database, [Row]) throws -> [(keyPath: [String], request: any FetchRequest)])?

  /// Creates a prepared request whose arguments stay bound.
  public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
    self.statement = statement
    if let adapter { keptAdapter = .adapter(adapter) }
  }

  /// Adds an adapter, which is applied to the result of the others.
  mutating func apply(_ other: any RowAdapter) {
    adapter = adapter.map { ChainedRowAdapter($0, then: other) } ?? other
  }

  /// The statement, marked for a single fetch where ``isForOneFetch`` is set.
  @usableFromInline
  package var fetchedStatement: Statement { isForOneFetch ? statement.forOneFetch : statement }
}

extension PreparedRequest {
  /// The statement, marked for this fetch, if one row of it can be read without a cursor.
  ///
  /// Nil if there is an adapter or a supplementary fetch, if there are no columns, or if the
  /// statement writes, since it has to run to its end then.
  @usableFromInline
  package var singleRowStatement: Statement? {
    guard isForOneFetch, isUnadapted, supplementaryFetch == nil, statement.isReadonly,
      statement.columnCount > 0
    else { return nil }
    return statement.forOneFetch
  }
}

extension Statement {
  /// Executes the statement up to its first row.
  ///
  /// - Returns: The statement's current row, until ``decodingLookup(_:)`` ends;
  ///   nil if there is none.
  @usableFromInline
  package func firstRow() throws -> Row? {
    try stepToFirstRow() ? Row(statement: self) : nil
  }

  /// Executes the statement up to its first row, and returns the value of the first column; nil if
  /// it is NULL or there is no row.
  @inlinable
  package func firstValue<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value? {
    guard try stepToFirstRow(), let handle else { return nil }
    return try decodingLookup {
      if let value = Value._value(of: handle, at: 0) { return value }
      if SQLite.columnIsNull(handle, 0) { return nil }
      throw mismatch(type, column: 0)
    }
  }

  @usableFromInline
  func stepToFirstRow() throws -> Bool {
    do {
      if try firstStep() { return true }
      clearBindings()
      return false
    } catch {
      endLookup()
      throw error
    }
  }

  /// The statement, whose bindings are cleared when its fetch ends.
  package var forOneFetch: Statement {
    clearsBindings = true
    return self
  }
}
