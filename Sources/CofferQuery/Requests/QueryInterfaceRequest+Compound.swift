import CofferCore

// https://www.sqlite.org/lang_select.html#compound_select_statements

extension QueryInterfaceRequest {
  /// Returns a request for the rows of both requests, without duplicates: `UNION`.
  ///
  /// ```swift
  /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" …
  /// let names = Player.select(Column("name"), as: String.self)
  ///   .union(Coach.select(Column("name")))
  /// ```
  ///
  /// Further methods, such as filters and orderings, apply to the combined rows. Both requests must
  /// have the same number of columns.
  public func union(_ other: some SQLSubqueryable) -> Self { compound(.union, other) }

  /// Returns a request for the rows of both requests, with duplicates: `UNION ALL`.
  public func unionAll(_ other: some SQLSubqueryable) -> Self { compound(.unionAll, other) }

  /// Returns a request for the rows in both requests, without duplicates: `INTERSECT`.
  public func intersect(_ other: some SQLSubqueryable) -> Self { compound(.intersect, other) }

  /// Returns a request for the rows that aren't in the other request, without duplicates: `EXCEPT`.
  public func except(_ other: some SQLSubqueryable) -> Self { compound(.except, other) }

  private func compound(_ symbol: CompoundOperator, _ other: some SQLSubqueryable) -> Self {
    var (first, others) = (sqlSubquery, [Relation.CompoundPart]())
    // Appends to an existing compound query, since SQL evaluates the operators from left to right.
    if case .compound(let head, let tail) = relation.source, relation.isPlainCompound {
      (first, others) = (head, tail)
    }
    others.append(Relation.CompoundPart(symbol: symbol, query: other.sqlSubquery))
    return Self(
      relation: Relation(
        source: .compound(first, others), selection: [AllColumns().sqlSelection]))
  }
}
