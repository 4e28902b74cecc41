import CofferCore
import CofferRecords

/// A request whose elements an observation can keep.
package struct ListSource<Element: Sendable>: KeptSource {
  /// Fetches the elements of a request, of those rows for which a function returns true.
  package typealias Decoding =
    @Sendable (
      _ db: Database, _ request: PreparedRequest, _ isWanted: (StatementExecution) -> Bool
    ) throws -> [Element]

  package let query: _ListQuery
  let decode: Decoding
  package let fetchAll: @Sendable (Database) throws -> [Element]
  /// Returns what the request reads.
  let region: @Sendable (Database) throws -> DatabaseRegion

  package init(
    query: _ListQuery, decode: @escaping Decoding,
    fetchAll: @escaping @Sendable (Database) throws -> [Element],
    region: @escaping @Sendable (Database) throws -> DatabaseRegion
  ) {
    self.query = query
    self.decode = decode
    self.fetchAll = fetchAll
    self.region = region
  }

  // MARK: Keeping

  package func fetch(
    _ db: Database, _ plan: _ListQuery.Plan
  ) throws -> ([Element], ListContent<Element>?) {
    var rowIDs = ContiguousArray<Int64>()
    let elements = try db.unrecorded {
      try decode(db, plan.wholeRequest(db)) {
        rowIDs.append($0.integer(at: plan.rowIDColumn))
        return true
      }
    }
    if db.isRecordingRegion {
      let region = try region(db)
      try db.registerAccess(to: region)
    }
    return (elements, ListContent(rowIDs: rowIDs, elements: elements))
  }

  package func value(
    of content: inout ListContent<Element>, after changed: [Int64], _ plan: _ListQuery.Plan,
    _ db: Database
  ) throws -> [Element]? {
    guard try changed.isEmpty || content.apply(changed, plan, db, decode) else { return nil }
    return content.elements
  }

  package func limit(_ content: ListContent<Element>, _ plan: _ListQuery.Plan) -> Int {
    ListContent<Element>.limit(count: content.rowIDs.count, plan)
  }

  package func isEqual(
    _ content: ListContent<Element>, toFetchOf plan: _ListQuery.Plan, _ db: Database
  ) throws -> Bool {
    var rowIDs = ContiguousArray<Int64>()
    _ = try decode(db, plan.wholeRequest(db)) {
      rowIDs.append($0.integer(at: plan.rowIDColumn))
      return true
    }
    let fetched = try fetchAll(db)
    return rowIDs == content.rowIDs && fetched.count == content.elements.count
      && zip(fetched, content.elements).allSatisfy { Self.areEqual($0, $1) }
  }

  /// Compares two elements; those of a type without equality count as equal.
  private static func areEqual(_ lhs: Element, _ rhs: Element) -> Bool {
    func compare<E: Equatable>(_ lhs: E) -> Bool { lhs == rhs as? E }
    guard let lhs = lhs as? any Equatable else { return true }
    return compare(lhs)
  }
}

extension ListSource where Element: FetchableRecord {
  /// Returns the elements of a request, one after the other.
  static var recordDecoding: Decoding {
    { db, request, isWanted in
      try RecordCursor<Element>(request.rowCursor(db)).allElements(isWanted)
    }
  }

  /// Creates the source of a request of records; nil if it isn't a list.
  init?<Request: FetchRequest>(records request: Request) where Request.RowDecoder == Element {
    guard let query = request._listQuery() else { return nil }
    self.init(
      query: query, decode: Self.recordDecoding, fetchAll: { try request.fetchAll($0) },
      region: { try request.databaseRegion($0) })
  }
}

extension ListSource where Element: DatabaseValueConvertible {
  /// Creates the source of a request of values; nil if it isn't a list.
  init?<Request: FetchRequest>(values request: Request) where Request.RowDecoder == Element {
    guard let query = request._listQuery() else { return nil }
    self.init(
      query: query,
      decode: { _, request, isWanted in
        try Element.fetchCursor(request.fetchedStatement, adapter: request.adapter)
          .allElements(isWanted)
      },
      fetchAll: { try request.fetchAll($0) }, region: { try request.databaseRegion($0) })
  }
}

extension DatabaseCursor {
  /// Returns the elements of those rows for which a function returns true.
  fileprivate func allElements(_ isWanted: (StatementExecution) -> Bool) throws -> [Element] {
    let execution = _execution
    var elements: [Element] = []
    // The number of the previous fetch: see `RecordCursor.all()`.
    let expected = execution.statement.lastRecordCount
    let quarter = expected < 64 ? -1 : expected / 4
    while try execution.advance() {
      if elements.count == quarter { elements.reserveCapacity(expected + expected / 8) }
      guard isWanted(execution) else { continue }
      do { elements.append(try _element()) } catch { throw execution.fail(error) }
    }
    execution.statement.lastRecordCount = elements.count
    return elements
  }
}
