import CofferCore

/// An expression whose value is JSON.
///
/// SQLite stores JSON as text and can't distinguish it from other text. So functions that build
/// JSON, such as ``Database/jsonArray(_:)``, treat text as a string: a `Column` that
/// holds `{"a":1}` becomes `["{\"a\":1}"]`. A `SQLJSONExpressible` becomes `[{"a":1}]`:
///
/// ```swift
/// Database.jsonArray([Column("info")])         // JSON_ARRAY("info")
/// Database.jsonArray([JSONColumn("info")])     // JSON_ARRAY(JSONB("info"))
/// Database.jsonArray([Column("info").asJSON])  // JSON_ARRAY(JSONB("info"))
/// ```
///
/// Before SQLite 3.45, it is `JSON("info")`. SQLite recognizes the results of JSON functions as
/// JSON.
///
/// The methods take paths in SQLite's form, such as `$.address.city` and `$.tags[0]`; those for the
/// operators also take a label or an index.
/// - Note: <https://www.sqlite.org/json1.html#path_arguments>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
  /// `value ->> path`: the SQL value at the path, text, a number or NULL.
  ///
  /// Objects and arrays are returned as JSON.
  ///
  /// ```swift
  /// JSONColumn("info")["country"]  // "info" ->> 'country'
  /// ```
  /// - Parameter path: A path, a label of an object, or an index of an array.
  public subscript(_ path: some SQLExpressible) -> SQLExpression {
    JSONFunction.operation(" ->> ", sqlExpression, JSONPath.expression(path))
  }

  /// `JSON_EXTRACT(value, path)`: the SQL value at the path; objects and arrays as JSON.
  public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
    Database.jsonExtract(self, atPath: path)
  }

  /// `JSON_EXTRACT(value, path, …)`: a JSON array of the values at several paths.
  public func jsonExtract(
    atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    Database.jsonExtract(self, atPaths: paths)
  }

  /// `value -> path`: the value at the path as JSON, with quoted strings and `null` as text.
  ///
  /// - Parameter path: A path, a label of an object, or an index of an array.
  public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
    JSONFunction.operation(" -> ", sqlExpression, JSONPath.expression(path))
  }
}

/// A type-erased JSON expression.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
  /// The expression.
  public let sqlExpression: SQLExpression

  /// Wraps a JSON expression.
  public init(_ value: some SQLJSONExpressible) { sqlExpression = value.sqlExpression }

  init(sqlExpression: SQLExpression) { self.sqlExpression = sqlExpression }
}

extension SQLSpecificExpressible {
  /// The expression, declared as JSON for functions that build JSON: see ``SQLJSONExpressible``.
  ///
  /// Elsewhere, it is the same expression.
  public var asJSON: AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: sqlExpression)
  }
}

extension TableAliasBase {
  /// Returns the JSON expression with its columns qualified by this table.
  public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: SQLExpression(.aliased(expression.sqlExpression, self)))
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// Returns a JSON column of the record type, qualified by this table.
  public subscript<T: SQLJSONExpressible>(
    dynamicMember keyPath: KeyPath<DatabaseComponents, T>
  ) -> AnySQLJSONExpressible {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

extension SQLTypedExpressible {
  /// The expression, declared as JSON.
  ///
  /// For properties that are stored as JSON because their type is `Codable`:
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE ("address" ->> 'city') = 'Paris'
  /// Player.filter { $0.address.asJSON["city"] == "Paris" }
  /// ```
  public var asJSON: AnySQLJSONExpressible {
    AnySQLJSONExpressible(sqlExpression: sqlExpression)
  }
}
