import CofferCore

// The results are NULL for values that aren't dates. Columns of all types are accepted, since dates
// can be stored as text or as numbers.

/// Returns `DATETIME(value, …)`: the date and time as text, `2026-11-21 10:30:00`.
public func dateTime(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(dateFunction("DATETIME", value, modifiers))
}

/// Returns `JULIANDAY(value, …)`: the days since noon UTC on 24 November 4714 BC.
public func julianDay(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Double?> {
  TypedExpression(dateFunction("JULIANDAY", value, modifiers))
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  /// Returns `DATE(value, …)`: the date as text, `2026-11-21`.
  public func date(_ modifiers: SQLDateModifier...) -> TypedExpression<String?> {
    TypedExpression(dateFunction("DATE", self, modifiers))
  }

  /// Returns `TIME(value, …)`: the time as text, `10:30:00`.
  public func time(_ modifiers: SQLDateModifier...) -> TypedExpression<String?> {
    TypedExpression(dateFunction("TIME", self, modifiers))
  }

  /// Returns `STRFTIME('%s', value, …)`: the seconds since 1970, as an integer.
  public func unixEpoch(_ modifiers: SQLDateModifier...) -> TypedExpression<Int?> {
    TypedExpression(
      SQLExpression(.cast(CofferQuery.strftime("%s", self, modifiers), type: "INTEGER")))
  }

  /// Returns `STRFTIME(format, value, …)`: the date and time as formatted text.
  public func strftime(
    _ format: String, _ modifiers: SQLDateModifier...
  ) -> TypedExpression<String?> {
    TypedExpression(CofferQuery.strftime(format, self, modifiers))
  }
}
