import CofferCore

extension DatabasePool {
  /// Returns all records of a request, fetched by several readers at the same time.
  ///
  /// ```swift
  /// let players = try pool.concurrentFetchAll(Player.filter { $0.score > 100 })
  /// ```
  ///
  /// The readers see the same commit, and each fetches ranges of rowids. The records are in the
  /// order of the rowids. See `concurrentFetchAll(_:progress:)` for values.
  ///
  /// - Parameters:
  ///   - request: A request for rows of one table that has rowids, with any condition.
  ///   - progress: Called on this thread. An error that it throws ends the fetch.
  /// - Throws: ``ConcurrentFetchError`` if the request can't be fetched in parts, for example since
  ///   it has an order; otherwise what a plain fetch throws.
  @inlinable
  public func concurrentFetchAll<Record: FetchableRecord & Sendable>(
    _ request: some FetchRequest<Record>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil
  ) throws -> [Record] {
    try _scanAll(request._tableScan(), progress, Record._decodeScan)
  }

  /// Returns all records of a request, fetched by several readers at the same time.
  ///
  /// - Parameter progress: Called on a thread of the database. An error that it throws ends the
  ///   fetch.
  /// - Throws: Also `CancellationError` if the task is cancelled, which interrupts all readers.
  @inlinable
  public func concurrentFetchAll<Record: FetchableRecord & Sendable>(
    _ request: some FetchRequest<Record>,
    progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)? = nil
  ) async throws -> [Record] {
    try await _scanAll(request._tableScan(), progress, Record._decodeScan)
  }

  /// Calls `body` with each record of a request, fetched by several readers at the same time.
  ///
  /// ```swift
  /// try pool.concurrentForEach(Player.all()) { player in print(player.name) }
  /// ```
  ///
  /// Memory is bounded: the readers wait while `body` is slower than they are.
  ///
  /// - Parameter body: Called on this thread, in the order of the rowids. An error that it throws
  ///   ends the fetch.
  @inlinable
  public func concurrentForEach<Record: FetchableRecord & Sendable>(
    _ request: some FetchRequest<Record>,
    progress: ((ConcurrentFetchProgress) throws -> Void)? = nil, _ body: (Record) throws -> Void
  ) throws {
    try _scanEach(request._tableScan(), progress, Record._decodeScan) { try $0.forEach(body) }
  }

  /// Calls `body` with each record of a request, fetched by several readers at the same time.
  ///
  /// - Parameter body: Called on a thread of the database, in the order of the rowids.
  /// - Throws: Also `CancellationError` if the task is cancelled, which interrupts all readers.
  @inlinable
  public func concurrentForEach<Record: FetchableRecord & Sendable>(
    _ request: some FetchRequest<Record>,
    progress: (@Sendable (ConcurrentFetchProgress) throws -> Void)? = nil,
    _ body: @escaping @Sendable (Record) throws -> Void
  ) async throws {
    try await _scanEach(request._tableScan(), progress, Record._decodeScan) {
      try $0.forEach(body)
    }
  }
}

extension FetchableRecord {
  /// Adds the records of a part of a request.
  @inlinable
  static func _decodeScan(
    _ db: Database, _ request: PreparedRequest, _ output: _ScanOutput<Self>
  ) throws {
    try RecordCursor<Self>(request.rowCursor(db)).forEach { try output.append($0) }
  }
}
