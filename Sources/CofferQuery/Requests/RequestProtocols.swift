import CofferCore

/// A request that has a type for its rows.
public protocol TypedRequest<RowDecoder> {
  /// The type that rows are decoded to.
  associatedtype RowDecoder
}

/// A request that can be joined with others.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
  /// The request with something else in it, for the library's own use.
  func _with(_ change: (inout _RequestParts) -> Void) -> Self
}

/// What a request is made of; see ``JoinableRequest``.
public struct _RequestParts {
  package var relation: Relation
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
{
  /// The request without rows that are equal in all that is selected.
  func distinct() -> Self

  /// The request with a common table expression that it can use.
  func with<T>(_ cte: CommonTableExpression<T>) -> Self
}
