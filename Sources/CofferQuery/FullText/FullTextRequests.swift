import CofferCore

extension RequestSource {
  /// Returns a request for rows of a full-text table that match a pattern.
  ///
  /// A nil pattern matches no rows.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick' ORDER BY "rank"
  /// Book.all().matching(FTS5Pattern(matchingAllTokensIn: "Moby Dick")).order(Column.rank)
  /// ```
  public func matching(_ pattern: (any FullTextPattern)?) -> _Request {
    guard let pattern else { return none() }
    return _with { parts in
      // A full-text table has a hidden column of the table's name that represents all columns.
      let column = Column(parts.relation.tableName)
      parts.relation.addFilter(column.match(pattern))
    }
  }
}

extension TableRecord {
  /// Returns a request for rows of a full-text table that match a pattern.
  ///
  /// A nil pattern matches no rows.
  public static func matching(_ pattern: (any FullTextPattern)?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }
}

extension ColumnExpression {
  /// `column MATCH pattern`: whether a column of a full-text table matches.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "title" MATCH 'moby'
  /// Book.filter(Column("title").match(try FTS3Pattern(rawPattern: "moby")))
  /// ```
  ///
  /// Nil matches no rows.
  public func match(_ pattern: (any FullTextPattern)?) -> SQLExpression {
    // FTS5 rejects `MATCH NULL`.
    guard let pattern else { return SQLExpression(DatabaseValue.null) }
    return SQLExpression(
      .match(
        .match, sqlExpression, SQLExpression(pattern.databaseValue), escape: nil, isNegated: false))
  }
}

extension Column {
  /// The rank of a matching row of an ``FTS5`` table.
  ///
  /// Lower is better, so that ascending order starts with the best match.
  public static let rank = Column("rank")
}
