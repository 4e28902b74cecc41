import CofferCore

// SQLite's core functions: https://www.sqlite.org/lang_corefunc.html

/// Returns `ABS(value)`: the absolute value.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  function("ABS", value)
}

/// Returns `CAST(expression AS type)`: the value converted to a storage class.
/// - Note: <https://www.sqlite.org/lang_expr.html#castexpr>
public func cast(
  _ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
  SQLExpression(.cast(expression.sqlExpression, type: storageClass.rawValue))
}

/// Returns `COALESCE(a, b, …)`: the first value that is not NULL, or NULL.
///
/// A single value is returned unchanged; the result is NULL if there are no values.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
  guard values.count > 1 else { return values.first?.sqlExpression ?? SQLExpression(.null) }
  return SQLExpression(.function("COALESCE", values.map(\.sqlExpression)))
}

/// Returns `LENGTH(value)`: the number of characters of text, or of bytes of a blob.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  function("LENGTH", value)
}

/// Returns `MAX(a, b, …)`: the greatest of several values, or NULL if one is NULL.
public func max(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible,
  _ others: any SQLExpressible...
) -> SQLExpression {
  SQLExpression(.function("MAX", ([first, second] + others).map(\.sqlExpression)))
}

/// Returns `MIN(a, b, …)`: the least of several values, or NULL if one is NULL.
public func min(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible,
  _ others: any SQLExpressible...
) -> SQLExpression {
  SQLExpression(.function("MIN", ([first, second] + others).map(\.sqlExpression)))
}

extension SQLSpecificExpressible {
  /// Returns `NULLIF(value, other)`: the value, or NULL if it equals `other`.
  public func nullIf(_ other: any SQLExpressible) -> SQLExpression {
    function("NULLIF", self, other)
  }

  /// Returns `ROUND(value, digits)`: the value rounded to a number of decimal digits.
  public func round(digits: Int = 0) -> SQLExpression {
    digits == 0 ? function("ROUND", self) : function("ROUND", self, digits)
  }

  /// Returns `INSTR(text, part)`: the index of the first occurrence, counted from 1, or 0.
  public func instr(_ part: any SQLExpressible) -> SQLExpression {
    function("INSTR", self, part)
  }

  /// Returns `SUBSTR(text, start, length)`: a substring; the first character has index 1.
  public func substr(
    _ start: any SQLExpressible, _ length: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    guard let length else { return function("SUBSTR", self, start) }
    return function("SUBSTR", self, start, length)
  }

  /// Returns `REPLACE(text, part, replacement)`: the text with each occurrence of `part` replaced.
  public func replace(
    _ part: any SQLExpressible, with replacement: any SQLExpressible
  ) -> SQLExpression {
    function("REPLACE", self, part, replacement)
  }

  /// Returns `TRIM(text)`: the text without leading and trailing spaces.
  public func trim() -> SQLExpression { function("TRIM", self) }

  /// Returns `TYPEOF(value)`: `null`, `integer`, `real`, `text` or `blob`.
  public func typeOf() -> SQLExpression { function("TYPEOF", self) }
}

private func function(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
  SQLExpression(.function(name, arguments.map(\.sqlExpression)))
}
