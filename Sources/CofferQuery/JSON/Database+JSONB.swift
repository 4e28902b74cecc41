import CofferCore

// https://www.sqlite.org/json1.html#jsonbx: needs SQLite 3.45.

extension Database {
  // MARK: JSON in the binary format

  /// `JSONB(value)`: the JSON in SQLite's binary format, a blob; an error if the value is not JSON.
  ///
  /// Needs SQLite 3.45.
  public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSONB", [value.sqlExpression], needs: .jsonb)
  }

  /// `JSONB_ARRAY(value, …)`: like ``jsonArray(_:)``, in SQLite's binary format. Needs SQLite 3.45.
  public static func jsonbArray(
    _ values: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSONB_ARRAY", values.map { JSONFunction.element($0) }, needs: .jsonb)
  }

  /// `JSONB_ARRAY(value, …)`: like ``jsonArray(_:)``, in SQLite's binary format. Needs SQLite 3.45.
  public static func jsonbArray(
    _ values: some Collection<any SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSONB_ARRAY", values.map { JSONFunction.element($0) }, needs: .jsonb)
  }

  /// `JSONB_OBJECT(key, value, …)`: like ``jsonObject(_:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    JSONFunction.call("JSONB_OBJECT", JSONFunction.elements(elements), needs: .jsonb)
  }

  /// `JSONB_EXTRACT(value, path)`: objects and arrays are in SQLite's binary format.
  ///
  /// Like ``jsonExtract(_:atPath:)``. Needs SQLite 3.45.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call(
      "JSONB_EXTRACT", [value.sqlExpression, JSONPath.expression(path)], needs: .jsonb)
  }

  /// `JSONB_EXTRACT(value, path, …)`: like ``jsonExtract(_:atPaths:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call(
      "JSONB_EXTRACT", [value.sqlExpression] + paths.map { JSONPath.expression($0) }, needs: .jsonb)
  }
}
