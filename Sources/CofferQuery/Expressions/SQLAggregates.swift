import CofferCore

// https://www.sqlite.org/lang_aggfunc.html

/// `AVG(value)`: the average of the values that are not NULL, as a `Double`.
///
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func average(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("AVG", value, filter: filter)
}

/// `COUNT(value)`: the number of values that are not NULL.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression {
  aggregate("COUNT", counted)
}

/// `COUNT(value) FILTER (WHERE filter)`, from SQLite 3.30 on.
public func count(
  _ counted: some SQLSpecificExpressible, filter: any SQLSpecificExpressible
) -> SQLExpression {
  aggregate("COUNT", counted, filter: filter)
}

/// `COUNT(DISTINCT value)`: the number of different values that are not NULL.
public func count(distinct counted: some SQLSpecificExpressible) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [counted.sqlExpression])
  aggregate.isDistinct = true
  return SQLExpression(.aggregate(aggregate))
}

/// `COUNT(DISTINCT value) FILTER (WHERE filter)`, from SQLite 3.30 on.
public func count(
  distinct counted: some SQLSpecificExpressible, filter: any SQLSpecificExpressible
) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [counted.sqlExpression])
  aggregate.isDistinct = true
  aggregate.filter = filter.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}

/// `COUNT(*)`: the number of rows.
///
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func countAll(filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
  var aggregate = Aggregate("COUNT", [])
  aggregate.filter = filter?.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}

/// `MAX(value)`: the greatest value; NULL where there is none.
///
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func max(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("MAX", value, filter: filter)
}

/// `MIN(value)`: the least value; NULL where there is none.
///
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func min(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("MIN", value, filter: filter)
}

/// `SUM(value)`: the sum of the values that are not NULL; NULL where there is none.
///
/// The sum of integers is one, and an error where it is too large. Compare
/// ``total(_:orderBy:filter:)``.
/// - Parameters:
///   - orderBy: The order in which the values are added, from SQLite 3.44 on.
///   - filter: Which rows count, from SQLite 3.30 on.
public func sum(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("SUM", value, ordering: ordering, filter: filter)
}

/// `TOTAL(value)`: the sum of the values that are not NULL as a `Double`; 0 where
/// there is none.
///
/// - Parameters:
///   - orderBy: The order in which the values are added, from SQLite 3.44 on.
///   - filter: Which rows count, from SQLite 3.30 on.
public func total(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  aggregate("TOTAL", value, ordering: ordering, filter: filter)
}

/// `GROUP_CONCAT(value, separator)`: the texts that are not NULL in one.
///
/// - Parameters:
///   - separator: What stands between them; a comma where it is nil.
///   - orderBy: The order of the texts, from SQLite 3.44 on; before, it is any.
///   - filter: Which rows count, from SQLite 3.30 on.
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

/// An aggregate of one value.
private func aggregate(
  _ name: String, _ value: any SQLExpressible, ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  var aggregate = Aggregate(name, [value.sqlExpression])
  aggregate.ordering = ordering.map { [$0.sqlOrdering] } ?? []
  aggregate.filter = filter?.sqlExpression
  return SQLExpression(.aggregate(aggregate))
}
