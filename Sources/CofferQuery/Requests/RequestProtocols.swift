import CofferCore

/// A request that has a type for its rows.
public protocol TypedRequest<RowDecoder> {
  /// The type that rows are decoded to.
  associatedtype RowDecoder
}

/// What the methods of requests are called on: a request, or a `Table`, which stands for the
/// request for all of its rows.
///
/// All methods are made of ``_with(_:)``. The library's own types adopt this protocol.
public protocol RequestSource<RowDecoder>: TypedRequest {
  /// The type of the request that methods give: for a request, its own.
  associatedtype _Request = Self

  /// The request with something else in it, for the library's own use.
  func _with(_ change: (inout _RequestParts) -> Void) -> _Request
}

extension RequestSource where RowDecoder: TableRecord {
  /// What `$0` is in closures.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request as it is.
  var request: _Request { _with { _ in } }
}

/// A request that can be joined with others.
public protocol JoinableRequest<RowDecoder>: RequestSource where _Request == Self {}

/// What a request is made of; see ``RequestSource``.
public struct _RequestParts: Sendable {
  package var relation: Relation

  package init(relation: Relation) { self.relation = relation }
}

/// A request of all kinds in one: what `QueryInterfaceRequest` is.
///
/// Extend it with what your own requests have in common:
///
/// ```swift
/// extension DerivableRequest<Player> {
///   func best() -> Self { order(Column("score").desc) }
/// }
/// ```
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest,
  OrderedRequest, SelectionRequest, TableRequest
{}

extension RequestSource {
  /// The request without rows that are equal in all that is selected.
  public func distinct() -> _Request { _with { $0.relation.isDistinct = true } }

  /// The request with a common table expression that it can use.
  public func with<T>(_ cte: CommonTableExpression<T>) -> _Request {
    _with { $0.relation.add(cte.expression) }
  }
}
