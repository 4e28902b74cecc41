import CofferCore

// Requests as lists that follow changes of single rows, for observations.

extension QueryInterfaceRequest {
  /// Returns the request as a list that follows changes of single rows.
  public func _listQuery() -> _ListQuery? { relation.listQuery { _ in relation } }

  /// Returns the summed values as such a list.
  public func _summedQuery() -> _ListQuery? {
    guard relation.limit == nil, relation.ordering.isEmpty else { return nil }
    return relation.listQuery { try relation.summedValues($0) }
  }
}

extension Table {
  /// Returns the request for all rows as a list that follows changes of single rows.
  public func _listQuery() -> _ListQuery? { all()._listQuery() }
}

extension Database {
  /// Returns the name of a table in `main` that has a rowid of this name, as in its definition.
  ///
  /// - Throws: ``ConcurrentFetchError`` if it isn't one.
  package func listedTable(_ name: String) throws -> String {
    let object = try scannedTable(name)
    _ = try rowIDName(of: object)
    return object.id.name
  }
}

extension Relation {
  /// Returns the relation as a list; nil if a row of the result can depend on several rows of the
  /// table.
  ///
  /// - Parameter listed: Returns the relation itself, or one that differs in its selection.
  fileprivate func listQuery(
    _ listed: @escaping @Sendable (Database) throws -> Relation
  ) -> _ListQuery? {
    guard case .table(let table) = source, tableExpressions.isEmpty, children.isEmpty, !isDistinct,
      grouping.isEmpty, having == nil, !isGroupedByRow, conflict == nil, aggregated.isEmpty,
      limit?.offset ?? 0 == 0
    else { return nil }
    var shape = QueryShapes().makeShape()
    _RequestParts(relation: self).describe(in: &shape, for: .all)
    return _ListQuery(isFixed: shape.isComplete) { db in
      let relation = try listed(db)
      let parts = _RequestParts(relation: relation)
      let (sql, arguments) = try db.sql(
        describedBy: { parts.describe(in: &$0, for: .all) },
        renderedBy: { try relation.render(into: &$0) })
      return _ListQuery.Query(sql: sql, arguments: arguments)
    } make: { db, plain in
      try listed(db).listPlan(of: table, plain, db)
    }
  }

  /// Returns the values of which the relation selects the sum, in the order of the rowids.
  ///
  /// - Throws: ``ConcurrentFetchError`` if it selects anything else.
  fileprivate func summedValues(_ db: Database) throws -> Relation {
    let selection = try selection(db)
    guard case .table(let table) = source, selection.count == 1,
      case .expression(let expression, _) = selection[0].content,
      case .aggregate(let sum)? = expression.expressionNode, sum.name == "SUM", !sum.isDistinct,
      sum.arguments.count == 1, sum.ordering.isEmpty, sum.filter == nil, sum.window == nil
    else { throw ConcurrentFetchError(.aggregate) }
    var values = self
    values.selection = [.value([sum.arguments[0].sqlSelection])]
    let rowID = try db.rowIDName(of: db.scannedTable(table))
    values.ordering = RelationOrdering([Column(rowID).asc])
    return values
  }

  private func listPlan(
    of table: String, _ plain: _ListQuery.Query, _ db: Database
  ) throws -> _ListQuery.Plan? {
    let object = try db.scannedTable(table)
    guard let key = try db.primaryKeyIfAny(table), try !partsMayRead(nil, db),
      try !selection(db).contains(where: { try $0.hasSQLText(db) })
    else { return nil }
    let rowID = try db.rowIDName(of: object)
    let names = Set(([rowID] + (key.isRowID ? key.columns : [])).map { SQLName($0) })
    let form = ListForm(rowID: rowID, column: try selectedColumn(names, table, db))
    let ownColumnCount = try db.cachedStatement(sql: plain.sql).columnCount
    let direction = try _ListQuery.isDescending(plain, isLimited: limit != nil, db) {
      try listing(form, $0, db).query
    }
    guard let isDescending = direction else { return nil }
    let (whole, _) = try listing(form, isDescending, db)
    let (part, argumentCount) = try listing(form, isDescending, isPart: true, db)
    return _ListQuery.Plan(
      tableName: object.id.name, plain: plain, whole: form.column == nil ? whole : plain,
      part: part, argumentsBeforeRowIDs: argumentCount,
      rowIDColumn: form.column ?? ownColumnCount,
      ownColumnCount: form.column == nil ? ownColumnCount : nil,
      rowIDOrder: try ordering.resolved(db, table: table).isEmpty
        ? isDescending ? .descending : .ascending : nil,
      mostRows: limit.flatMap { $0.count < 0 ? nil : $0.count })
  }

  /// Returns the index of a column among the selected ones; nil if it isn't there.
  private func selectedColumn(
    _ names: Set<SQLName>, _ table: String, _ db: Database
  ) throws -> Int? {
    var index = 0
    for part in try selection(db) {
      if part.isAllColumns {
        let columns = try db.columnNames(in: table)
        if let place = columns.firstIndex(where: { names.contains(SQLName($0)) }) {
          return index + place
        }
        index += columns.count
      } else {
        guard try part.columnCount(db, of: self, named: table) == 1 else { return nil }
        if let name = part.columnName(aliases: aliases), names.contains(SQLName(name)) {
          return index
        }
        index += 1
      }
    }
    return nil
  }

  /// Returns the query of the list, or of its rows among some rowids, without a limit.
  ///
  /// As in a scan by ranges, SQLite seeks the rowids.
  /// - Returns: The number of arguments before the rowids, too.
  private func listing(
    _ form: ListForm, _ isDescending: Bool, isPart: Bool = false, _ db: Database
  ) throws -> (query: _ListQuery.Query, argumentsBeforeRowIDs: Int) {
    var renderer = SQLRenderer(db)
    var argumentCount = 0
    try renderer.inQuery(of: self) { renderer, tables in
      func appendRowID() {
        renderer.append(identifier: tables.table.name)
        renderer.append(".")
        renderer.append(identifier: form.rowID)
      }
      renderer.append("SELECT ")
      let selection = try selection(renderer.database)
      try renderer.withColumns(of: tables.table) { try $0.append(selection) }
      if form.column == nil {
        renderer.append(", ")
        appendRowID()
      }
      renderer.append(" FROM ")
      try renderSource(as: tables.table, into: &renderer)
      if isPart {
        renderer.append(" NOT INDEXED WHERE ")
        appendRowID()
        renderer.append(" IN (?)")
        argumentCount = renderer.arguments.positional.count
        if let filter {
          renderer.append(" AND NOT (NOT (")
          try renderer.append(filter)
          // The condition can end with a comment.
          renderer.append("\n))")
        }
      } else {
        try renderFilter(into: &renderer)
      }
      let isOrdered = try !ordering.resolved(db, table: tables.table.tableName).isEmpty
      try tables.renderOrdering(into: &renderer)
      renderer.append(isOrdered ? ", " : " ORDER BY ")
      appendRowID()
      if isDescending { renderer.append(" DESC") }
      if !isPart, let limit { renderer.append(limit.sql) }
    }
    return (
      _ListQuery.Query(sql: renderer.sql, arguments: renderer.arguments), argumentCount
    )
  }
}

/// How a list knows the rowids of its rows.
private struct ListForm {
  /// A name of the rowid.
  let rowID: String
  /// The index of a selected column that is the rowid; nil if there is none.
  let column: Int?
}
