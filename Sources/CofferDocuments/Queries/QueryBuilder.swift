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
/// It is a value: each method gives a new query, and the old one can be used further. Nothing is
/// executed before a method that fetches, counts, updates or deletes, and errors are thrown there.
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

  /// The query itself.
  public func all() -> QueryBuilder<Document> { self }

  /// The query with one more condition, of the DSL.
  func filter(_ condition: SQLExpression) -> Self {
    with { $0.add(condition: condition.swiftCondition) }
  }

  /// The query of the document of an identifier.
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

  /// Where nil comes in an order.
  public enum Nulls: Sendable {
    /// Before all values.
    case first
    /// After all values.
    case last
  }

  /// The query ordered by a property, after the orders that it has already.
  ///
  /// - Parameters:
  ///   - direction: Nil for ascending.
  ///   - collation: How texts are compared; nil for what the property declares.
  ///   - nulls: Where nil comes; nil for before all values when ascending, and after them when
  ///     descending.
  public func orderBy<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ direction: Direction? = nil,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> QueryBuilder<Document> {
    let suffix = OrderSuffix(
      isDescending: direction.map { $0 == .descending },
      nulls: nulls.map { $0 == .first ? .first : .last })
    return with { $0.add(order: "\(property)" as SQLFragment<Document>, collation, suffix: suffix) }
  }

  /// The query ordered by several properties, ascending, after the orders that it has already.
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

  /// The query ordered by SQL, after the orders that it has already.
  ///
  /// ```swift
  /// employees.all().orderBy("\(\.salary) % 2")
  /// ```
  public func orderBy(_ sqlFragment: SQLFragment<Document>) -> QueryBuilder<Document> {
    with { $0.add(order: sqlFragment, nil) }
  }

  /// The query ordered by a term of properties, after the orders that it has already.
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

  /// The query of no more than so many documents.
  ///
  /// It limits what is fetched, counted, updated and deleted.
  public func limit(_ limit: Int) -> QueryBuilder<Document> {
    with {
      if limit < 0 { $0.fail(DocumentError("a limit can't be negative")) }
      $0.limit = limit
    }
  }

  /// The query without its first documents, so many of them.
  public func offset(_ offset: Int) -> QueryBuilder<Document> {
    with {
      if offset < 0 { $0.fail(DocumentError("an offset can't be negative")) }
      $0.offset = offset
    }
  }

  // MARK: Changes

  /// The query that will give a property a value, once `update()` is called.
  ///
  /// ```swift
  /// try employees.all().updating(\.name, "nobody").updating(\.salary, 0).update()
  /// ```
  ///
  /// A property of a stored struct, as `\.address.city`, is changed inside of its JSON; documents in
  /// which the struct itself is nil stay as they are.
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

  /// What a column is given, or a place in its JSON.
  private func assigned<Value: Codable>(
    _ value: Value, to column: DocumentColumn
  ) throws -> DatabaseValue {
    if !column.isNested, let number = value as? any BinaryFloatingPoint, number.isNaN {
      throw DocumentError("\(column.description) can't become NaN, which SQLite doesn't have")
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

  /// The query that will execute an assignment in SQL, once `update()` is called.
  ///
  /// ```swift
  /// try employees.all().updating("\(\.salary) = \(\.salary) + 1").update()
  /// ```
  public func updating(_ sqlFragment: SQLFragment<Document>) -> QueryBuilder<Document> {
    with { $0.add(assignment: sqlFragment) }
  }
}
