import CofferCore

/// An expression whose value is JSON.
///
/// SQLite stores JSON as text, and can't tell it from other text. So functions that build JSON, such
/// as ``CofferCore/Database/jsonArray(_:)``, take text for a string: a `Column` that
/// holds `{"a":1}` becomes `["{\"a\":1}"]`. The value of a `SQLJSONExpressible` becomes `[{"a":1}]`:
///
/// ```swift
/// Database.jsonArray([Column("info")])         // JSON_ARRAY("info")
/// Database.jsonArray([JSONColumn("info")])     // JSON_ARRAY(JSONB("info"))
/// Database.jsonArray([Column("info").asJSON])  // JSON_ARRAY(JSONB("info"))
/// ```
///
/// It is `JSON("info")` before SQLite 3.45. What JSON functions give is known to be JSON already.
///
/// Methods here take paths in the form of SQLite, such as `$.address.city` and `$.tags[0]`; those of the
/// operators take a label or an index as well.
/// - Note: <https://www.sqlite.org/json1.html#path_arguments>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
  /// `value ->> path`: the value at the path, as SQL has it: text, a number, NULL; objects and arrays
  /// as JSON.
  ///
  /// ```swift
  /// JSONColumn("info")["country"]  // "info" ->> 'country'
  /// ```
  /// - Parameter path: A path, a label of an object, or an index of an array.
  public subscript(_ path: some SQLExpressible) -> SQLExpression {
    JSONFunction.operation(" ->> ", sqlExpression, JSONPath.expression(path))
  }

  /// `JSON_EXTRACT(value, path)`: the value at the path, as SQL has it; objects and arrays as JSON.
  public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
    Database.jsonExtract(self, atPath: path)
  }

  /// `JSON_EXTRACT(value, path, …)`: a JSON array of the values at several paths.
  public func jsonExtract(
    atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    Database.jsonExtract(self, atPaths: paths)
  }

  /// `value -> path`: the value at the path as JSON, strings in quotes, `null` as text.
  ///
  /// - Parameter path: A path, a label of an object, or an index of an array.
  public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
    JSONFunction.operation(" -> ", sqlExpression, JSONPath.expression(path))
  }
}

/// A JSON expression, whatever it is.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
  /// The expression.
  public let sqlExpression: SQLExpression

  /// The expression of another one.
  public init(_ value: some SQLJSONExpressible) { sqlExpression = value.sqlExpression }

  init(sqlExpression: SQLExpression) { self.sqlExpression = sqlExpression }
}

extension SQLSpecificExpressible {
  /// The expression, taken for JSON by functions that build JSON: see ``SQLJSONExpressible``.
  ///
  /// It is not changed elsewhere.
  public var asJSON: AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: sqlExpression)
  }
}

extension TableAliasBase {
  /// A JSON expression with its columns taken from the table.
  public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: SQLExpression(.aliased(expression.sqlExpression, self)))
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// A JSON column of the type, taken from the table.
  public subscript<T: SQLJSONExpressible>(
    dynamicMember keyPath: KeyPath<DatabaseComponents, T>
  ) -> AnySQLJSONExpressible {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

extension SQLTypedExpressible {
  /// The expression, taken for JSON, as properties are stored whose types are `Codable`:
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE ("address" ->> 'city') = 'Paris'
  /// Player.filter { $0.address.asJSON["city"] == "Paris" }
  /// ```
  public var asJSON: AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: sqlExpression)
  }
}
