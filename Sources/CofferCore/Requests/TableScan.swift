/// A request that can be fetched by ranges of rowids; see ``FetchRequest/_tableScan()``.
public struct _TableScan: Sendable {
  /// A table as one connection knows it.
  package struct Table: Sendable {
    /// The quoted name, with the schema.
    let name: String
    /// The quoted name of the rowid.
    let rowID: String
    /// Whether each statement reads other tables first, so that few statements are better.
    let isCostly: Bool

    package init(name: String, rowID: String, isCostly: Bool) {
      self.name = name
      self.rowID = rowID
      self.isCostly = isCostly
    }
  }

  private let open: @Sendable (Database) throws -> Table
  private let prepare: @Sendable (Database, _ rowIDs: ClosedRange<Int64>) throws -> PreparedRequest
  /// The adapters that are applied to the rows, the last one to the result of the others.
  private var adapters: [@Sendable (Database) throws -> any RowAdapter] = []

  /// - Parameters:
  ///   - open: Returns the table, or throws ``ConcurrentFetchError``.
  ///   - prepare: Returns the statement for the rows of a range, in the order of their rowids.
  package init(
    open: @escaping @Sendable (Database) throws -> Table,
    prepare: @escaping @Sendable (Database, ClosedRange<Int64>) throws -> PreparedRequest
  ) {
    self.open = open
    self.prepare = prepare
  }

  /// Returns the scan with a row adapter applied to its rows.
  func adapted(_ adapter: @escaping @Sendable (Database) throws -> any RowAdapter) -> _TableScan {
    var result = self
    result.adapters.append(adapter)
    return result
  }

  func table(_ db: Database) throws -> Table { try open(db) }

  func request(_ db: Database, rowIDs: ClosedRange<Int64>) throws -> PreparedRequest {
    var request = try prepare(db, rowIDs)
    for adapter in adapters { request.apply(try adapter(db)) }
    return request
  }
}

extension _TableScan.Table {
  /// Returns the smallest and the largest rowid; nil if the table is empty.
  func rowIDs(_ db: Database) throws -> ClosedRange<Int64>? {
    // SQLite seeks one of them per query.
    guard let first = try rowID("min", db), let last = try rowID("max", db) else { return nil }
    return first...last
  }

  private func rowID(_ function: String, _ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT \(function)(\(rowID)) FROM \(name) NOT INDEXED"))
  }

  /// Returns the last of the first `count` rowids in a range; nil if there are fewer.
  ///
  /// Reads the rows' pages, which then are in the cache.
  func end(of rowIDs: ClosedRange<Int64>, count: Int, _ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(rowID) FROM \(name) NOT INDEXED WHERE \(rowID) BETWEEN ? AND ? \
          ORDER BY \(rowID) LIMIT 1 OFFSET ?
          """),
      arguments: [rowIDs.lowerBound, rowIDs.upperBound, count - 1])
  }

  /// Returns the number of rows in a range.
  func count(_ rowIDs: ClosedRange<Int64>, _ db: Database) throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(*) FROM \(name) NOT INDEXED WHERE \(rowID) BETWEEN ? AND ?"),
      arguments: [rowIDs.lowerBound, rowIDs.upperBound]) ?? 0
  }
}
