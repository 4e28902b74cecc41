import CofferCore

/// A request with a type for its rows.
public protocol TypedRequest<RowDecoder> {
  /// The type that rows are decoded to.
  associatedtype RowDecoder
}

/// A type with the methods of requests.
///
/// A request, or a `Table`, which is a request for all of its rows. All methods are based on
/// `_with(_:)`. Only types of the library conform.
public protocol RequestSource<RowDecoder>: TypedRequest {
  /// The type of the requests that methods return.
  ///
  /// The request's own type, or for `Table` the type of its request.
  associatedtype _Request = Self

  /// The record type that closures get the columns of.
  associatedtype _Record = RowDecoder

  /// Returns the request with changed parts; for the library's use.
  consuming func _with(_ change: (inout _RequestParts) -> Void) -> _Request
}

extension RequestSource where _Record: TableRecord {
  /// The type of `$0` in closures.
  public typealias DatabaseComponents = _Record.DatabaseComponents
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request without changes.
  var request: _Request { _with { _ in } }
}

/// A request that can be joined with associations.
public protocol JoinableRequest<RowDecoder>: RequestSource where _Request == Self {}

/// The parts of a request; see ``RequestSource``.
public struct _RequestParts: Sendable {
  /// The many parts of a relation in one object, so that copies of a request are cheap.
  // SAFETY: the relation changes only while there is a single reference to the object.
  private final class Storage: @unchecked Sendable {
    @safe @exclusivity(unchecked) var kept: Kept

    init(_ relation: Relation) { kept = Kept(relation: relation) }

    func region(of statement: Statement) throws -> DatabaseRegion {
      try kept.relation.region(of: statement, isPrefetching: false)
    }
  }

  /// A relation that isn't copied where it is only read.
  private struct Kept: ~Copyable {
    var relation: Relation

    var isAlone: Bool { relation.children.isEmpty && relation.parts.isEmpty }

    func describe(in shape: inout QueryShape, for query: Relation.Query) {
      relation.describe(in: &shape, for: query)
    }
  }

  private var storage: Storage

  package var relation: Relation {
    get { storage.kept.relation }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.kept.relation) }
      yield &storage.kept.relation
    }
  }

  package init(relation: Relation) { storage = Storage(relation) }

  // Without a copy of the relation:

  /// Whether there are no associations.
  var isAlone: Bool { storage.kept.isAlone }

  /// Whether there is a condition.
  var isFiltered: Bool { storage.kept.relation.filter != nil }

  /// Returns the region of a statement; see ``Relation/region(of:isPrefetching:)``.
  ///
  /// A closure that captures one object needs no memory.
  func region(isPrefetching: Bool) -> (Statement) throws -> DatabaseRegion {
    let storage = storage
    guard isPrefetching else { return { try storage.region(of: $0) } }
    return { try storage.kept.relation.region(of: $0, isPrefetching: true) }
  }

  /// Appends the structure of a query for the relation.
  func describe(in shape: inout QueryShape, for query: Relation.Query) {
    storage.kept.describe(in: &shape, for: query)
  }
}

/// A request with all capabilities, as `QueryInterfaceRequest`.
///
/// Extend it with methods for your requests:
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
  /// Returns the request for distinct rows.
  public func distinct() -> _Request { _with { $0.relation.isDistinct = true } }

  /// Returns the request with a common table expression that it can refer to.
  public func with<T>(_ cte: CommonTableExpression<T>) -> _Request {
    _with { $0.relation.add(cte.expression) }
  }
}
