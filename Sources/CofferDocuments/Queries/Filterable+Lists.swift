import CofferCore

extension Filterable {
  // MARK: Lists

  /// The documents whose property has one of some values; nil is equal to nil.
  ///
  /// ```swift
  /// books.filter(\.author, in: ["Austen", "Zola"])
  /// ```
  ///
  /// Any number of values is fine: none finds nothing.
  /// - Parameter collation: How texts are compared; nil for what the property declares.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, in values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: true), collation: collation)
  }

  /// The documents whose property has one of some values.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V?>, in values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: true), collation: collation)
  }

  /// The documents whose property has none of some values; nil is equal to nil.
  ///
  /// - Parameter collation: How texts are compared; nil for what the property declares.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, notIn values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: false), collation: collation)
  }

  /// The documents whose property has none of some values, or is nil.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V?>, notIn values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: false), collation: collation)
  }

  private func member<V: Codable>(
    _ property: PartialKeyPath<Row>, _ values: [V], isWanted: Bool
  ) -> SQLFragment<Row> {
    SQLFragment(property) { column in
      let stored = try values.map { try DocumentValue.databaseValue(of: $0, in: column) }
      let others = stored.filter { !$0.isNull }
      let hasNil = others.count < stored.count
      var parts: [SQLFragment<Row>.Part] = [
        .text("("), .column(column), .text(isWanted ? " IN " : " NOT IN "), .list(others),
      ]
      // In SQL, NULL is neither in a list nor not in it.
      if hasNil == isWanted {
        parts += [.text(" OR "), .column(column), .text(" IS NULL")]
      } else if !isWanted {
        parts += [.text(" AND "), .column(column), .text(" IS NOT NULL")]
      }
      return parts + [.text(")")]
    }
  }

  // MARK: Ranges

  /// The documents whose property is in a range, the bounds as Swift's ranges have them.
  ///
  /// ```swift
  /// books.filter(\.priceCents, between: 500...1000)
  /// books.filter(\.title, between: "A"..<"N")
  /// ```
  ///
  /// - Parameter collation: How texts are compared; nil for what the property declares.
  public func filter<Bounds: DocumentRange>(
    _ property: KeyPath<Row, Bounds.Bound>, between range: Bounds, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// The documents whose property is in a range; nil is in none.
  public func filter<Bounds: DocumentRange>(
    _ property: KeyPath<Row, Bounds.Bound?>, between range: Bounds, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// The documents whose property is in a range: the same as `between`.
  public func filter<Bounds: DocumentRange>(
    _ property: KeyPath<Row, Bounds.Bound>, in range: Bounds, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// The documents whose property is in a range; nil is in none.
  public func filter<Bounds: DocumentRange>(
    _ property: KeyPath<Row, Bounds.Bound?>, in range: Bounds, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  private func inside<Bounds: DocumentRange>(
    _ property: PartialKeyPath<Row>, _ range: Bounds
  ) -> SQLFragment<Row> {
    SQLFragment(property) { column in
      var parts: [SQLFragment<Row>.Part] = [.text("(")]
      if let lower = range._lowerBound {
        let value = try DocumentValue.databaseValue(of: lower, in: column)
        parts += [.column(column), .text(" >= "), .value(value)]
      }
      if let upper = range._upperBound {
        if parts.count > 1 { parts.append(.text(" AND ")) }
        let value = try DocumentValue.databaseValue(of: upper, in: column)
        parts += [
          .column(column), .text(range._includesUpperBound ? " <= " : " < "), .value(value),
        ]
      }
      return parts + [.text(")")]
    }
  }

  // MARK: Elements

  /// The documents in whose list a value is.
  ///
  /// ```swift
  /// articles.filter(\.tags, contains: "swift")
  /// ```
  ///
  /// The list is an array or a set, or one that may be nil, in which nothing is. Texts are compared
  /// by their bytes. Closures have it as well: `filter { $0.tags.contains("swift") }`.
  public func filter<List: DocumentList>(
    _ property: KeyPath<Row, List>, contains element: List.ListElement
  ) -> QueryBuilder<Row> {
    filter(
      SQLFragment<Row>(property) { column in
        [.text(column.containing + ", "), .value(try column.element(element)), .text(")")]
      })
  }
}

extension SQLFragment {
  /// SQL about a property, or what is wrong with it.
  init(_ property: PartialKeyPath<Row>, _ parts: (DocumentColumn) throws -> [Part]) {
    do { self.init(try parts(DocumentType<Row>.known().column(property))) } catch {
      self.init([.failure(error)])
    }
  }
}

// MARK: - Ranges

/// A range of Swift's: `a...b`, `a..<b`, `a...`, `...b`, `..<b`.
public protocol DocumentRange<Bound> {
  /// The type of the bounds.
  associatedtype Bound: Codable
  /// The least value; nil where there is none.
  var _lowerBound: Bound? { get }
  /// The greatest value, or the first one behind it; nil where there is none.
  var _upperBound: Bound? { get }
  /// Whether the upper bound is in the range.
  var _includesUpperBound: Bool { get }
}

extension DocumentRange {
  /// Yes.
  public var _includesUpperBound: Bool { true }
  /// None.
  public var _lowerBound: Bound? { nil }
  /// None.
  public var _upperBound: Bound? { nil }
}

extension ClosedRange: DocumentRange where Bound: Codable {
  /// The least value.
  public var _lowerBound: Bound? { lowerBound }
  /// The greatest value.
  public var _upperBound: Bound? { upperBound }
}

extension Range: DocumentRange where Bound: Codable {
  /// The least value.
  public var _lowerBound: Bound? { lowerBound }
  /// The first value behind the range.
  public var _upperBound: Bound? { upperBound }
  /// No.
  public var _includesUpperBound: Bool { false }
}

extension PartialRangeFrom: DocumentRange where Bound: Codable {
  /// The least value.
  public var _lowerBound: Bound? { lowerBound }
}

extension PartialRangeThrough: DocumentRange where Bound: Codable {
  /// The greatest value.
  public var _upperBound: Bound? { upperBound }
}

extension PartialRangeUpTo: DocumentRange where Bound: Codable {
  /// The first value behind the range.
  public var _upperBound: Bound? { upperBound }
  /// No.
  public var _includesUpperBound: Bool { false }
}
