import CofferCore

// Aggregates that are NULL for no rows, or for NULL values only, have an optional type.

/// Returns `AVG(value)`: the average of the non-NULL values.
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func average(
  _ value: some SQLTypedExpressible<some SQLNumber>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double?> {
  TypedExpression(average(value.sqlExpression, filter: filter?.sqlExpression))
}

/// Returns `COUNT(value)`: the number of non-NULL values.
public func count(_ counted: some SQLTypedExpressible) -> TypedExpression<Int> {
  TypedExpression(count(counted.sqlExpression))
}

/// Returns `COUNT(value) FILTER (WHERE filter)`.
///
/// Requires SQLite 3.30 or later.
public func count(
  _ counted: some SQLTypedExpressible, filter: any SQLExpressible
) -> TypedExpression<Int> {
  TypedExpression(count(counted.sqlExpression, filter: filter.sqlExpression))
}

/// Returns `COUNT(DISTINCT value)`: the number of distinct non-NULL values.
public func count(distinct counted: some SQLTypedExpressible) -> TypedExpression<Int> {
  TypedExpression(count(distinct: counted.sqlExpression))
}

/// Returns `COUNT(DISTINCT value) FILTER (WHERE filter)`.
///
/// Requires SQLite 3.30 or later.
public func count(
  distinct counted: some SQLTypedExpressible, filter: any SQLExpressible
) -> TypedExpression<Int> {
  TypedExpression(count(distinct: counted.sqlExpression, filter: filter.sqlExpression))
}

/// Returns `MAX(value)`: the greatest value, or NULL if there is none.
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func max<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(
    max(value.sqlExpression, filter: filter?.sqlExpression), form: value._form)
}

/// Returns `MIN(value)`: the least value, or NULL if there is none.
/// - Parameter filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func min<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(
    min(value.sqlExpression, filter: filter?.sqlExpression), form: value._form)
}

/// Returns `SUM(value)`: the sum of the non-NULL values, or NULL if there is none.
///
/// The sum of integers is an integer; SQLite reports an error if it overflows. Compare
/// ``total(_:orderBy:filter:)``.
/// - Parameters:
///   - ordering: The order in which the values are added. Requires SQLite 3.44 or later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func sum<Value: SQLNumber>(
  _ value: some SQLTypedExpressible<Value>, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(sum(value.sqlExpression, orderBy: ordering, filter: filter?.sqlExpression))
}

/// Returns `TOTAL(value)`: the sum of the non-NULL values as a `Double`, or 0 if there is none.
///
/// - Parameters:
///   - ordering: The order in which the values are added. Requires SQLite 3.44 or later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func total(
  _ value: some SQLTypedExpressible<some SQLNumber>,
  orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double> {
  TypedExpression(total(value.sqlExpression, orderBy: ordering, filter: filter?.sqlExpression))
}

/// Returns `GROUP_CONCAT(value, separator)`: the concatenation of the texts that are not NULL.
///
/// - Parameters:
///   - separator: The text between two values; nil for a comma.
///   - ordering: The order of the texts, which is undefined by default. Requires SQLite 3.44 or
///     later.
///   - filter: A condition on the aggregated rows. Requires SQLite 3.30 or later.
public func groupConcat(
  _ value: some SQLTypedExpressible, separator: String? = nil,
  orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> TypedExpression<String?> {
  TypedExpression(
    groupConcat(
      value.sqlExpression, separator: separator, orderBy: ordering, filter: filter?.sqlExpression))
}
