import CofferCore
import CofferQuery

/// A count or another aggregate of all associated rows, for each row of a request.
///
/// ```swift
/// // Authors, each with the number of books as `bookCount`
/// Author.annotated(with: Author.books.count)
/// // Those with more than ten, and those without any
/// Author.having(Author.books.count > 10)
/// Author.having(Author.books.isEmpty)
/// ```
///
/// Each is of exactly the association's rows, whatever else the request joins or computes. If they
/// are the only rows that are joined, the request is grouped by its primary key, and several
/// aggregates of the association share the join; otherwise, each aggregate is a subquery.
public struct AssociationAggregate<RowDecoder>: Sendable {
  typealias Making = @Sendable (inout Relation) -> SQLExpression

  /// Adds the aggregate to a request, and returns its expression.
  let make: Making
  /// Makes the negated expression; nil if it is `NOT …`.
  var makeOpposite: Making?
  /// Whether no rows are joined, so that conditions can be part of `WHERE`.
  var isSubquery = false
  /// The name of the column.
  var key: String?

  /// Returns the aggregate with another name for its column.
  public func forKey(_ key: String) -> Self {
    var result = self
    result.key = key
    return result
  }

  /// Returns the aggregate with a coding key as the name of its column.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

  // MARK: Expressions

  /// Returns an aggregate with a transformed expression.
  func map(_ transform: @escaping @Sendable (SQLExpression) -> SQLExpression) -> Self {
    AssociationAggregate(
      make: { [make] in transform(make(&$0)) }, isSubquery: isSubquery)
  }

  /// Returns an aggregate with a constant value and no joins; nil is NULL.
  static func constant(_ value: (any SQLExpressible)?) -> Self {
    let expression = value?.sqlExpression ?? SQLExpression(.null)
    return AssociationAggregate(make: { _ in expression }, isSubquery: true)
  }

  /// Returns an aggregate whose expression combines those of two aggregates.
  static func combined(
    _ lhs: Self, _ rhs: Self,
    _ transform: @escaping @Sendable (SQLExpression, SQLExpression) -> SQLExpression
  ) -> Self {
    AssociationAggregate(
      make: { relation in
        let left = lhs.make(&relation)
        let right = rhs.make(&relation)
        return transform(left, right)
      }, isSubquery: lhs.isSubquery && rhs.isSubquery)
  }

  var negated: Self {
    guard let makeOpposite else { return map(\.negated) }
    return AssociationAggregate(
      make: makeOpposite, makeOpposite: make, isSubquery: isSubquery)
  }

  var withoutKey: Self {
    var result = self
    result.key = nil
    return result
  }
}

/// An ordering by an aggregate: see ``AssociationAggregate/desc``.
public struct AssociationAggregateOrdering<RowDecoder>: Sendable {
  let aggregate: AssociationAggregate<RowDecoder>
  let direction: SQLOrdering.Direction
}

extension AssociationAggregate {
  /// The ascending order.
  public var asc: AssociationAggregateOrdering<RowDecoder> {
    AssociationAggregateOrdering(aggregate: self, direction: .ascending)
  }

  /// The descending order.
  ///
  /// ```swift
  /// Author.all().order(Author.books.count.desc)
  /// ```
  public var desc: AssociationAggregateOrdering<RowDecoder> {
    AssociationAggregateOrdering(aggregate: self, direction: .descending)
  }
}

// MARK: - Functions

/// Returns `ABS(aggregate)`.
@_disfavoredOverload
public func abs<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
  aggregate.map { SQLExpression(.function("ABS", [$0])) }
}

/// Returns `LENGTH(aggregate)`.
@_disfavoredOverload
public func length<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
  aggregate.map { SQLExpression(.function("LENGTH", [$0])) }
}

/// Returns `CAST(aggregate AS type)`, with the key of the aggregate.
@_disfavoredOverload
public func cast<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
  var result = aggregate.map { cast($0, as: storageClass) }
  result.key = aggregate.key
  return result
}
