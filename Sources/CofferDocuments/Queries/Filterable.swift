import CofferCore
import CofferQuery

/// A collection or a query, whose documents can be filtered.
///
/// Extend it to add custom filters:
///
/// ```swift
/// extension Filterable {
///   func filter<V: Codable>(_ property: KeyPath<Row, V>, isEven: Bool) -> QueryBuilder<Row> {
///     filter("\(property) % 2 == \(isEven ? 0 : 1)")
///   }
/// }
/// ```
///
/// Filters don't throw. An error in a filter, such as a key path that leads to no stored property,
/// is thrown when the query is executed.
public protocol Filterable<Row> {
  /// The type of the documents.
  associatedtype Row: Codable

  /// Returns the query of all documents that fulfil the conditions so far.
  func all() -> QueryBuilder<Row>
}

extension Filterable {
  /// Returns the query with one more condition, written in SQL.
  ///
  /// ```swift
  /// employees.filter("\(\.salary) % 2 == 0")
  /// ```
  public func filter(_ sqlFragment: SQLFragment<Row>) -> QueryBuilder<Row> {
    filter(sqlFragment, collation: nil)
  }

  /// Returns the query with one more condition, written in SQL.
  ///
  /// - Parameter collation: How the texts of the fragment's key paths are compared; nil for what
  ///   the properties declare.
  public func filter(
    _ sqlFragment: SQLFragment<Row>, collation: Collation?
  ) -> QueryBuilder<Row> {
    all().with { $0.add(condition: sqlFragment, collation) }
  }

  // MARK: Comparing

  /// Returns the query of the documents whose property equals a value; nil equals nil.
  ///
  /// - Parameter collation: The order of strings; nil for the collation of the property, which is
  ///   ``Collation/string`` by default.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, equalTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " IS ", value, collation, hasOtherForm: true)
  }

  /// Returns the query of the documents whose property doesn't equal a value; nil equals nil.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, notEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " IS NOT ", value, collation, hasOtherForm: true)
  }

  /// Returns the query of the documents whose property is greater than a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, greaterThan value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " > ", value, collation)
  }

  /// Returns the query of the documents whose property is less than a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, lessThan value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " < ", value, collation)
  }

  /// Returns the query of the documents whose property is greater than or equal to a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, greaterThanOrEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " >= ", value, collation)
  }

  /// Returns the query of the documents whose property is less than or equal to a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, lessThanOrEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    all().comparing(property, " <= ", value, collation)
  }

  /// Returns the query of the documents whose property is nil, or isn't nil.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, isNull: Bool
  ) -> QueryBuilder<Row> {
    isNull ? filter("\(property) ISNULL") : filter("\(property) NOTNULL")
  }

  // MARK: Patterns

  /// Returns the query of the documents whose property matches a pattern: `%` stands for any text,
  /// `_` for one character, and ASCII letters match in either case. Nil matches no pattern.
  public func filter<Text: DatabaseValueConvertible & Codable>(
    _ property: KeyPath<Row, Text>, like pattern: String
  ) -> QueryBuilder<Row> where Text._Base == String {
    filter("\(property) LIKE \(pattern)")
  }

  /// Returns the query of the documents whose property isn't nil and doesn't match a pattern.
  public func filter<Text: DatabaseValueConvertible & Codable>(
    _ property: KeyPath<Row, Text>, notLike pattern: String
  ) -> QueryBuilder<Row> where Text._Base == String {
    filter("\(property) NOT LIKE \(pattern)")
  }

  // MARK: Closures

  /// Returns the query of the documents that fulfil a condition on their properties.
  ///
  /// ```swift
  /// books.filter { $0.priceCents < 1000 && $0.name.hasPrefix("C") }
  /// ```
  ///
  /// Properties of stored structs can be used too: `$0.address.city`. Conditions have the meaning
  /// that they have in Swift: nil equals only nil, so `$0.note != "x"` is true for nil, and `!` is
  /// true for all documents that don't fulfil a condition. Comparisons by order, such as `<`, and
  /// searches in strings are false if a side is nil.
  public func filter(
    _ condition: (DocumentColumns<Row>.Type) throws -> any SQLExpressible
  ) rethrows -> QueryBuilder<Row> {
    let expression = try condition(DocumentColumns<Row>.self).sqlExpression
    return all().filter(expression)
  }
}

extension Filterable where Row: Identifiable, Row.ID: Codable {
  /// Returns the query of the document with an identifier.
  ///
  /// Its `fetchOne()` is the fastest way to fetch one document.
  public func filter(id: Row.ID) -> QueryBuilder<Row> { all().lookingUp(id) }
}
