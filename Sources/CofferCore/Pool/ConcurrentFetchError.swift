import FoundationEssentials

/// The error of a request that can't be fetched in parts.
///
/// See ``DatabasePool/concurrentFetchAll(_:progress:)``. Such a request can be fetched in a `read`.
public struct ConcurrentFetchError: Error, Sendable, Hashable {
  /// What prevents a request from being fetched in parts.
  public enum Reason: Sendable, Hashable, CaseIterable {
    /// The request, or a part of its selection, is SQL text, whose meaning isn't known.
    case sql
    /// The request has an order. Parts are fetched in the order of the rowids.
    case order
    /// The request has a limit or an offset.
    case limit
    /// The request is for distinct rows.
    case distinct
    /// The rows are grouped.
    case grouping
    /// The selection has an aggregate or a window function, which needs all rows.
    case aggregate
    /// The request joins or prefetches associations.
    case association
    /// The source is a query, such as a `UNION`.
    case compound
    /// The request has a common table expression.
    case commonTableExpression
    /// The source is a view.
    case view
    /// The source is a virtual table.
    case virtualTable
    /// The table was created `WITHOUT ROWID`.
    case withoutRowID
    /// Columns have all the names of the rowid: `rowid`, `_rowid_` and `oid`.
    case hiddenRowID
    /// The table is temporary, or in an attached database.
    case otherSchema
  }

  /// What prevents the request from being fetched in parts.
  public let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }
}

extension ConcurrentFetchError: CustomStringConvertible, LocalizedError {
  /// The reason, and what to do instead.
  public var description: String {
    "the request can't be fetched in parts: \(reason.explanation). Fetch it in a `read`."
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension ConcurrentFetchError.Reason {
  fileprivate var explanation: String {
    switch self {
    case .sql: "it is SQL text, or selects SQL text"
    case .order: "it has an order"
    case .limit: "it has a limit"
    case .distinct: "its rows are distinct"
    case .grouping: "its rows are grouped"
    case .aggregate: "it selects an aggregate or a window function"
    case .association: "it joins or prefetches associations"
    case .compound: "its source is a query"
    case .commonTableExpression: "it has a common table expression"
    case .view: "its source is a view"
    case .virtualTable: "its source is a virtual table"
    case .withoutRowID: "the table has no rowids"
    case .hiddenRowID: "columns have all the names of the rowid"
    case .otherSchema: "the table is temporary or in an attached database"
    }
  }
}
