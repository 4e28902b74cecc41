import CofferCore

// What a query without rows, or with NULL alone, makes NULL is optional.

/// `AVG(value)`: the average of the values that are not NULL.
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func average(
  _ value: some SQLTypedExpressible<some SQLNumber>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double?> {
  TypedExpression(average(value.sqlExpression, filter: filter?.sqlExpression))
}

/// `COUNT(value)`: the number of values that are not NULL.
public func count(_ counted: some SQLTypedExpressible) -> TypedExpression<Int> {
  TypedExpression(count(counted.sqlExpression))
}

/// `COUNT(value) FILTER (WHERE filter)`, from SQLite 3.30 on.
public func count(
  _ counted: some SQLTypedExpressible, filter: any SQLExpressible
) -> TypedExpression<Int> {
  TypedExpression(count(counted.sqlExpression, filter: filter.sqlExpression))
}

/// `COUNT(DISTINCT value)`: the number of different values that are not NULL.
public func count(distinct counted: some SQLTypedExpressible) -> TypedExpression<Int> {
  TypedExpression(count(distinct: counted.sqlExpression))
}

/// `COUNT(DISTINCT value) FILTER (WHERE filter)`, from SQLite 3.30 on.
public func count(
  distinct counted: some SQLTypedExpressible, filter: any SQLExpressible
) -> TypedExpression<Int> {
  TypedExpression(count(distinct: counted.sqlExpression, filter: filter.sqlExpression))
}

/// `MAX(value)`: the greatest value; NULL where there is none.
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func max<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(
    max(value.sqlExpression, filter: filter?.sqlExpression), form: value._form)
}

/// `MIN(value)`: the least value; NULL where there is none.
/// - Parameter filter: Which rows count, from SQLite 3.30 on.
public func min<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(
    min(value.sqlExpression, filter: filter?.sqlExpression), form: value._form)
}

/// `SUM(value)`: the sum of the values that are not NULL; NULL where there is none.
///
/// The sum of integers is one, and an error where it is too large. Compare
/// ``total(_:orderBy:filter:)``.
/// - Parameters:
///   - orderBy: The order in which the values are added, from SQLite 3.44 on.
///   - filter: Which rows count, from SQLite 3.30 on.
public func sum<Value: SQLNumber>(
  _ value: some SQLTypedExpressible<Value>, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLExpressible)? = nil
) -> TypedExpression<Value._Base?> {
  TypedExpression(sum(value.sqlExpression, orderBy: ordering, filter: filter?.sqlExpression))
}

/// `TOTAL(value)`: the sum of the values that are not NULL as a `Double`; 0 where
/// there is none.
///
/// - Parameters:
///   - orderBy: The order in which the values are added, from SQLite 3.44 on.
///   - filter: Which rows count, from SQLite 3.30 on.
public func total(
  _ value: some SQLTypedExpressible<some SQLNumber>,
  orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> TypedExpression<Double> {
  TypedExpression(total(value.sqlExpression, orderBy: ordering, filter: filter?.sqlExpression))
}

/// `GROUP_CONCAT(value, separator)`: the texts that are not NULL in one.
///
/// - Parameters:
///   - separator: What stands between them; a comma where it is nil.
///   - orderBy: The order of the texts, from SQLite 3.44 on; before, it is any.
///   - filter: Which rows count, from SQLite 3.30 on.
public func groupConcat(
  _ value: some SQLTypedExpressible, separator: String? = nil,
  orderBy ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLExpressible)? = nil
) -> TypedExpression<String?> {
  TypedExpression(
    groupConcat(
      value.sqlExpression, separator: separator, orderBy: ordering, filter: filter?.sqlExpression))
}
