import CofferCore

extension Database {
  // MARK: Changing JSON

  /// `JSON_INSERT(value, path, new, …)`: the JSON with values added where there are none.
  ///
  /// ```swift
  /// // JSON_INSERT("tags", '$[#]', 'new')
  /// Database.jsonInsert(JSONColumn("tags"), ["$[#]": "new"])
  /// ```
  /// - Parameter assignments: Paths and values. Values that are JSON are kept: see
  ///   ``SQLJSONExpressible``.
  public static func jsonInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_INSERT", value, assignments)
  }

  /// `JSON_REPLACE(value, path, new, …)`: the JSON with existing values replaced.
  ///
  /// - Parameter assignments: Paths and values. Values that are JSON are kept: see
  ///   ``SQLJSONExpressible``.
  public static func jsonReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_REPLACE", value, assignments)
  }

  /// `JSON_SET(value, path, new, …)`: the JSON with values added or replaced.
  ///
  /// - Parameter assignments: Paths and values. Values that are JSON are kept: see
  ///   ``SQLJSONExpressible``.
  public static func jsonSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_SET", value, assignments)
  }

  /// `JSON_PATCH(value, patch)`: the JSON merged with another object, as in RFC 7396.
  public static func jsonPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_PATCH", [value.sqlExpression, patch.sqlExpression])
  }

  /// `JSON_REMOVE(value, path)`: the JSON without the value at the path.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_REMOVE", [value.sqlExpression, path.sqlExpression])
  }

  /// `JSON_REMOVE(value, path, …)`: the JSON without the values at the paths.
  ///
  /// They are removed one after the other.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSON_REMOVE", [value.sqlExpression] + paths.map(\.sqlExpression))
  }

  // MARK: Changing JSON in the binary format

  /// `JSONB_INSERT(value, path, new, …)`: like ``jsonInsert(_:_:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_INSERT", value, assignments, needs: .jsonb)
  }

  /// `JSONB_REPLACE(value, path, new, …)`: like ``jsonReplace(_:_:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_REPLACE", value, assignments, needs: .jsonb)
  }

  /// `JSONB_SET(value, path, new, …)`: like ``jsonSet(_:_:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_SET", value, assignments, needs: .jsonb)
  }

  /// `JSONB_PATCH(value, patch)`: like ``jsonPatch(_:with:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSONB_PATCH", [value.sqlExpression, patch.sqlExpression], needs: .jsonb)
  }

  /// `JSONB_REMOVE(value, path)`: like ``jsonRemove(_:atPath:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSONB_REMOVE", [value.sqlExpression, path.sqlExpression], needs: .jsonb)
  }

  /// `JSONB_REMOVE(value, path, …)`: like ``jsonRemove(_:atPaths:)``, in SQLite's binary format.
  ///
  /// Needs SQLite 3.45.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call(
      "JSONB_REMOVE", [value.sqlExpression] + paths.map(\.sqlExpression), needs: .jsonb)
  }

  private static func change(
    _ name: String, _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>,
    needs need: JSONFunction.Need = .json
  ) -> SQLExpression {
    let changes = JSONFunction.elements(assignments)
    return JSONFunction.call(name, [value.sqlExpression] + changes, needs: need)
  }
}
