import CofferCore

// https://www.sqlite.org/json1.html

extension Database {
  // MARK: Checking JSON

  /// `JSON(value)`: the JSON, minified; an error if the value is not JSON.
  public static func json(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSON", [value.sqlExpression])
  }

  /// `JSON_VALID(value, options)`: whether the value is JSON.
  ///
  /// - Parameter options: The accepted forms of JSON, with SQLite 3.45 or later; by default RFC
  ///   8259 text.
  public static func jsonIsValid(
    _ value: some SQLExpressible, options: JSONValidationOptions? = nil
  ) -> SQLExpression {
    guard let options else { return JSONFunction.call("JSON_VALID", [value.sqlExpression]) }
    return JSONFunction.call(
      "JSON_VALID", [value.sqlExpression, options.rawValue.sqlExpression],
      needs: .validationOptions)
  }

  /// `JSON_ERROR_POSITION(value)`: the 1-based position of the first syntax error.
  ///
  /// 0 if there is none. Needs SQLite 3.42.
  public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSON_ERROR_POSITION", [value.sqlExpression], needs: .errorPosition)
  }

  /// `JSON_TYPE(value)`: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
  public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSON_TYPE", [value.sqlExpression])
  }

  /// `JSON_TYPE(value, path)`: the type of the value at the path; NULL if there is none.
  public static func jsonType(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_TYPE", [value.sqlExpression, JSONPath.expression(path)])
  }

  // MARK: Reading JSON

  /// `JSON_ARRAY_LENGTH(value)`: the number of elements; 0 if it isn't an array.
  public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSON_ARRAY_LENGTH", [value.sqlExpression])
  }

  /// `JSON_ARRAY_LENGTH(value, path)`: the number of elements of the array at the path.
  ///
  /// NULL if there is no value.
  public static func jsonArrayLength(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_ARRAY_LENGTH", [value.sqlExpression, JSONPath.expression(path)])
  }

  /// `JSON_EXTRACT(value, path)`: the SQL value at the path; objects and arrays as JSON.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_EXTRACT", [value.sqlExpression, JSONPath.expression(path)])
  }

  /// `JSON_EXTRACT(value, path, …)`: a JSON array of the values at several paths.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSON_EXTRACT", [value.sqlExpression] + paths.map { JSONPath.expression($0) })
  }

  // MARK: Building JSON

  /// `JSON_QUOTE(value)`: an SQL value as JSON.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
    JSONFunction.call("JSON_QUOTE", [JSONFunction.element(value)])
  }

  /// `JSON_ARRAY(value, …)`: a JSON array of values.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  public static func jsonArray(
    _ values: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSON_ARRAY", values.map { JSONFunction.element($0) })
  }

  /// `JSON_ARRAY(value, …)`: a JSON array of values.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  public static func jsonArray(
    _ values: some Collection<any SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSON_ARRAY", values.map { JSONFunction.element($0) })
  }

  /// `JSON_OBJECT(key, value, …)`: a JSON object.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  ///
  /// ```swift
  /// let elements: KeyValuePairs<String, any SQLExpressible> = [
  ///   "name": Column("name"), "info": JSONColumn("info"),
  /// ]
  /// Database.jsonObject(elements)  // JSON_OBJECT('name', "name", 'info', JSONB("info"))
  /// ```
  /// - Parameter elements: The keys and values. The order of a dictionary is undefined.
  public static func jsonObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    JSONFunction.call("JSON_OBJECT", JSONFunction.elements(elements))
  }
}
