import CofferCore
import Synchronization

/// The sum of a request's integers, which an observation can keep.
///
/// The first sum is fetched as always. The first change reads the summed values, about 40 bytes of
/// memory for each; from then on, those of changed rows are replaced among them. A sum of other
/// numbers depends on the order in which they are added, and is always fetched.
final class SumSource<Element: DatabaseValueConvertible & Sendable>: KeptSource {
  struct Content: Sendable {
    fileprivate var value: Element?
    /// The integers by their rowids; nil before the first change.
    fileprivate var integers: [Int64: Int64]?
    fileprivate var sum: Int64 = 0
    /// The sum of the absolute values: as long as it has room, no order of additions overflows.
    fileprivate var size: Int64 = 0
  }

  let query: _ListQuery
  let fetchAll: @Sendable (Database) throws -> Element?
  /// Whether something was found that can't be kept.
  private let isUnsuited = Atomic(false)

  /// The largest number of values that are kept: to read more would hold up the writer.
  private static var mostValues: Int { 100_000 }

  /// Creates the source of a request's sum; nil if it surely isn't one of a list.
  init?<Request: FetchRequest>(_ request: Request) where Request.RowDecoder == Element {
    guard let query = request._summedQuery() else { return nil }
    self.query = query
    fetchAll = { try request.fetchOne($0) }
  }

  func fetch(_ db: Database, _ plan: _ListQuery.Plan) throws -> (Element?, Content?) {
    let value = try fetchAll(db)
    return (value, isUnsuited.load(ordering: .relaxed) ? nil : Content(value: value))
  }

  func value(
    of content: inout Content, after changed: [Int64], _ plan: _ListQuery.Plan, _ db: Database
  ) throws -> Element?? {
    guard !changed.isEmpty else { return content.value }
    let isFirst = content.integers == nil
    let request = try isFirst ? plan.wholeRequest(db) : plan.request(db, ofRows: changed)
    var integers = content.integers.take() ?? [:]
    if !isFirst { for id in changed { content.remove(integers.removeValue(forKey: id)) } }
    let execution = StatementExecution(request.fetchedStatement)
    while try execution.advance() {
      let value = execution.value(at: 0)
      if value.isNull { continue }
      guard case .int64(let integer) = value.storage, content.add(integer),
        integers.count < Self.mostValues
      else { return unsuited() }
      integers[execution.integer(at: plan.rowIDColumn)] = integer
    }
    let sum = integers.isEmpty ? DatabaseValue.null : content.sum.databaseValue
    content.integers = integers
    // As the request's own statement would give it.
    content.value = try Element.fetchOne(
      db.cachedStatement(sql: "SELECT ?"), arguments: [sum])
    return content.value
  }

  private func unsuited() -> Element?? {
    isUnsuited.store(true, ordering: .relaxed)
    return nil
  }

  func limit(_ content: Content, _ plan: _ListQuery.Plan) -> Int {
    max(8, (content.integers?.count ?? 0) / 64)
  }

  func isEqual(
    _ content: Content, toFetchOf plan: _ListQuery.Plan, _ db: Database
  ) throws -> Bool { try fetchAll(db)?.databaseValue == content.value?.databaseValue }
}

extension SumSource.Content {
  /// - Returns: Whether the sum has room for it.
  fileprivate mutating func add(_ integer: Int64) -> Bool {
    let (size, overflows) = size.addingReportingOverflow(Int64(clamping: integer.magnitude))
    guard !overflows else { return false }
    self.size = size
    sum += integer
    return true
  }

  fileprivate mutating func remove(_ integer: Int64?) {
    guard let integer else { return }
    size -= Int64(clamping: integer.magnitude)
    sum -= integer
  }
}
