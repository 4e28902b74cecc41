import CofferCore

// https://www.sqlite.org/lang_select.html#compound_select_statements

extension QueryInterfaceRequest {
  /// The rows of both requests, without repeated ones: `UNION`.
  ///
  /// ```swift
  /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" …
  /// let names = Player.select(Column("name"), as: String.self)
  ///   .union(Coach.select(Column("name")))
  /// ```
  ///
  /// What is asked of the result, such as a filter or an order, is asked of the
  /// whole. Both requests must have the same number of columns.
  public func union(_ other: some SQLSubqueryable) -> Self { compound(.union, other) }

  /// The rows of both requests, repeated ones included: `UNION ALL`.
  public func unionAll(_ other: some SQLSubqueryable) -> Self { compound(.unionAll, other) }

  /// The rows that both requests give, without repeated ones: `INTERSECT`.
  public func intersect(_ other: some SQLSubqueryable) -> Self { compound(.intersect, other) }

  /// The rows that the other request doesn't give, without repeated ones: `EXCEPT`.
  public func except(_ other: some SQLSubqueryable) -> Self { compound(.except, other) }

  private func compound(_ symbol: CompoundOperator, _ other: some SQLSubqueryable) -> Self {
    var (first, others) = (sqlSubquery, [Relation.CompoundPart]())
    // One operator after the other, as SQL reads them.
    if case .compound(let head, let tail) = relation.source, relation.isPlainCompound {
      (first, others) = (head, tail)
    }
    others.append(Relation.CompoundPart(symbol: symbol, query: other.sqlSubquery))
    return Self(
      relation: Relation(
        source: .compound(first, others), selection: [AllColumns().sqlSelection]))
  }
}
