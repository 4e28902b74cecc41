import CofferCore

extension Relation {
  /// Shows the columns of each joined table in a scope; nil where none are selected.
  ///
  /// - Parameter columnCount: The number of columns that the query has.
  func adapter(_ db: Database, columnCount: Int) throws -> (any RowAdapter)? {
    guard hasJoins else { return nil }
    var renderer = SQLRenderer(db)
    return try renderer.inQuery(of: self) { _, tree -> (any RowAdapter)? in
      // Nothing to tell apart: one table's columns alone are selected.
      guard try tree.joins.contains(where: { try $0.selects(db) }) else { return nil }
      var counts: [Int?] = []
      try tree.forEach { counts.append(try $0.columnCount(db)) }
      // One that is unknown is what the others leave.
      let unknown = counts.indices.filter { counts[$0] == nil }
      if unknown.count == 1 {
        counts[unknown[0]] = columnCount - counts.reduce(0) { $0 + ($1 ?? 0) }
      }
      let known = counts.compactMap(\.self)
      guard known.count == counts.count, known.reduce(0, +) == columnCount else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "it is not known which of the selected columns belong to which table",
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

  /// The number of columns that the relation selects of its own table; nil where nobody knows.
  func columnCount(_ db: Database) throws -> Int? {
    var count = 0
    for part in try selection(db) {
      guard let columns = try part.columnCount(db, of: self, named: tableName) else { return nil }
      count += columns
    }
    return count
  }
}
