import CofferCore

// The results are nil for what isn't a date. Columns of all types are taken, since dates are
// stored as text or as numbers.

/// `DATETIME(value, …)`: date and time as text, `2026-11-21 10:30:00`.
public func dateTime(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
  TypedExpression(dateFunction("DATETIME", value, modifiers))
}

/// `JULIANDAY(value, …)`: days since noon in Greenwich on 24 November 4714 BC.
public func julianDay(
  _ value: some SQLTypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Double?> {
  TypedExpression(dateFunction("JULIANDAY", value, modifiers))
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  /// `DATE(value, …)`: the date as text, `2026-11-21`.
  public func date(_ modifiers: SQLDateModifier...) -> TypedExpression<String?> {
    TypedExpression(dateFunction("DATE", self, modifiers))
  }

  /// `TIME(value, …)`: the time as text, `10:30:00`.
  public func time(_ modifiers: SQLDateModifier...) -> TypedExpression<String?> {
    TypedExpression(dateFunction("TIME", self, modifiers))
  }

  /// `STRFTIME('%s', value, …)`: seconds since 1970, as an integer.
  public func unixEpoch(_ modifiers: SQLDateModifier...) -> TypedExpression<Int?> {
    TypedExpression(
      SQLExpression(.cast(CofferQuery.strftime("%s", self, modifiers), type: "INTEGER")))
  }

  /// `STRFTIME(format, value, …)`: date and time as text of a format.
  public func strftime(
    _ format: String, _ modifiers: SQLDateModifier...
  ) -> TypedExpression<String?> {
    TypedExpression(CofferQuery.strftime(format, self, modifiers))
  }
}
