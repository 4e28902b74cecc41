import CofferCore

/// A row of SQLite's `json_each` or `json_tree`: an element of a JSON array or object.
///
/// ```swift
/// // SELECT * FROM json_each('[1, "two"]')
/// let elements = try Database.jsonEach(#"[1, "two"]"#).fetchAll(db)
///
/// // SELECT * FROM "player" WHERE EXISTS (
/// //   SELECT * FROM json_each("tags") WHERE "value" = 'fast')
/// let fast = Player.filter(JSONColumn("tags").jsonEach().filter { $0.value == "fast" }.exists())
/// ```
///
/// Inside of the query for another table, a column of that table that is named as one of
/// ``Columns`` has to be written with a `TableAlias`.
/// - Note: <https://sqlite.org/json1.html#the_json_each_and_json_tree_table_valued_functions>
public struct JSONElement: TableRecord, Sendable {
  /// The columns.
  public enum Columns {
    /// The index in an array, or the label in an object; NULL for a value in neither.
    public static let key = Column("key")
    /// The value; JSON for arrays and objects.
    public static let value = Column("value")
    /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
    public static let type = Column("type")
    /// The value; NULL for arrays and objects.
    public static let atom = Column("atom")
    /// A number that identifies the element in this JSON.
    public static let id = Column("id")
    /// The number of the array or object that has the element; always NULL in `json_each`.
    public static let parent = Column("parent")
    /// The path of the element.
    public static let fullKey = Column("fullkey")
    /// The path of the array or object that has the element.
    public static let path = Column("path")
  }

  /// `json_each`, though each request has its JSON.
  public static let databaseTableName = "json_each"

  /// The index in an array, or the label in an object; NULL for a value in neither.
  public let key: DatabaseValue
  /// The value; JSON for arrays and objects.
  public let value: DatabaseValue
  /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
  public let type: String
  /// The value; NULL for arrays and objects.
  public let atom: DatabaseValue
  /// A number that identifies the element in this JSON.
  public let id: Int64
  /// The number of the array or object that has the element; always nil in `json_each`.
  public let parent: Int64?
  /// The path of the element.
  public let fullKey: String
  /// The path of the array or object that has the element.
  public let path: String

  /// Creates an element from a row.
  public init(row: Row) throws {
    key = try row.decode(forColumn: "key")
    value = try row.decode(forColumn: "value")
    type = try row.decode(forColumn: "type")
    atom = try row.decode(forColumn: "atom")
    id = try row.decode(forColumn: "id")
    parent = try row.decode(forColumn: "parent")
    fullKey = try row.decode(forColumn: "fullkey")
    path = try row.decode(forColumn: "path")
  }
}

extension Database {
  /// Returns a request for the elements of a JSON array or object: `json_each(value)`.
  ///
  /// Needs SQLite 3.38, as the other JSON functions.
  public static func jsonEach(_ value: some SQLExpressible) -> QueryInterfaceRequest<JSONElement> {
    JSONElements.request("json_each", [value.sqlExpression])
  }

  /// Returns a request for the elements of the JSON array or object at a path.
  public static func jsonEach(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> QueryInterfaceRequest<JSONElement> {
    JSONElements.request("json_each", [value.sqlExpression, JSONPath.expression(path)])
  }

  /// Returns a request for a JSON value and all values inside of it: `json_tree(value)`.
  public static func jsonTree(_ value: some SQLExpressible) -> QueryInterfaceRequest<JSONElement> {
    JSONElements.request("json_tree", [value.sqlExpression])
  }

  /// Returns a request for the JSON value at a path and all values inside of it.
  public static func jsonTree(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> QueryInterfaceRequest<JSONElement> {
    JSONElements.request("json_tree", [value.sqlExpression, JSONPath.expression(path)])
  }
}

extension SQLJSONExpressible {
  /// Returns a request for the elements of the JSON array or object: `json_each(value)`.
  public func jsonEach() -> QueryInterfaceRequest<JSONElement> {
    Database.jsonEach(sqlExpression)
  }

  /// Returns a request for the elements of the JSON array or object at a path.
  public func jsonEach(
    atPath path: some SQLExpressible
  ) -> QueryInterfaceRequest<JSONElement> { Database.jsonEach(sqlExpression, atPath: path) }

  /// Returns a request for the JSON value and all values inside of it: `json_tree(value)`.
  public func jsonTree() -> QueryInterfaceRequest<JSONElement> {
    Database.jsonTree(sqlExpression)
  }

  /// Returns a request for the JSON value at a path and all values inside of it.
  public func jsonTree(
    atPath path: some SQLExpressible
  ) -> QueryInterfaceRequest<JSONElement> { Database.jsonTree(sqlExpression, atPath: path) }
}

/// `SELECT * FROM json_each(…)`
private struct JSONElements: SQLNode {
  let function: String
  let arguments: [SQLExpression]

  static func request(
    _ function: String, _ arguments: [SQLExpression]
  ) -> QueryInterfaceRequest<JSONElement> {
    let query = SQLSubquery(node: JSONElements(function: function, arguments: arguments))
    return QueryInterfaceRequest(
      relation: Relation(source: .compound(query, []), selection: [AllColumns().sqlSelection]))
  }

  func render(into renderer: inout SQLRenderer) throws {
    let features = SQLiteFeatures.linked
    try features.require(features.hasJSON, "JSON", "3.38.0")
    renderer.append("SELECT * FROM \(function)(")
    try renderer.append(list: arguments)
    renderer.append(")")
  }
}
