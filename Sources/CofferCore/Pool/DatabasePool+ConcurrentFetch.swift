extension DatabasePool {
  // MARK: Fetching all

  /// Returns all values of a request, fetched by several readers at the same time.
  ///
  /// ```swift
  /// let names = try pool.concurrentFetchAll(
  ///   Table("player").filter(Column("score") > 100).select(Column("name"), as: String.self))
  /// ```
  ///
  /// The readers see the same commit, and each fetches ranges of rowids. The elements are in the
  /// order of the rowids, which is the order of a plain fetch that scans the table. This pays if
  /// the table is large, since decryption takes most of the time of a scan. The table is always
  /// read as a whole: if an index serves the condition, or the rowids are given, a plain fetch
  /// reads less. A subquery of the condition is executed again for each of the ranges, which have
  /// up to 65,536 rows then.
  ///
  /// As many readers are used as there are processor cores, at most the pool's
  /// `maximumReaderCount`, and without waiting for more than the first: fewer if others use them.
  /// With `Configuration.targetQueue`, only one is used. This is an access like `read`, and can't
  /// be nested in one.
  ///
  /// - Parameters:
  ///   - request: A request for rows of one table that has rowids, with any condition.
  ///   - progress: Called on this thread. An error that it throws ends the fetch.
  /// - Throws: ``ConcurrentFetchError`` if the request can't be fetched in parts, for example since
  ///   it has an order; otherwise what a plain fetch throws.
  @inlinable
  public func concurrentFetchAll<Value: DatabaseValueConvertible & Sendable>(
    _ request: some FetchRequest<Value>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil
  ) throws -> [Value] {
    try _scanAll(request._tableScan(), progress, Value._decodeScan)
  }

  /// Returns all values of a request, fetched by several readers at the same time.
  ///
  /// See ``concurrentFetchAll(_:progress:)``.
  /// - Parameter progress: Called on a thread of the database. An error that it throws ends the
  ///   fetch.
  /// - Throws: Also `CancellationError` if the task is cancelled, which interrupts all readers.
  @inlinable
  public func concurrentFetchAll<Value: DatabaseValueConvertible & Sendable>(
    _ request: some FetchRequest<Value>,
    progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)? = nil
  ) async throws -> [Value] {
    try await _scanAll(request._tableScan(), progress, Value._decodeScan)
  }

  /// Returns all rows of a request, fetched by several readers at the same time.
  ///
  /// See ``concurrentFetchAll(_:progress:)``.
  public func concurrentFetchAll(
    _ request: some FetchRequest<Row>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil
  ) throws -> [Row] {
    try _scanAll(request._tableScan(), progress, Row.decodeScan)
  }

  // MARK: Calling a function

  /// Calls `body` with each value of a request, fetched by several readers at the same time.
  ///
  /// ```swift
  /// try pool.concurrentForEach(Table("player").select(Column("name"), as: String.self)) { name in
  ///   print(name)
  /// }
  /// ```
  ///
  /// It differs from ``concurrentFetchAll(_:progress:)`` in that memory is bounded: the readers
  /// wait while `body` is slower than they are. Each is ahead by a few blocks of at most 1,024
  /// elements, read from about 256 KiB of pages or one row, if that is larger. Readers that wait
  /// aren't free for others, so `body` must not wait for other reads of the pool.
  ///
  /// - Parameter body: Called on this thread, in the order of the rowids. An error that it throws
  ///   ends the fetch.
  @inlinable
  public func concurrentForEach<Value: DatabaseValueConvertible & Sendable>(
    _ request: some FetchRequest<Value>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil, _ body: (Value) throws -> Void
  ) throws {
    try _scanEach(request._tableScan(), progress, Value._decodeScan) { try $0.forEach(body) }
  }

  /// Calls `body` with each value of a request, fetched by several readers at the same time.
  ///
  /// See ``concurrentForEach(_:progress:_:)``.
  /// - Parameter body: Called on a thread of the database, in the order of the rowids.
  /// - Throws: Also `CancellationError` if the task is cancelled, which interrupts all readers.
  @inlinable
  public func concurrentForEach<Value: DatabaseValueConvertible & Sendable>(
    _ request: some FetchRequest<Value>,
    progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)? = nil,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) async throws {
    try await _scanEach(request._tableScan(), progress, Value._decodeScan) { try $0.forEach(body) }
  }

  /// Calls `body` with each row of a request, fetched by several readers at the same time.
  ///
  /// See ``concurrentForEach(_:progress:_:)``. The rows are copies, which can be kept.
  public func concurrentForEach(
    _ request: some FetchRequest<Row>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil, _ body: (Row) throws -> Void
  ) throws {
    try _scanEach(request._tableScan(), progress, Row.decodeScan) { try $0.forEach(body) }
  }

  /// Calls `body` with each row of a request, fetched by several readers at the same time.
  ///
  /// See ``concurrentForEach(_:progress:_:)``.
  /// - Parameter body: Called on a thread of the database, in the order of the rowids.
  /// - Throws: Also `CancellationError` if the task is cancelled, which interrupts all readers.
  public func concurrentForEach(
    _ request: some FetchRequest<Row>,
    progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)? = nil,
    _ body: @escaping @Sendable (Row) throws -> Void
  ) async throws {
    try await _scanEach(request._tableScan(), progress, Row.decodeScan) { try $0.forEach(body) }
  }
}

