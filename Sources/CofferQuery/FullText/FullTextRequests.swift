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
  ///
  /// Of another table, it is a request for the rows that match in the full-text table whose content
  /// it is:
  ///
  /// ```swift
  /// // SELECT * FROM "book" WHERE "rowid" IN (SELECT rowid FROM "book_ft" WHERE "book_ft" MATCH …)
  /// Book.all().matching(FTS5Pattern(matchingAllTokensIn: "Moby Dick"))
  /// ```
  ///
  /// - Throws: Fetching throws if there are none or several such tables.
  public func matching(_ pattern: (any FullTextPattern)?) -> _Request {
    guard let pattern else { return none() }
    return _with { parts in
      let table = parts.relation.tableName
      parts.relation.addFilter(
        SQLExpression(.deferred { try $0.fullTextCondition(pattern, inTable: table) }))
    }
  }
}

extension TableRecord {
  /// Returns a request for rows of a full-text table that match a pattern.
  ///
  /// A nil pattern matches no rows. See ``RequestSource/matching(_:)`` for other tables.
  public static func matching(_ pattern: (any FullTextPattern)?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }
}

extension Database {
  fileprivate func fullTextCondition(
    _ pattern: any FullTextPattern, inTable tableName: String
  ) throws -> SQLExpression {
    guard let table = try schemaCache.object(named: tableName), table.kind == .table else {
      // A full-text table has a hidden column of the table's name that represents all columns.
      return Column(tableName).match(pattern)
    }
    let indexes = try schemaCache.fullTextTables(of: table).map(\.id.name)
    let key = try primaryKey(tableName)
    guard indexes.count == 1, let rowID = key.rowIDName else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR,
        message: indexes.isEmpty
          ? "no full-text table has \(tableName) as its content"
          : "several full-text tables have \(tableName) as their content: "
            + indexes.joined(separator: ", "),
        hint: indexes.isEmpty
          ? "Create one with synchronize(withTable: \(String(reflecting: tableName)))."
          : "Filter by the rowids of one of them: filter(Table(\(String(reflecting: indexes[0])))"
            + ".matching(pattern).select(Column.rowID).contains(Column.rowID)).")
    }
    let matching: SQL = """
      SELECT rowid FROM \(identifier: indexes[0]) WHERE \(identifier: indexes[0]) \
      MATCH \(pattern.databaseValue)
      """
    return Column(rowID).sqlExpression.isContained(in: .query(SQLSubquery(sql: matching)))
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
