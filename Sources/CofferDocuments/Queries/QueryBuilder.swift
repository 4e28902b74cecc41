import CofferCore
import CofferQuery

/// A query of a collection's documents.
///
/// ```swift
/// let cheap = try books.all()
///   .filter(\.priceCents, lessThan: 1000)
///   .orderBy(\.author, .descending)
///   .limit(10)
///   .fetchMany()
/// ```
///
/// It is a value: each method returns a new query, and the old one stays usable. Only methods that
/// fetch, count, update or delete access the database; they also throw the errors of the query.
public struct QueryBuilder<Document: Codable>: Filterable, Sendable {
  /// The type of the documents.
  public typealias Row = Document

  @usableFromInline let collection: DocumentCollection<Document>
  private(set) var query = DocumentQuery()

  init(_ collection: DocumentCollection<Document>) { self.collection = collection }

  func with(_ change: (inout DocumentQuery) -> Void) -> Self {
    var copy = self
    change(&copy.query)
    return copy
  }

  // MARK: Conditions

  /// Returns the query itself.
  public func all() -> QueryBuilder<Document> { self }

  /// Returns the query with one more condition.
  func filter(_ condition: SQLExpression) -> Self {
    with { $0.add(condition: condition.swiftCondition) }
  }

  /// Returns the query with the condition that a property compares in a way with a value.
  ///
  /// - Parameters:
  ///   - symbol: The operator, surrounded by spaces.
  ///   - hasOtherForm: Whether the number that a text stands for is compared, too.
  func comparing<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ symbol: String, _ value: Value,
    _ collation: Collation?, hasOtherForm: Bool = false
  ) -> Self {
    var copy = self
    do {
      let column = try collection.type.column(property)
      var values = [try DocumentValue.compared(value, with: column)]
      if hasOtherForm, let other = DocumentValue.other(values[0], in: column) {
        values.append(other)
      }
      copy.query.add(
        comparison: symbol, of: column, with: values,
        isMembership: values.count > 1 && symbol == " IS ", collation)
    } catch { copy.query.fail(error) }
    return copy
  }

  /// Returns the query of the document with an identifier.
  func lookingUp<ID: Codable>(_ id: ID) -> Self {
    var copy = self
    do {
      let column = try collection.requireID()
      copy.query.lookUp(try DocumentValue.databaseValue(of: id, in: column), in: column)
    } catch { copy.query.fail(error) }
    return copy
  }

  // MARK: Order

  /// A direction of an order.
  public enum Direction: Sendable {
    /// Lower values come first.
    case ascending
    /// Higher values come first.
    case descending
  }

  /// The place of nil in an order.
  public enum Nulls: Sendable {
    /// Before all values.
    case first
    /// After all values.
    case last
  }

  /// Returns the query ordered by a property, after its other orders.
  ///
  /// - Parameters:
  ///   - direction: The direction; nil for ascending.
  ///   - collation: The order of strings; nil for the collation of the property.
  ///   - nulls: The place of nil; by default before all values if ascending, and after them if
  ///     descending.
  public func orderBy<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ direction: Direction? = nil,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> QueryBuilder<Document> {
    let suffix = OrderSuffix(
      isDescending: direction.map { $0 == .descending },
      hasNullsFirst: nulls.map { $0 == .first })
    return with { $0.add(order: "\(property)" as SQLFragment<Document>, collation, suffix: suffix) }
  }

  /// Returns the query ordered by several properties, ascending, after its other orders.
  ///
  /// ```swift
  /// books.all().orderBy(\.author, \.title)
  /// ```
  public func orderBy(
    _ first: PartialKeyPath<Document>, _ second: PartialKeyPath<Document>,
    _ others: PartialKeyPath<Document>...
  ) -> QueryBuilder<Document> {
    ([first, second] + others).reduce(self) { query, property in
      query.with { $0.add(order: SQLFragment<Document>(property) { [.column($0)] }, nil) }
    }
  }

  /// Returns the query ordered by SQL, after its other orders.
  ///
  /// ```swift
  /// employees.all().orderBy("\(\.salary) % 2")
  /// ```
  public func orderBy(_ sqlFragment: SQLFragment<Document>) -> QueryBuilder<Document> {
    with { $0.add(order: sqlFragment, nil) }
  }

  /// Returns the query ordered by a term of properties, after its other orders.
  ///
  /// ```swift
  /// books.all().orderBy { $0.priceCents.desc }
  /// ```
  public func orderBy(
    _ ordering: (DocumentColumns<Document>.Type) throws -> any SQLOrderingTerm
  ) rethrows -> QueryBuilder<Document> {
    let ordering = try ordering(DocumentColumns<Document>.self).sqlOrdering
    return with { $0.add(order: ordering) }
  }

  // MARK: Limits

  /// Returns the query of the first documents, at most `limit` of them.
  ///
  /// The limit applies to fetching, counting, updating and deleting.
  public func limit(_ limit: Int) -> QueryBuilder<Document> {
    with {
      if limit < 0 { $0.fail(DocumentError("a limit can't be negative")) }
      $0.limit = limit
    }
  }

  /// Returns the query without its first `offset` documents.
  public func offset(_ offset: Int) -> QueryBuilder<Document> {
    with {
      if offset < 0 { $0.fail(DocumentError("an offset can't be negative")) }
      $0.offset = offset
    }
  }

  // MARK: Changes

  /// Returns a query whose `update()` sets a property.
  ///
  /// ```swift
  /// try employees.all().updating(\.name, "nobody").updating(\.salary, 0).update()
  /// ```
  ///
  /// A property of a stored struct, such as `\.address.city`, is changed inside its JSON; documents
  /// in which the struct itself is nil don't change.
  public func updating<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ value: Value
  ) -> QueryBuilder<Document> {
    with { query in
      do {
        let column = try collection.type.column(property)
        let structure = collection.type.structured[column.name]?.structure
        query.assign(
          try assigned(value, to: column), to: column, keepingAllBut: structure)
      } catch { query.fail(error) }
    }
  }

  /// Returns the value with which an update sets a column, or a part of its JSON.
  private func assigned<Value: Codable>(
    _ value: Value, to column: DocumentColumn
  ) throws -> DatabaseValue {
    if !column.isNested, let number = value as? any BinaryFloatingPoint, number.isNaN {
      throw DocumentError("\(column.description) can't be set to NaN, which SQLite can't store")
    }
    guard !column.isInList else {
      throw DocumentError(
        "\(column.description), an element of a list, can't be updated alone",
        hint: "Update the whole list, or fetch the documents, change them and save them.")
    }
    if column.isNested, let optional = value as? any AnyOptional, optional.wrapped == nil,
      try !collection.type.isOptional(column)
    {
      throw DocumentError("\(column.description) of \(Document.self) can't become nil")
    }
    return try DocumentValue.assigned(value, to: column)
  }

  /// Returns a query whose `update()` executes an assignment in SQL.
  ///
  /// ```swift
  /// try employees.all().updating("\(\.salary) = \(\.salary) + 1").update()
  /// ```
  public func updating(_ sqlFragment: SQLFragment<Document>) -> QueryBuilder<Document> {
    with { $0.add(assignment: sqlFragment) }
  }
}

extension QueryBuilder: CustomStringConvertible, CustomReflectable {
  /// The type of the query, without its values.
  public var description: String { "\(Self.self)" }

  /// Nothing but the ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
