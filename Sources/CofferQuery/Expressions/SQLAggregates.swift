import CofferCore

// https://www.sqlite.org/lang_aggfunc.html

/// Returns `AVG(value)`: the average of the non-NULL values, as a `Double`.
///
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func average(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("AVG", value, filter: filter)
}

/// Returns `COUNT(value)`: the number of non-NULL values.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("COUNT", counted)
}

/// Returns `COUNT(value) FILTER (WHERE filter)`.
///
/// Requires SQLite 3.30 or later.
public func count(
  _ counted: some SQLSpecificExpressible, filter: any SQLSpecificExpressible
) -> SQLExpression {
  aggregate("COUNT", counted, filter: filter)
}

/// Returns `COUNT(DISTINCT value)`: the number of distinct non-NULL values.
public func count(distinct counted: some SQLSpecificExpressible) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [counted.sqlExpression])
  aggregate.isDistinct = true
  return SQLExpression(.aggregate(aggregate))
}

/// Returns `COUNT(DISTINCT value) FILTER (WHERE filter)`.
///
/// Requires SQLite 3.30 or later.
public func count(
  distinct counted: some SQLSpecificExpressible, filter: any SQLSpecificExpressible
) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [counted.sqlExpression])
  aggregate.isDistinct = true
  aggregate.filter = filter.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}

/// Returns `COUNT(*)`: the number of rows.
///
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func countAll(filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [])
  aggregate.filter = filter?.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}

/// Returns `MAX(value)`: the greatest value, or NULL if there is none.
///
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func max(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("MAX", value, filter: filter)
}

/// Returns `MIN(value)`: the least value, or NULL if there is none.
///
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func min(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("MIN", value, filter: filter)
}

/// Returns `SUM(value)`: the sum of the non-NULL values, or NULL if there is none.
///
/// The sum of integers is an integer; SQLite reports an error if it overflows. Compare
/// ``total(_:orderBy:filter:)``.
/// - Parameters:
///   - ordering: The order in which the values are added. Requires SQLite 3.44 or later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func sum(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("SUM", value, ordering: ordering, filter: filter)
}

/// Returns `TOTAL(value)`: the sum of the non-NULL values as a `Double`, or 0 if there is none.
///
/// - Parameters:
///   - ordering: The order in which the values are added. Requires SQLite 3.44 or later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func total(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("TOTAL", value, ordering: ordering, filter: filter)
}

/// Returns `GROUP_CONCAT(value, separator)`: the concatenation of the texts that are not NULL.
///
/// - Parameters:
///   - separator: The text between two values; nil for a comma.
///   - ordering: The order of the texts, which is undefined by default. Requires SQLite 3.44 or
///     later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func groupConcat(
  _ value: some SQLSpecificExpressible, separator: String? = nil,
  orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  var arguments = [value.sqlExpression]
  if let separator { arguments.append(separator.sqlExpression) }
  var aggregate = Aggregate("GROUP_CONCAT", arguments)
  aggregate.ordering = ordering.map { [$0.sqlOrdering] } ?? []
  aggregate.filter = filter?.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}

/// Returns an aggregate function call with one argument.
private func aggregate(
  _ name: String, _ value: any SQLExpressible, ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  var aggregate = Aggregate(name, [value.sqlExpression])
  aggregate.ordering = ordering.map { [$0.sqlOrdering] } ?? []
  aggregate.filter = filter?.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}
