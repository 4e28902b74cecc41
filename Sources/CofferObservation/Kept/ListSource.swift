import CofferCore
import CofferRecords

/// A request whose elements an observation can keep.
package struct ListSource<Element: Sendable>: Sendable {
  /// Fetches the elements of a request; calls a function before it decodes each row.
  package typealias Decoding =
    @Sendable (
      _ db: Database, _ request: PreparedRequest, _ willDecode: (StatementExecution) -> Void
    ) throws -> [Element]

  let query: _ListQuery
  let decode: Decoding
  /// Fetches all elements, by the request itself.
  let fetchAll: @Sendable (Database) throws -> [Element]
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
}

extension ListSource where Element: FetchableRecord {
  /// Returns the elements of a request, one after the other.
  static var recordDecoding: Decoding {
    { db, request, willDecode in
      try RecordCursor<Element>(request.rowCursor(db)).allElements(willDecode)
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
      decode: { _, request, willDecode in
        try Element.fetchCursor(request.fetchedStatement, adapter: request.adapter)
          .allElements(willDecode)
      },
      fetchAll: { try request.fetchAll($0) }, region: { try request.databaseRegion($0) })
  }
}

extension DatabaseCursor {
  /// Returns the elements; calls a function before it decodes each row.
  fileprivate func allElements(_ willDecode: (StatementExecution) -> Void) throws -> [Element] {
    let execution = _execution
    var elements: [Element] = []
    // The number of the previous fetch: see `RecordCursor.all()`.
    let expected = execution.statement.lastRecordCount
    let quarter = expected < 64 ? -1 : expected / 4
    while try execution.advance() {
      if elements.count == quarter { elements.reserveCapacity(expected + expected / 8) }
      willDecode(execution)
      do { elements.append(try _element()) } catch { throw execution.fail(error) }
    }
    execution.statement.lastRecordCount = elements.count
    return elements
  }
}
