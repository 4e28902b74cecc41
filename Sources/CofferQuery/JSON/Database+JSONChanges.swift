import CofferCore

extension Database {
  // MARK: Changed JSON

  /// `JSON_INSERT(value, path, new, …)`: the JSON with new values where there are none yet.
  ///
  /// ```swift
  /// // JSON_INSERT("tags", '$[#]', 'new')
  /// Database.jsonInsert(JSONColumn("tags"), ["$[#]": "new"])
  /// ```
  /// - Parameter assignments: Paths and values; those that are JSON are taken as such: see
  ///   ``SQLJSONExpressible``.
  public static func jsonInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_INSERT", value, assignments)
  }

  /// `JSON_REPLACE(value, path, new, …)`: the JSON with new values where there are some already.
  ///
  /// - Parameter assignments: Paths and values; those that are JSON are taken as such: see
  ///   ``SQLJSONExpressible``.
  public static func jsonReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_REPLACE", value, assignments)
  }

  /// `JSON_SET(value, path, new, …)`: the JSON with new values, whether there are some or not.
  ///
  /// - Parameter assignments: Paths and values; those that are JSON are taken as such: see
  ///   ``SQLJSONExpressible``.
  public static func jsonSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSON_SET", value, assignments)
  }

  /// `JSON_PATCH(value, patch)`: the JSON merged with another object, by RFC 7396.
  public static func jsonPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_PATCH", [value.sqlExpression, patch.sqlExpression])
  }

  /// `JSON_REMOVE(value, path)`: the JSON without what is at the path.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSON_REMOVE", [value.sqlExpression, path.sqlExpression])
  }

  /// `JSON_REMOVE(value, path, …)`: the JSON without what is at the paths, one after the other.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    JSONFunction.call("JSON_REMOVE", [value.sqlExpression] + paths.map(\.sqlExpression))
  }

  // MARK: Changed JSON in the binary format

  /// `JSONB_INSERT(value, path, new, …)`: as ``jsonInsert(_:_:)``, in SQLite's binary format. From
  /// SQLite 3.45 on.
  public static func jsonbInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_INSERT", value, assignments, needs: .jsonb)
  }

  /// `JSONB_REPLACE(value, path, new, …)`: as ``jsonReplace(_:_:)``, in SQLite's binary format. From
  /// SQLite 3.45 on.
  public static func jsonbReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_REPLACE", value, assignments, needs: .jsonb)
  }

  /// `JSONB_SET(value, path, new, …)`: as ``jsonSet(_:_:)``, in SQLite's binary format. From SQLite
  /// 3.45 on.
  public static func jsonbSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    change("JSONB_SET", value, assignments, needs: .jsonb)
  }

  /// `JSONB_PATCH(value, patch)`: as ``jsonPatch(_:with:)``, in SQLite's binary format. From SQLite
  /// 3.45 on.
  public static func jsonbPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSONB_PATCH", [value.sqlExpression, patch.sqlExpression], needs: .jsonb)
  }

  /// `JSONB_REMOVE(value, path)`: as ``jsonRemove(_:atPath:)``, in SQLite's binary format. From
  /// SQLite 3.45 on.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    JSONFunction.call("JSONB_REMOVE", [value.sqlExpression, path.sqlExpression], needs: .jsonb)
  }

  /// `JSONB_REMOVE(value, path, …)`: as ``jsonRemove(_:atPaths:)``, in SQLite's binary format. From
  /// SQLite 3.45 on.
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
