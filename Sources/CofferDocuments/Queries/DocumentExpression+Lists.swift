import CofferCore
import CofferQuery

/// What is stored as a list, or as an object, whose elements can be counted: an array, a set, a
/// dictionary, or one that may be nil.
public protocol DocumentCounted: Codable {}

/// What is stored as a list: an array, a set, or one that may be nil.
public protocol DocumentList: DocumentCounted {
  /// What is in it.
  associatedtype ListElement: Codable
}

extension Array: DocumentCounted where Element: Codable {}
extension Set: DocumentCounted where Element: Codable {}
extension Dictionary: DocumentCounted where Key == String, Value: Codable {}
extension Optional: DocumentCounted where Wrapped: DocumentCounted {}

extension Array: DocumentList where Element: Codable {
  /// What is in it.
  public typealias ListElement = Element
}

extension Set: DocumentList where Element: Codable {
  /// What is in it.
  public typealias ListElement = Element
}

extension Optional: DocumentList where Wrapped: DocumentList {
  /// What is in it.
  public typealias ListElement = Wrapped.ListElement
}

extension DocumentExpression where Value: DocumentList {
  /// Whether an element is in the list; none is in a list that is nil.
  ///
  /// ```swift
  /// articles.filter { $0.tags.contains("swift") && !$0.tags.contains("draft") }
  /// ```
  ///
  /// Texts are compared by their bytes.
  public func contains(_ element: Value.ListElement) -> TypedPredicate {
    predicate { "\(sql: $0.containing), \(try $0.element(element)))" }
  }
}

extension DocumentExpression where Value: DocumentCounted {
  /// The number of elements, or of the keys of a dictionary; NULL for nil.
  public var count: TypedExpression<Int?> {
    TypedExpression(deferringErrors { SQLExpression(sql: $0.counting) })
  }

  /// Whether there are no elements; not so for nil.
  public var isEmpty: TypedPredicate { predicate { "\($0.counting) IS 0" } }
}

extension DocumentExpression {
  /// The value of a key; nil where there is none.
  ///
  /// ```swift
  /// things.filter { $0.attributes["color"] == "red" }.orderBy { $0.attributes["size"] }
  /// ```
  public subscript<Element>(key: String) -> DocumentExpression<Document, Element?>
  where Value == [String: Element] {
    element(key, \.[key])
  }

  /// The value of a key; nil where there is none.
  public subscript<Element>(key: String) -> DocumentExpression<Document, Element?>
  where Value == [String: Element]? {
    element(key, \.[valueOf: key])
  }
}

extension Optional {
  fileprivate subscript<Element>(valueOf key: String) -> Element?
  where Wrapped == [String: Element] {
    self?[key]
  }
}

extension DocumentExpression {
  fileprivate func predicate(_ sql: (DocumentColumn) throws -> SQL) -> TypedPredicate {
    TypedPredicate(deferringErrors { SQLExpression(sql: "(\(try sql($0)))") })
  }
}

extension DocumentColumn {
  private var listArguments: String {
    "\(name.quotedDatabaseIdentifier), \(jsonPath.databaseValue.sqlLiteral)"
  }

  /// `coffer_json_count("tags", '$')`
  fileprivate var counting: SQL { "coffer_json_count(\(sql: listArguments))" }

  /// `1 IS coffer_json_contains("tags", '$'`: never NULL, so that it can be negated.
  var containing: String { "1 IS coffer_json_contains(\(listArguments)" }

  /// A value as a list of the column has it.
  func element<V: Encodable>(_ value: V) throws -> DatabaseValue {
    try DocumentValue.databaseValue(
      of: value, in: DocumentColumn(name: name, path: path + ["[0]"]))
  }
}
