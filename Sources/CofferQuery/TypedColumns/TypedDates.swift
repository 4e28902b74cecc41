import CofferCore

// The results are nil for what is no date. Columns of any type are taken, since
// dates are stored as text or as numbers.

/// `DATETIME(value, …)`: date and time as text, `2026-11-21 10:30:00`.
public func dateTime(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(dateFunction("DATETIME", value, modifiers))
}

/// `DATE(value, …)`: the date as text, `2026-11-21`.
public func date(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(dateFunction("DATE", value, modifiers))
}

/// `TIME(value, …)`: the time as text, `10:30:00`.
public func time(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(dateFunction("TIME", value, modifiers))
}

/// `JULIANDAY(value, …)`: days since noon in Greenwich on 24 November 4714 BC.
public func julianDay(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Double?> {
  TypedExpression(dateFunction("JULIANDAY", value, modifiers))
}

/// `STRFTIME('%s', value, …)`: seconds since 1970, as an integer.
public func unixEpoch(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Int?> {
  let seconds = strftime("%s", value, modifiers)
  return TypedExpression(SQLExpression(.cast(seconds, type: "INTEGER")))
}

/// `STRFTIME(format, value, …)`: date and time as text of a format.
public func strftime(
  _ format: String, _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(strftime(format, value, modifiers))
}

private func strftime(
  _ format: String, _ value: some SQLExpressible, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
  let arguments = [format.sqlExpression, value.sqlExpression] + modifiers.map(\.sqlExpression)
  return SQLExpression(.function("STRFTIME", arguments))
}

private func dateFunction(
  _ name: String, _ value: some SQLExpressible, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
  SQLExpression(.function(name, [value.sqlExpression] + modifiers.map(\.sqlExpression)))
}
