import CofferCore
import CofferQuery

/// What documents can be filtered of: a collection, or a query of one.
///
/// Extend it for filters of your own:
///
/// ```swift
/// extension Filterable {
///   func filter<V: Codable>(_ property: KeyPath<Row, V>, isEven: Bool) -> QueryBuilder<Row> {
///     filter("\(property) % 2 == \(isEven ? 0 : 1)")
///   }
/// }
/// ```
///
/// Filters don't throw. What is wrong with one, such as a key path that leads to no stored property,
/// is thrown by what executes the query.
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

  /// The documents whose property is equal to a value; nil is equal to nil.
  ///
  /// - Parameter collation: How texts are compared; nil for what the property declares, which is
  ///   as Swift's `==` does by default (see ``Collation/string``).
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, equalTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(equality(property, "IS", value, "OR"), collation: collation)
  }

  /// The documents whose property isn't equal to a value; nil is equal to nil.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, notEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(equality(property, "IS NOT", value, "AND"), collation: collation)
  }

  /// - Parameter joiner: What joins the comparison with that of a number which is read as the text.
  private func equality<V: Codable>(
    _ property: KeyPath<Row, V>, _ comparison: String, _ value: V, _ joiner: String
  ) -> SQLFragment<Row> {
    let text = value as? String
    guard let number = text.flatMap({ DocumentValue.number(readAs: $0.databaseValue) }) else {
      return "\(property) \(raw: comparison) \(value: value)"
    }
    return """
      \(property) \(raw: comparison) \(value: value) \(raw: joiner) \
      \(property) \(raw: comparison) \(number)
      """
  }

  /// The documents whose property is greater than a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, greaterThan value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter("\(property) > \(value: value)", collation: collation)
  }

  /// The documents whose property is less than a value.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, lessThan value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter("\(property) < \(value: value)", collation: collation)
  }

  /// The documents whose property is greater than a value, or equal to it.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, greaterThanOrEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter("\(property) >= \(value: value)", collation: collation)
  }

  /// The documents whose property is less than a value, or equal to it.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, lessThanOrEqualTo value: V, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter("\(property) <= \(value: value)", collation: collation)
  }

  /// The documents whose property is nil, or those whose property isn't.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, isNull: Bool
  ) -> QueryBuilder<Row> {
    isNull ? filter("\(property) ISNULL") : filter("\(property) NOTNULL")
  }

  // MARK: Patterns

  /// The documents whose property matches a pattern: `%` stands for any text, `_` for one character,
  /// and the letters of ASCII match in either case.
  public func filter<Text: DatabaseValueConvertible & Codable>(
    _ property: KeyPath<Row, Text>, like pattern: String
  ) -> QueryBuilder<Row> where Text._Base == String {
    filter("\(property) LIKE \(pattern)")
  }

  /// The documents whose property doesn't match a pattern.
  public func filter<Text: DatabaseValueConvertible & Codable>(
    _ property: KeyPath<Row, Text>, notLike pattern: String
  ) -> QueryBuilder<Row> where Text._Base == String {
    filter("\(property) NOT LIKE \(pattern)")
  }

  // MARK: Closures

  /// The documents that fulfil a condition on their properties.
  ///
  /// ```swift
  /// books.filter { $0.priceCents < 1000 && $0.name.hasPrefix("C") }
  /// ```
  ///
  /// Nested properties are found too: `$0.address.city`. Conditions mean what they do in Swift: nil
  /// is equal to nil alone, so that `$0.note != "x"` is true of it, and `!` is true of all that isn't.
  /// `<` and its kin, which Swift's optionals lack, are false where a side is nil, as are those of
  /// texts.
  public func filter(
    _ condition: (DocumentColumns<Row>.Type) throws -> any SQLExpressible
  ) rethrows -> QueryBuilder<Row> {
    let expression = try condition(DocumentColumns<Row>.self).sqlExpression
    return all().filter(expression)
  }
}

extension Filterable where Row: Identifiable, Row.ID: Codable {
  /// The document of an identifier, if there is one.
  ///
  /// Its `fetchOne()` is the fastest way to one document.
  public func filter(id: Row.ID) -> QueryBuilder<Row> { all().lookingUp(id) }
}

extension SQLFragment.StringInterpolation {
  /// A value as it is stored.
  fileprivate mutating func appendInterpolation(_ stored: DatabaseValue) { appendStored(stored) }

  /// One value, arrays included.
  mutating func appendInterpolation<Value: Codable>(value: Value) { appendValue(value) }
}