// MARK: - For all kinds of elements

extension DatabasePool {
  @usableFromInline
  package func _scanAll<Element>(
    _ scan: _TableScan, _ progress: ((ConcurrentFetchProgress) throws -> Void)?,
    _ decoding: @escaping _ScanDecoding<Element>
  ) throws -> [Element] {
    let scan = ConcurrentScan(self, scan, isBounded: false, decoding)
    return try read { db in
      var elements: [Element] = []
      try scan.run(db, progress: progress) { elements += $0 }
      return elements
    }
  }

  @usableFromInline
  package func _scanAll<Element: Sendable>(
    _ scan: _TableScan, _ progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)?,
    _ decoding: @escaping _ScanDecoding<Element>
  ) async throws -> [Element] {
    let scan = ConcurrentScan(self, scan, isBounded: false, decoding)
    return try await withTaskCancellationHandler {
      try await read { db in
        var elements: [Element] = []
        try scan.run(db, progress: progress) { elements += $0 }
        return elements
      }
    } onCancel: {
      scan.cancel()
    }
  }

  @usableFromInline
  package func _scanEach<Element>(
    _ scan: _TableScan, _ progress: ((ConcurrentFetchProgress) throws -> Void)?,
    _ decoding: @escaping _ScanDecoding<Element>, _ body: ([Element]) throws -> Void
  ) throws {
    let scan = ConcurrentScan(self, scan, isBounded: true, decoding)
    try read { db in try scan.run(db, progress: progress, deliver: body) }
  }

  @usableFromInline
  package func _scanEach<Element>(
    _ scan: _TableScan, _ progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)?,
    _ decoding: @escaping _ScanDecoding<Element>,
    _ body: @escaping @Sendable ([Element]) throws -> Void
  ) async throws {
    let scan = ConcurrentScan(self, scan, isBounded: true, decoding)
    try await withTaskCancellationHandler {
      try await read { db in try scan.run(db, progress: progress, deliver: body) }
    } onCancel: {
      scan.cancel()
    }
  }
}

extension DatabaseValueConvertible {
  /// Adds the values of a part, the first column of each row.
  @inlinable
  static func _decodeScan(
    _ db: Database, _ request: PreparedRequest, _ output: _ScanOutput<Self>
  ) throws {
    let cursor = try fetchCursor(request.fetchedStatement, adapter: request.adapter)
    while let value = try cursor.next() { try output.append(value) }
  }
}

extension Row {
  /// Adds copies of the rows of a part.
  fileprivate static func decodeScan(
    _ db: Database, _ request: PreparedRequest, _ output: _ScanOutput<Row>
  ) throws {
    try forEachCopy(request.fetchedStatement, nil, request.adapter) { try output.append($0) }
  }
}
