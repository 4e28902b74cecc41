import CofferCore

// https://www.sqlite.org/json1.html#jgrouparray

extension Database {
  // MARK: JSON from many rows

  /// `JSON_GROUP_ARRAY(value)`: a JSON array of the values of all rows.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  ///
  /// ```swift
  /// // SELECT JSON_GROUP_ARRAY("name" ORDER BY "score") FROM "player"
  /// Player.select(Database.jsonGroupArray(Column("name"), orderBy: Column("score")))
  /// ```
  /// - Parameters:
  ///   - ordering: The order of the elements, with SQLite 3.44 or later; by default undefined.
  ///   - filter: The condition for rows to include.
  public static func jsonGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    JSONFunction.aggregate(
      "JSON_GROUP_ARRAY", [JSONFunction.element(value)], orderBy: ordering, filter: filter)
  }

  /// `JSON_GROUP_OBJECT(key, value)`: a JSON object with a key and a value of each row.
  ///
  /// Values that are JSON are kept: see ``SQLJSONExpressible``.
  ///
  /// - Parameter filter: The condition for rows to include.
  public static func jsonGroupObject(
    key: some SQLExpressible, value: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    JSONFunction.aggregate(
      "JSON_GROUP_OBJECT", [key.sqlExpression, JSONFunction.element(value)], filter: filter)
  }

  /// `JSONB_GROUP_ARRAY(value)`: a JSON array in SQLite's binary format.
  ///
  /// Like ``jsonGroupArray(_:orderBy:filter:)``. Needs SQLite 3.45.
  public static func jsonbGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    JSONFunction.aggregate(
      "JSONB_GROUP_ARRAY", [JSONFunction.element(value)], orderBy: ordering, filter: filter,
      needs: .jsonb)
  }

  /// `JSONB_GROUP_OBJECT(key, value)`: a JSON object in SQLite's binary format.
  ///
  /// Like ``jsonGroupObject(key:value:filter:)``. Needs SQLite 3.45.
  public static func jsonbGroupObject(
    key: some SQLExpressible, value: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    JSONFunction.aggregate(
      "JSONB_GROUP_OBJECT", [key.sqlExpression, JSONFunction.element(value)], filter: filter,
      needs: .jsonb)
  }
}
