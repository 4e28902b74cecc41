import CofferCore

extension RequestSource {
  /// The request for rows of a full-text table that match a pattern; for no row
  /// where it is nil.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick'
  /// Book.all().matching(FTS3Pattern(matchingAllTokensIn: "Moby Dick"))
  /// ```
  public func matching(_ pattern: FTS3Pattern?) -> _Request {
    filter(matching: pattern?.databaseValue)
  }

  /// The request for rows of a full-text table that match a pattern; for no row
  /// where it is nil.
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick' ORDER BY "rank"
  /// Book.all().matching(FTS5Pattern(matchingAllTokensIn: "Moby Dick")).order(Column.rank)
  /// ```
  public func matching(_ pattern: FTS5Pattern?) -> _Request {
    filter(matching: pattern?.databaseValue)
  }

  private func filter(matching pattern: DatabaseValue?) -> _Request {
    guard let pattern else { return none() }
    return _with { parts in
      // A full-text table has a hidden column of its own name, which stands for all of them.
      let column = Column(parts.relation.tableName)
      parts.relation.addFilter(column.matches(pattern))
    }
  }
}

extension TableRecord {
  /// A request for rows of a full-text table that match a pattern; for no row
  /// where it is nil.
  public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }

  /// A request for rows of a full-text table that match a pattern; for no row
  /// where it is nil.
  public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
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
  /// Nil matches no row.
  public func match(_ pattern: FTS3Pattern?) -> SQLExpression { matches(pattern?.databaseValue) }

  /// `column MATCH pattern`: whether a column of a full-text table matches; nil matches no row.
  public func match(_ pattern: FTS5Pattern?) -> SQLExpression { matches(pattern?.databaseValue) }

  fileprivate func matches(_ pattern: DatabaseValue?) -> SQLExpression {
    // FTS5 takes `MATCH NULL` for an error.
    guard let pattern else { return SQLExpression(DatabaseValue.null) }
    return SQLExpression(
      .match(.match, sqlExpression, SQLExpression(pattern), escape: nil, isNegated: false))
  }
}

extension Column {
  /// How well a row of an ``FTS5`` table matches: the best is the least, and first
  /// in ascending order.
  public static let rank = Column("rank")
}
