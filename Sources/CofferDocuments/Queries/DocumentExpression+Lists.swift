import CofferCore
import CofferQuery

/// A type whose elements can be counted, since it is stored as a list or an object: an array, a set
/// or a dictionary, optional or not.
public protocol DocumentCounted: Codable {}

/// A type that is stored as a list: an array or a set, optional or not.
public protocol DocumentList: DocumentCounted {
  /// The type of the elements.
  associatedtype ListElement: Codable
}

extension Array: DocumentCounted where Element: Codable {}
extension Set: DocumentCounted where Element: Codable {}
extension Dictionary: DocumentCounted where Key == String, Value: Codable {}
extension Optional: DocumentCounted where Wrapped: DocumentCounted {}

extension Array: DocumentList where Element: Codable {
  /// The type of the elements.
  public typealias ListElement = Element
}

extension Set: DocumentList where Element: Codable {
  /// The type of the elements.
  public typealias ListElement = Element
}

extension Optional: DocumentList where Wrapped: DocumentList {
  /// The type of the elements.
  public typealias ListElement = Wrapped.ListElement
}

extension DocumentExpression where Value: DocumentList {
  /// Whether the list contains an element; nil contains nothing.
  ///
  /// ```swift
  /// articles.filter { $0.tags.contains("swift") && !$0.tags.contains("draft") }
  /// ```
  ///
  /// Strings are compared by Swift's `==`.
  public func contains(_ element: Value.ListElement) -> TypedPredicate {
    predicate { column in
      let element = try column.element(element)
      return "\(sql: column.containing(element.column)), \(element.value))"
    }
  }
}

extension DocumentExpression where Value: DocumentCounted {
  /// The number of elements, or of keys of a dictionary; NULL for nil.
  public var count: TypedExpression<Int?> {
    TypedExpression(deferringErrors { SQLExpression(sql: $0.counting) })
  }

  /// Whether there are no elements; false for nil.
  public var isEmpty: TypedPredicate { predicate { "\($0.counting) IS 0" } }
}

extension DocumentExpression {
  /// Returns the value of a key; nil if there is none.
  ///
  /// ```swift
  /// things.filter { $0.attributes["color"] == "red" }.orderBy { $0.attributes["size"] }
  /// ```
  public subscript<Element>(key: String) -> DocumentExpression<Document, Element?>
  where Value == [String: Element] {
    element(key, \.[key])
  }

  /// Returns the value of a key; nil if there is none.
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

  /// `1 IS coffer_json_contains("tags", '$'`, which is never NULL, so it can be negated.
  func containing(_ element: DocumentColumn) -> String {
    "1 IS coffer_json_contains\(element.numbers.suffix)(\(listArguments)"
  }

  /// Returns a value in the form of a list's elements, and the place of an element.
  func element<V: Encodable>(_ value: V) throws -> (value: DatabaseValue, column: DocumentColumn) {
    let column = DocumentColumn(name: name, path: path + ["[0]"], holding: [V.self])
    return (try DocumentValue.databaseValue(of: value, in: column), column)
  }
}
