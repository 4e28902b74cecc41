import CofferCore

// Requests by ranges of rowids, for several connections that share a scan.

extension QueryInterfaceRequest {
  /// Returns the request by ranges of rowids.
  public func _tableScan() throws -> _TableScan { try relation.tableScan() }
}

extension Table {
  /// Returns the request for all rows by ranges of rowids.
  public func _tableScan() throws -> _TableScan { try all()._tableScan() }
}

extension Relation {
  /// Returns the relation by ranges of rowids.
  ///
  /// - Throws: ``ConcurrentFetchError`` if the ranges together would have other rows, or in another
  ///   order.
  fileprivate func tableScan() throws(ConcurrentFetchError) -> _TableScan {
    guard case .table(let table) = source else { throw ConcurrentFetchError(.compound) }
    if !tableExpressions.isEmpty { throw ConcurrentFetchError(.commonTableExpression) }
    if !children.isEmpty { throw ConcurrentFetchError(.association) }
    if isDistinct { throw ConcurrentFetchError(.distinct) }
    if !grouping.isEmpty || having != nil || isGroupedByRow {
      throw ConcurrentFetchError(.grouping)
    }
    if !ordering.terms.isEmpty || ordering.isStable { throw ConcurrentFetchError(.order) }
    if limit != nil { throw ConcurrentFetchError(.limit) }
    return _TableScan { db in
      try requireRowwiseSelection(db)
      let object = try db.scannedTable(table)
      return _TableScan.Table(
        name: object.id.schemaID.name.quotedDatabaseIdentifier + "."
          + object.id.name.quotedDatabaseIdentifier,
        rowID: try db.rowIDName(of: object).quotedDatabaseIdentifier,
        isCostly: try mayReadTables(db))
    } prepare: { db, rowIDs in
      var renderer = SQLRenderer(db)
      try renderPart(rowIDs, rowID: db.rowIDName(of: db.scannedTable(table)), into: &renderer)
      let statement = try db.cachedStatement(sql: renderer.sql)
      try statement.setArguments(renderer.arguments)
      var request = PreparedRequest(statement: statement)
      request.isForOneFetch = true
      return request
    }
  }

  /// Appends the query for the rows of a range, in the order of their rowids.
  ///
  /// SQLite seeks the range. It could choose an index or a rowid of the condition instead, and then
  /// visit the rows of other ranges too: `NOT INDEXED` prevents one, and the double negation, which
  /// SQLite doesn't look into, the other.
  private func renderPart(
    _ rowIDs: ClosedRange<Int64>, rowID: String, into renderer: inout SQLRenderer
  ) throws {
    try renderer.inQuery(of: self) { renderer, tables in
      func appendRowID() {
        renderer.append(identifier: tables.table.name)
        renderer.append(".")
        renderer.append(identifier: rowID)
      }
      renderer.append("SELECT ")
      let selection = try selection(renderer.database)
      try renderer.withColumns(of: tables.table) { try $0.append(selection) }
      renderer.append(" FROM ")
      try renderSource(as: tables.table, into: &renderer)
      renderer.append(" NOT INDEXED WHERE ")
      appendRowID()
      renderer.append(" BETWEEN ")
      renderer.append(rowIDs.lowerBound.databaseValue)
      renderer.append(" AND ")
      renderer.append(rowIDs.upperBound.databaseValue)
      if let filter {
        renderer.append(" AND NOT (NOT (")
        try renderer.append(filter)
        // The condition can end with a comment.
        renderer.append("\n))")
      }
      renderer.append(" ORDER BY ")
      appendRowID()
    }
  }

  // MARK: The selection

  /// Throws if selected values can depend on other rows than their own.
  private func requireRowwiseSelection(_ db: Database) throws {
    let selection = try selection(db)
    if try selection.contains(where: { try $0.hasSQLText(db) }) { throw ConcurrentFetchError(.sql) }
    if selection.allSatisfy(\.isColumns) { return }
    var plain = self
    plain.filter = nil
    var renderer = SQLRenderer(db)
    try plain.render(into: &renderer)
    // SQLite knows all aggregates and window functions, even those of the application. `Count` is
    // its instruction for `count(*)` of a whole table.
    let program = try Row.fetchCursor(
      db, sql: "EXPLAIN " + renderer.sql, arguments: renderer.arguments)
    while let step = try program.next() {
      guard let operation = step["opcode"] as String? else { continue }
      if operation.hasPrefix("Agg") || operation == "Count" {
        throw ConcurrentFetchError(.aggregate)
      }
    }
  }
}

extension Database {
  /// Returns the table of a scan.
  func scannedTable(_ name: String) throws -> SchemaTable {
    try schemaCache.reading(name, in: nil) { object in
      guard object.id.schemaID == .main else { throw ConcurrentFetchError(.otherSchema) }
      switch object.kind {
      case .view: throw ConcurrentFetchError(.view)
      case .virtualTable: throw ConcurrentFetchError(.virtualTable)
      case .table: return object
      }
    }
  }

  /// Returns a name of the table's rowid.
  func rowIDName(of table: SchemaTable) throws -> String {
    guard let key = try schemaCache.primaryKey(of: table), let name = key.rowIDName else {
      throw ConcurrentFetchError(try hasRowIDs(table.id) ? .hiddenRowID : .withoutRowID)
    }
    return name
  }
}

extension SQLSelection {
  /// Whether the selection consists of columns, and perhaps of other names for them.
  fileprivate var isColumns: Bool {
    isAllColumns || columnName(aliases: []) != nil
  }

  /// The name of a selected column, which can have another one in the result; nil for all else.
  func columnName(aliases: [any TableAliasBase]) -> String? {
    switch content {
    case .expression(let expression, _): expression.columnName(aliases: aliases)
    case .node(let node): node.cast(to: CheckedColumn.self)?.name
    case .sql: nil
    }
  }

  /// Whether a part of the selection is SQL text, which could even end the query.
  func hasSQLText(_ db: Database) throws -> Bool {
    switch content {
    case .expression(let expression, _): try expression.hasSQLText(db)
    case .sql: true
    case .node(let node):
      try node.cast(to: AliasedSelection.self)?.selection.hasSQLText(db) ?? false
    }
  }
}

extension SQLExpression {
  fileprivate func hasSQLText(_ db: Database) throws -> Bool {
    if case .sql = content { return true }
    if case .deferred(let make)? = expressionNode { return try make(db).hasSQLText(db) }
    return try operands.contains { try $0.hasSQLText(db) }
  }
}
