import CofferCore

extension Filterable {
  // MARK: Lists

  /// Returns the query of the documents whose property equals one of some values; nil equals nil.
  ///
  /// ```swift
  /// books.filter(\.author, in: ["Austen", "Zola"])
  /// ```
  ///
  /// There can be any number of values; without values, nothing is found.
  /// - Parameter collation: The order of strings; nil for the collation of the property.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, in values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: true), collation: collation)
  }

  /// Returns the query of the documents whose property equals one of some values.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V?>, in values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: true), collation: collation)
  }

  /// Returns the query of the documents whose property equals none of some values; nil equals nil.
  ///
  /// - Parameter collation: The order of strings; nil for the collation of the property.
  @_disfavoredOverload
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, notIn values: some Sequence<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(member(property, Array(values), isWanted: false), collation: collation)
  }

  /// Returns the query of the documents whose property is nil, or equals none of some values.
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
      let stored = try values.map { try DocumentValue.operand(of: $0, in: column) }
      let present = stored.filter { !$0.isNull }
      let hasNil = present.count < stored.count
      let others = present + present.compactMap { DocumentValue.other($0, in: column) }
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

  /// Returns the query of the documents whose property is in a range.
  ///
  /// ```swift
  /// books.filter(\.priceCents, between: 500...1000)
  /// books.filter(\.title, between: "A"..<"N")
  /// ```
  ///
  /// - Parameter collation: The order of strings; nil for the collation of the property.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, between range: some RangeExpression<V>,
    collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// Returns the query of the documents whose property is in a range; nil is in none.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V?>, between range: some RangeExpression<V>,
    collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// Returns the query of the documents whose property is in a range: the same as `between`.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V>, in range: some RangeExpression<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  /// Returns the query of the documents whose property is in a range; nil is in none.
  public func filter<V: Codable>(
    _ property: KeyPath<Row, V?>, in range: some RangeExpression<V>, collation: Collation? = nil
  ) -> QueryBuilder<Row> {
    filter(inside(property, range), collation: collation)
  }

  private func inside<V: Codable>(
    _ property: PartialKeyPath<Row>, _ range: some RangeExpression<V>
  ) -> SQLFragment<Row> {
    SQLFragment(property) { column in
      let bounds: [(comparison: String, value: V)] =
        switch range {
        case let range as ClosedRange<V>: [(" >= ", range.lowerBound), (" <= ", range.upperBound)]
        case let range as Range<V>: [(" >= ", range.lowerBound), (" < ", range.upperBound)]
        case let range as PartialRangeFrom<V>: [(" >= ", range.lowerBound)]
        case let range as PartialRangeThrough<V>: [(" <= ", range.upperBound)]
        case let range as PartialRangeUpTo<V>: [(" < ", range.upperBound)]
        default:
          throw DocumentError(
            "\(type(of: range)) is not a range of the standard library",
            hint: "Use a...b, a..<b, or a one-sided range."
          )
        }
      let conditions: [[SQLFragment<Row>.Part]] = try bounds.map { bound in
        let value = try DocumentValue.operand(of: bound.value, in: column)
        return [.column(column), .text(bound.comparison), .value(value)]
      }
      return [.text("(")] + conditions.joined(separator: [.text(" AND ")]) + [.text(")")]
    }
  }

  // MARK: Elements

  /// Returns the query of the documents whose list contains a value.
  ///
  /// ```swift
  /// articles.filter(\.tags, contains: "swift")
  /// ```
  ///
  /// The list is an array or a set, optional or not; nil contains nothing. Strings are compared by
  /// Swift's `==`. The same in a closure: `filter { $0.tags.contains("swift") }`.
  public func filter<List: DocumentList>(
    _ property: KeyPath<Row, List>, contains element: List.ListElement
  ) -> QueryBuilder<Row> {
    filter(
      SQLFragment<Row>(property) { column in
        let element = try column.element(element)
        return [
          .text(column.containing(element.column) + ", "), .value(element.value), .text(")"),
        ]
      })
  }
}

extension SQLFragment {
  /// Creates SQL about a property; an error is thrown when the SQL is executed.
  init(_ property: PartialKeyPath<Row>, _ parts: (DocumentColumn) throws -> [Part]) {
    do { self.init(try parts(DocumentType<Row>.known().column(property))) } catch {
      self.init([.failure(error)])
    }
  }
}
