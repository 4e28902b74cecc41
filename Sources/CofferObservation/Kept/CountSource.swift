import CofferCore

/// The number of a request's rows, which an observation can keep.
///
/// The first number is fetched as always. The first change reads the rowids of the counted rows,
/// about 20 bytes of memory for each; from then on, changed rows are looked for among them.
package struct CountSource: KeptSource {
  package struct Content: Sendable {
    fileprivate(set) var count: Int
    /// The counted rows; nil before the first change.
    fileprivate var rowIDs: Set<Int64>?
  }

  package let query: _ListQuery
  package let fetchAll: @Sendable (Database) throws -> Int

  /// The largest number of rows whose rowids are kept: to read more would hold up the writer.
  var mostRows = 100_000

  package init(_ query: _ListQuery, fetch: @escaping @Sendable (Database) throws -> Int) {
    self.query = query
    fetchAll = fetch
  }

  /// Creates the source of a request's number of rows; nil if these aren't a list.
  init?<Request: FetchRequest>(_ request: Request) {
    guard let query = request._listQuery() else { return nil }
    self.init(query) { try request.fetchCount($0) }
  }

  package func fetch(_ db: Database, _ plan: _ListQuery.Plan) throws -> (Int, Content?) {
    let count = try fetchAll(db)
    // Which rows come in behind a limit isn't known.
    let isKept = plan.mostRows == nil && count <= mostRows
    return (count, isKept ? Content(count: count) : nil)
  }

  package func value(
    of content: inout Content, after changed: [Int64], _ plan: _ListQuery.Plan, _ db: Database
  ) throws -> Int? {
    guard !changed.isEmpty else { return content.count }
    if var rowIDs = content.rowIDs.take() {
      rowIDs.subtract(changed)
      rowIDs.formUnion(try plan.sorted(db, changed))
      content.rowIDs = rowIDs
    } else {
      var rowIDs = Set<Int64>(minimumCapacity: content.count)
      let execution = StatementExecution(try plan.wholeRequest(db).fetchedStatement)
      while try execution.advance() { rowIDs.insert(execution.integer(at: plan.rowIDColumn)) }
      content.rowIDs = rowIDs
    }
    content.count = content.rowIDs?.count ?? 0
    return content.count > mostRows ? nil : content.count
  }

  package func limit(_ content: Content, _ plan: _ListQuery.Plan) -> Int {
    max(8, content.count / 64)
  }

  package func isEqual(
    _ content: Content, toFetchOf plan: _ListQuery.Plan, _ db: Database
  ) throws -> Bool { try fetchAll(db) == content.count }
}
