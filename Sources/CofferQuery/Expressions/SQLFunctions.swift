import CofferCore

// SQL's own functions, https://www.sqlite.org/lang_corefunc.html

/// `ABS(value)`
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  function("ABS", value)
}

/// `CAST(expression AS type)`: the value converted to a storage class.
/// - Note: <https://www.sqlite.org/lang_expr.html#castexpr>
public func cast(
  _ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
  SQLExpression(.cast(expression.sqlExpression, type: storageClass.rawValue))
}

/// `COALESCE(a, b, …)`: the first of the values that is not NULL, or NULL.
///
/// One value is itself; none is NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
  guard values.count > 1 else { return values.first?.sqlExpression ?? SQLExpression(.null) }
  return SQLExpression(.function("COALESCE", values.map(\.sqlExpression)))
}

/// `LENGTH(value)`: characters of text, bytes of a blob.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  function("LENGTH", value)
}

/// `MAX(a, b, …)`: the greatest of several values; NULL where one is.
public func max(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible,
  _ others: any SQLExpressible...
) -> SQLExpression {
  SQLExpression(.function("MAX", ([first, second] + others).map(\.sqlExpression)))
}

/// `MIN(a, b, …)`: the least of several values; NULL where one is.
public func min(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible,
  _ others: any SQLExpressible...
) -> SQLExpression {
  SQLExpression(.function("MIN", ([first, second] + others).map(\.sqlExpression)))
}

extension SQLSpecificExpressible {
  /// `NULLIF(value, other)`: the value, or NULL where it equals `other`.
  public func nullIf(_ other: any SQLExpressible) -> SQLExpression {
    function("NULLIF", self, other)
  }

  /// `ROUND(value, digits)`: a number rounded to digits after the point.
  public func round(digits: Int = 0) -> SQLExpression {
    digits == 0 ? function("ROUND", self) : function("ROUND", self, digits)
  }

  /// `INSTR(text, part)`: the place of the first occurrence, from 1 on; 0 for none.
  public func instr(_ part: any SQLExpressible) -> SQLExpression {
    function("INSTR", self, part)
  }

  /// `SUBSTR(text, start, length)`: a part of text; the first character is 1.
  public func substr(
    _ start: any SQLExpressible, _ length: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    guard let length else { return function("SUBSTR", self, start) }
    return function("SUBSTR", self, start, length)
  }

  /// `REPLACE(text, part, replacement)`: the text with each `part` replaced.
  public func replace(
    _ part: any SQLExpressible, with replacement: any SQLExpressible
  ) -> SQLExpression {
    function("REPLACE", self, part, replacement)
  }

  /// `TRIM(text)`: text without the spaces around it.
  public func trim() -> SQLExpression { function("TRIM", self) }

  /// `TYPEOF(value)`: `null`, `integer`, `real`, `text` or `blob`.
  public func typeOf() -> SQLExpression { function("TYPEOF", self) }
}

private func function(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
  SQLExpression(.function(name, arguments.map(\.sqlExpression)))
}
