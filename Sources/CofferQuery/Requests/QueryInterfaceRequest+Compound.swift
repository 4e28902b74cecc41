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
  /// have the same number of columns, and include the same associations: joined rows are a part of
  /// the combined rows, and prefetched ones are those of the combined rows.
  public func union(_ other: some SQLSubqueryable) -> Self { compound(.union, other) }

  /// Returns a request for the rows of both requests, with duplicates: `UNION ALL`.
  public func unionAll(_ other: some SQLSubqueryable) -> Self { compound(.unionAll, other) }

  /// Returns a request for the rows in both requests, without duplicates: `INTERSECT`.
  public func intersect(_ other: some SQLSubqueryable) -> Self { compound(.intersect, other) }

  /// Returns a request for the rows that aren't in the other request, without duplicates: `EXCEPT`.
  public func except(_ other: some SQLSubqueryable) -> Self { compound(.except, other) }

  private func compound(_ symbol: CompoundOperator, _ other: some SQLSubqueryable) -> Self {
    var (first, others) = (sqlSubquery, [Relation.CompoundPart]())
    var parts = [relation]
    // Appends to an existing compound query, since SQL evaluates the operators from left to right.
    if case .compound(let head, let tail) = relation.source, relation.isPlainCompound {
      (first, others) = (head, tail)
      parts = relation.parts
    }
    others.append(Relation.CompoundPart(symbol: symbol, query: other.sqlSubquery))
    var result = Relation(
      source: .compound(first, others), selection: [AllColumns().sqlSelection])
    if case .node(let node) = other.sqlSubquery.content, let other = node.cast(to: Relation.self) {
      parts.append(other)
    }
    // Only associations need the parts.
    if parts.contains(where: { !$0.children.isEmpty || !$0.parts.isEmpty }) { result.parts = parts }
    return Self(relation: result)
  }
}
