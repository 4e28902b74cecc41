import CofferCore

extension Relation {
  /// Returns an adapter that shows the columns of each joined table in a scope.
  ///
  /// Nil if none are selected.
  ///
  /// - Parameter columnCount: The number of columns of the query.
  func adapter(_ db: Database, columnCount: Int) throws -> (any RowAdapter)? {
    if let part = shownParts.first { return try adapter(db, of: part, columnCount: columnCount) }
    guard hasJoins else { return nil }
    return try planned(db).plannedAdapter(db, columnCount: columnCount)
  }

  private func plannedAdapter(_ db: Database, columnCount: Int) throws -> (any RowAdapter)? {
    var renderer = SQLRenderer(db)
    let counts = try renderer.inQuery(of: self) { _, tree -> [Int?]? in
      // Only one table's columns are selected, so there is nothing to separate.
      guard try tree.joins.contains(where: { try $0.selects(db) }) else { return nil }
      let named = Set(tree.tableExpressions.map { SQLName($0.name) })
      var counts: [Int?] = []
      try tree.forEach { node in
        // A common table expression hides a table of the same name.
        let isHidden =
          try named.contains(SQLName(node.table.tableName))
          && node.relation.selection(db).contains(where: \.isAllColumns)
        counts.append(isHidden ? nil : try node.columnCount(db))
      }
      return counts
    }
    guard var counts else { return nil }
    let unknown = counts.indices.filter { counts[$0] == nil }
    for index in unknown.dropLast() { counts[index] = try preparedColumnCount(db, ofTable: index) }
    if let last = unknown.last {
      // The rest of the columns.
      counts[last] = columnCount - counts.reduce(0) { $0 + ($1 ?? 0) }
    }
    let known = counts.compactMap(\.self)
    guard known.allSatisfy({ $0 >= 0 }), known.reduce(0, +) == columnCount else {
      throw DatabaseError.unassignedColumns
    }
    var rest = known[...]
    var start = 0
    return adapter(counts: &rest, start: &start, isRoot: true)
  }

  /// Returns the number of columns selected from one of the joined tables, as SQLite counts them.
  ///
  /// - Parameter index: The position among the tables of the query.
  private func preparedColumnCount(_ db: Database, ofTable index: Int) throws -> Int {
    var renderer = SQLRenderer(db)
    try renderer.inQuery(of: self) { renderer, tree in
      try renderer.append(tree.tableExpressions)
      renderer.append("SELECT ")
      var position = 0
      try tree.forEach { node in
        defer { position += 1 }
        guard position == index else { return }
        let selection = try node.relation.selection(db)
        try renderer.withColumns(of: node.table) { try $0.append(selection) }
      }
      renderer.append(" FROM ")
      try renderSource(as: tree.table, into: &renderer)
      try tree.renderJoins(into: &renderer)
    }
    return try db.cachedStatement(sql: renderer.sql).columnCount
  }

  private func adapter(
    counts: inout ArraySlice<Int>, start: inout Int, isRoot: Bool
  ) -> (any RowAdapter)? {
    let count = counts.popFirst() ?? 0
    let range = start..<start + count
    start += count
    var scopes: [String: any RowAdapter] = [:]
    for child in children where child.kind.isJoined {
      let adapter = child.relation.adapter(counts: &counts, start: &start, isRoot: false)
      if let adapter { scopes[child.key] = adapter }
    }
    if scopes.isEmpty, isRoot || count == 0 { return nil }
    let base: any RowAdapter = count == 0 ? EmptyRowAdapter() : RangeRowAdapter(range)
    return base.addingScopes(scopes)
  }

  /// Returns the number of columns selected from the relation's own table; nil if it is unknown.
  func columnCount(_ db: Database) throws -> Int? {
    var count = 0
    for part in try selection(db) {
      guard let columns = try part.columnCount(db, of: self, named: tableName) else { return nil }
      count += columns
    }
    return count
  }
}

// MARK: - Compound queries

extension Relation {
  /// The parts of a compound query whose rows are shown as they are.
  var shownParts: [Relation] {
    !parts.isEmpty && selection.count == 1 && hasAllColumns ? parts : []
  }

  private var hasAllColumns: Bool {
    guard case .value(let selection) = selection[0] else { return false }
    return selection.count == 1 && selection[0].isAllColumns
  }

  /// Returns an adapter that shows the rows of a compound query as those of its first part.
  private func adapter(
    _ db: Database, of first: Relation, columnCount: Int
  ) throws -> (any RowAdapter)? {
    let keys = first.associationKeys
    guard parts.allSatisfy({ $0.associationKeys == keys }) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the parts of a compound query include different associations",
        hint: "Include the same ones, in the same order, in each part.")
    }
    guard let adapter = try first.adapter(db, columnCount: columnCount) else { return nil }
    // A query around the compound one gives other names to columns with the same one.
    var renderer = SQLRenderer(db)
    try first.render(into: &renderer)
    let names = try db.cachedStatement(sql: renderer.sql).columnNames
    guard names.count == columnCount else { throw DatabaseError.unassignedColumns }
    return RenamedRows(names: names, adapter: adapter)
  }

  /// The keys of the associations whose columns or rows the relation's rows have.
  private var associationKeys: [String] {
    if let part = shownParts.first { return part.associationKeys }
    return children.flatMap { child in
      let nested = child.relation.associationKeys.map { "\(child.key).\($0)" }
      let isShown =
        child.kind == .all || (child.kind.isJoined && !child.relation.selection.isEmpty)
      return isShown ? ["\(child.key) \(child.kind == .all)"] + nested : nested
    }
  }
}

/// Applies an adapter to rows whose columns have other names.
private struct RenamedRows: RowAdapter {
  let names: [String]
  let adapter: any RowAdapter

  func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    let renamed = RowAdaptation(
      layout: RowLayout(columnNames: names),
      baseIndices: (0..<columns.count).map(columns.baseIndex), scopes: [])
    return try adapter._adaptation(of: RowColumns(renamed))
  }
}

extension DatabaseError {
  fileprivate static var unassignedColumns: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the selected columns can't be assigned to their tables",
      hint: "Select columns or expressions, not SQL text, in joined requests.")
  }
}
