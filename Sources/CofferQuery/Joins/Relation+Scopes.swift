import CofferCore

extension Relation {
  /// Returns an adapter that shows the columns of each joined table in a scope.
  ///
  /// Nil if none are selected.
  ///
  /// - Parameter columnCount: The number of columns of the query.
  func adapter(_ db: Database, columnCount: Int) throws -> (any RowAdapter)? {
    guard hasJoins else { return nil }
    var renderer = SQLRenderer(db)
    return try renderer.inQuery(of: self) { _, tree -> (any RowAdapter)? in
      // Only one table's columns are selected, so there is nothing to separate.
      guard try tree.joins.contains(where: { try $0.selects(db) }) else { return nil }
      var counts: [Int?] = []
      try tree.forEach { counts.append(try $0.columnCount(db)) }
      // A single unknown number is the rest of the columns.
      let unknown = counts.indices.filter { counts[$0] == nil }
      if unknown.count == 1 {
        counts[unknown[0]] = columnCount - counts.reduce(0) { $0 + ($1 ?? 0) }
      }
      let known = counts.compactMap(\.self)
      guard known.count == counts.count, known.reduce(0, +) == columnCount else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "the selected columns can't be assigned to their tables",
          hint: "Select columns or expressions, not SQL text, in joined requests.")
      }
      var rest = known[...]
      var start = 0
      return self.adapter(counts: &rest, start: &start, isRoot: true)
    }
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
