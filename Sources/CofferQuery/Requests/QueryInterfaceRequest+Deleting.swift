import CofferCore

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Deletes the rows of the request.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" = 0
  /// try Player.filter { $0.score == 0 }.deleteAll(db)
  /// ```
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int {
    let relation = request.relation
    return try relation.executeChange(db) { try relation.renderDelete(into: &$0) }
  }
}

extension QueryInterfaceRequest {
  /// Returns a statement that deletes the rows of the request and returns them.
  ///
  /// Its arguments are bound. Needs SQLite 3.35.
  ///
  /// - Precondition: The selection is not empty.
  public func deleteAndFetchStatement(
    _ db: Database, selection: [any SQLSelectable]
  ) throws -> Statement {
    var renderer = SQLRenderer(db)
    try relation.renderDelete(into: &renderer, returning: selection.map(\.sqlSelection))
    return try renderer.statement()
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// Returns a statement that deletes the rows of the request and returns them.
  ///
  /// Its arguments are bound. Needs SQLite 3.35.
  public func deleteAndFetchStatement(
    _ db: Database, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
  }
}

extension QueryInterfaceRequest
where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible & Hashable {
  /// Deletes the rows of the request. Needs SQLite 3.35.
  ///
  /// - Returns: The primary keys of the deleted rows.
  public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
    let key = try db.keyColumn(ofTable: databaseTableName)
    let statement = try deleteAndFetchStatement(db, selection: [Column(key)])
    defer { statement.clearBindings() }
    return try Set(RowDecoder.ID.fetchAll(statement))
  }
}

extension Relation {
  /// Appends the `DELETE` statement.
  func renderDelete(
    into renderer: inout SQLRenderer, returning selection: [SQLSelection] = []
  ) throws {
    try renderer.inChange(of: self) { renderer in
      renderer.append("DELETE FROM ")
      try renderChangedTable(into: &renderer)
      try renderChangedRows(into: &renderer, returning: selection)
    }
  }

  /// Appends the name of the changed table.
  func renderChangedTable(into renderer: inout SQLRenderer) throws {
    guard case .table(let table) = source else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the rows of a compound query can't be updated or deleted", sql: renderer.sql)
    }
    renderer.append(identifier: table)
    if let qualifier = renderer.qualifier {
      renderer.append(" AS ")
      renderer.append(identifier: qualifier)
    }
  }

  /// Appends the condition for the changed rows, and `RETURNING`.
  func renderChangedRows(
    into renderer: inout SQLRenderer, returning selection: [SQLSelection]
  ) throws {
    let features = SQLiteFeatures.linked
    if changesRowsByKey {
      try renderRowsByKey(into: &renderer)
    } else {
      try renderFilter(into: &renderer)
    }
    if !selection.isEmpty {
      try features.require(features.hasReturning, "RETURNING", "3.35.0")
      renderer.append(" RETURNING ")
      // RETURNING doesn't accept `table.*`, and has only one table.
      let qualifier = renderer.qualifier
      renderer.qualifier = nil
      defer { renderer.qualifier = qualifier }
      try renderer.append(selection)
    }
    guard let limit, !changesRowsByKey else { return }
    let terms = try ordering.resolved(renderer.database, table: tableName)
    if !terms.isEmpty {
      renderer.append(" ORDER BY ")
      try renderer.append(terms)
    }
    renderer.append(limit.sql)
  }

  /// Whether a subquery selects the changed rows.
  fileprivate var changesRowsByKey: Bool {
    isDistinct || !grouping.isEmpty || having != nil || hasJoins
      || (limit != nil && !SQLiteFeatures.linked.hasLimitedChanges)
  }

  /// Appends a condition on the keys, with the relation as a subquery.
  private func renderRowsByKey(into renderer: inout SQLRenderer) throws {
    let key = try renderer.database.primaryKey(tableName)
    let columns = (key.rowIDName.map { [$0] } ?? key.columns).map { SQLExpression(.column($0)) }
    var query = self
    query.tableExpressions = []
    query.isDistinct = false
    query.children = joinedOnly.children
    query.selection = [.value(columns.map(\.sqlSelection))]
    renderer.append(" WHERE ")
    let keyExpression = columns.count == 1 ? columns[0] : SQLExpression(.tuple(columns))
    try renderer.append(
      keyExpression.isContained(in: .query(SQLSubquery(node: query))))
  }
}

extension SQLRenderer {
  /// Renders an `UPDATE` or `DELETE`.
  mutating func inChange(
    of relation: Relation, _ body: (inout SQLRenderer) throws -> Void
  ) throws {
    // The table can't have an alias in old versions of SQLite, or if the alias belongs to the
    // subquery.
    let canHaveAlias = SQLiteFeatures.linked.hasAliasedChanges && !relation.changesRowsByKey
    try inQuery(of: relation, canHaveAlias: canHaveAlias, withJoins: false) { renderer, _ in
      try renderer.append(relation.tableExpressions)
      try body(&renderer)
    }
  }

  /// Returns the rendered statement, with its arguments bound.
  func statement() throws -> Statement {
    let statement = try database.cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
  }
}

extension Relation {
  /// Executes an `UPDATE` or `DELETE` of the relation's rows.
  ///
  /// - Returns: The number of changed rows.
  func executeChange(
    _ db: Database, rendering render: (inout SQLRenderer) throws -> Void
  ) throws -> Int {
    var renderer = SQLRenderer(db)
    try render(&renderer)
    let (sql, arguments) = (renderer.sql, renderer.arguments)
    guard try db.schemaCache.object(named: tableName)?.kind == .view else {
      try db.execute(sql: sql, arguments: arguments)
      return db.changesCount
    }
    // For views, SQLite only counts the changes made by their triggers.
    let count = try QueryInterfaceRequest<Row>(relation: self).fetchCount(db)
    let changes = db.totalChangesCount
    try db.execute(sql: sql, arguments: arguments)
    return db.totalChangesCount == changes ? 0 : count
  }
}
