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
    try renderer.inChange(of: self) { relation, renderer, rows in
      renderer.append("DELETE FROM ")
      try relation.renderChangedTable(into: &renderer)
      try relation.renderChangedRows(rows, into: &renderer, returning: selection)
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
    _ rows: ChangedRows, into renderer: inout SQLRenderer, returning selection: [SQLSelection]
  ) throws {
    let features = SQLiteFeatures.linked
    switch rows {
    case .filtered: try renderFilter(into: &renderer)
    case .keys: try renderRowsByKey(into: &renderer)
    case .fetched: try renderFetchedRows(into: &renderer)
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
    guard let limit, rows == .filtered else { return }
    let terms = try ordering.resolved(renderer.database, table: tableName)
    if !terms.isEmpty {
      renderer.append(" ORDER BY ")
      try renderer.append(terms)
    }
    renderer.append(limit.sql)
  }

  /// Appends a condition on the keys, which a subquery selects.
  private func renderRowsByKey(into renderer: inout SQLRenderer) throws {
    let key = try renderer.database.rowIdentity(of: tableName)
    var query = self
    query.tableExpressions = []
    query.isDistinct = false
    query.children = joinedOnly.children
    query.selection = [.value(key.map(\.sqlSelection))]
    renderer.append(" WHERE ")
    let expression = key.count == 1 ? key[0] : SQLExpression(.tuple(key))
    try renderer.append(expression.isContained(in: .query(SQLSubquery(node: query))))
  }

  /// Appends a condition on the keys of the rows that the request fetches.
  ///
  /// The subquery selects all that the request selects: where the order isn't unique, or where a
  /// group has one row for many, another selection can make SQLite choose other rows.
  private func renderFetchedRows(into renderer: inout SQLRenderer) throws {
    let key = try renderer.database.rowIdentity(of: tableName)
    let names = key.indices.map { "coffer_key\($0)" }
    var query = self
    query.tableExpressions = []
    renderer.append(" WHERE ")
    try renderer.append(key.count == 1 ? key[0] : SQLExpression(.tuple(key)))
    renderer.append(" IN (WITH coffer_rows AS (")
    try query.render(into: &renderer) { renderer, tables in
      try renderer.withColumns(of: tables.table) { renderer in
        try renderer.append(
          zip(key, names).map { SQLSelection($0, name: $1) } + selection(renderer.database))
      }
      for join in tables.joins { try join.renderSelections(into: &renderer) }
    }
    // Used twice, so that it is neither merged with the outer query nor loses columns.
    renderer.append(") SELECT \(names.joined(separator: ", ")) FROM coffer_rows")
    renderer.append(" WHERE EXISTS (SELECT 1 FROM coffer_rows))")
  }
}

extension JoinTree {
  /// Appends the selections of the table and of those joined to it, after others.
  fileprivate func renderSelections(into renderer: inout SQLRenderer) throws {
    try forEach { node in
      let selection = try node.relation.selection(renderer.database)
      guard !selection.isEmpty else { return }
      renderer.append(", ")
      try renderer.withColumns(of: node.table) { try $0.append(selection) }
    }
  }
}

// MARK: - Which rows

/// How an `UPDATE` or `DELETE` finds the rows of its request.
enum ChangedRows {
  /// By the request's condition, and its limit.
  case filtered
  /// By the keys that the request's condition, joins and groups leave.
  case keys
  /// By the keys of the rows that are fetched.
  case fetched
}

extension Relation {
  /// Returns how the changed rows are found.
  ///
  /// - Throws: ``DatabaseError`` if what the request fetches doesn't say which rows of the table
  ///   are meant, such as groups.
  fileprivate func changedRows(_ db: Database) throws -> ChangedRows {
    guard case .table(let table) = source else { return .filtered }
    let isGrouped = try !grouping.isEmpty || having != nil || selectsAggregates(db)
    guard isGrouped || limit != nil else { return isDistinct || hasJoins ? .keys : .filtered }
    let groupsAreRows = try isGrouped && groupsByKey(db)
    if groupsAreRows, limit == nil { return .keys }
    if isGrouped, !groupsAreRows, try !selectsKey(db, isExact: false) {
      throw DatabaseError.rowsAreUnknown(table, "grouped")
    }
    guard limit != nil else { return .fetched }
    // SQLite could choose other rows for a selection that has the key, too.
    if try !db.everyIndexHasKey(table) && !selectsKey(db, isExact: true) {
      throw DatabaseError.rowsAreUnknown(table, "limited")
    }
    // With a join, DISTINCT has work to do, and does it in another order for another selection.
    if isDistinct, try hasJoins || !selectsKey(db, isExact: true) {
      throw DatabaseError.rowsAreUnknown(table, "distinct and limited")
    }
    // The order can use the names of annotations.
    guard !isGrouped, !isDistinct, !hasJoins, SQLiteFeatures.linked.hasLimitedChanges,
      try !selectsNamedExpressions(db), try db.isReadInOneOrder(table)
    else { return .fetched }
    return .filtered
  }

  private func selectsAggregates(_ db: Database) throws -> Bool {
    try selection(db).contains { part in
      guard case .expression(let expression, _) = part.content else { return false }
      return expression.isAggregate
    }
  }

  private func selectsNamedExpressions(_ db: Database) throws -> Bool {
    guard !ordering.isEmpty else { return false }
    return try selection(db).contains { part in
      switch part.content {
      case .expression(let expression, let name):
        name != nil && expression.columnName(aliases: aliases) == nil
      case .sql: true
      case .node: false
      }
    }
  }

  /// Whether each group is a row of the table.
  func groupsByKey(_ db: Database) throws -> Bool {
    let columns = try grouping.flatMap { try $0.resolve(db) }.compactMap {
      $0.columnName(aliases: aliases)
    }
    return try db.isRowIdentity(columns, of: tableName)
  }

  /// Whether the selection has the row's key.
  ///
  /// - Parameter isExact: Whether a `*` without the hidden rowid isn't enough.
  private func selectsKey(_ db: Database, isExact: Bool) throws -> Bool {
    let selection = try selection(db)
    if !isExact, selection.contains(where: \.isAllColumns) { return true }
    return try db.isRowIdentity(
      selection.flatMap { try $0.ownColumns(db, of: self) }, of: tableName)
  }
}

extension DatabaseError {
  fileprivate static func rowsAreUnknown(_ table: String, _ kind: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the rows of a \(kind) request don't tell which rows of \(table) are meant",
      hint: "Select the primary key, too, or fetch the keys and filter by them.")
  }
}

extension SQLRenderer {
  /// Renders an `UPDATE` or `DELETE`.
  mutating func inChange(
    of relation: Relation, _ body: (Relation, inout SQLRenderer, ChangedRows) throws -> Void
  ) throws {
    let relation = try relation.planned(database)
    let rows = try relation.changedRows(database)
    // The table can't have an alias in old versions of SQLite, if it is a view, or if the alias
    // belongs to the subquery.
    let canHaveAlias =
      try SQLiteFeatures.linked.hasAliasedChanges && rows == .filtered
      && database.schemaCache.object(named: relation.tableName)?.kind != .view
    try inQuery(of: relation, canHaveAlias: canHaveAlias, withJoins: false) { renderer, _ in
      try renderer.append(relation.tableExpressions)
      try body(relation, &renderer, rows)
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
