import CofferCore

/// Rows that are fetched along with those of a request, by one query for all of them.
struct Prefetch: Sendable {
  /// The keys that lead to the rows, from the request's rows on.
  let keyPath: [String]
  let association: SQLAssociation

  /// Fetches the rows, and stores each with the row that it belongs to.
  ///
  /// - Complexity: One query, whatever the number of rows.
  func fetch(_ db: Database, into parents: [Row]) throws {
    guard let first = parents.first else { return }
    guard let key = association.steps[0].condition.foreignKey else {
      throw DatabaseError.joinedByExpression
    }
    let columns = try key.columns(db)
    let groups = try PrefetchGroups(parents, by: columns.map { try first.index(of: $0.left) })
    let children = try groups.isEmpty ? [] : fetchChildren(db, groups, columns.map(\.right))
    try groups.store(children, columnCount: columns.count, under: keyPath, in: parents)
  }

  private func fetchChildren(
    _ db: Database, _ groups: PrefetchGroups, _ columns: [String]
  ) throws -> [Row] {
    let pivot = TableAliasBase(userName: nil)
    var relation = association.relation(alias: pivot) { _, _ in groups.condition(on: columns) }
    let annotations = columns.map { column in
      SQLSelection(pivot[Column(column)], name: "grdb_\(column)")
    }
    relation.selection.append(.value(annotations))
    return try QueryInterfaceRequest<Row>(relation: relation).fetchAll(db)
  }
}

extension Row {
  /// The index of a column by which other rows are fetched.
  fileprivate func index(of column: String) throws -> Int {
    if let index = index(ofColumn: column) { return index }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "associated rows can't be fetched: column \"\(column)\" isn't selected",
      hint: "Select it, too: `annotated(with: Column(\"\(column)\"))`.")
  }
}

extension Relation {
  /// What is fetched along with the relation's rows.
  var prefetches: [Prefetch] {
    children.flatMap { child -> [Prefetch] in
      let step = SQLAssociation.Step(
        key: .fixedSingular(child.key), condition: child.condition, relation: child.relation,
        isToMany: child.kind == .all)
      if child.kind == .all {
        return [Prefetch(keyPath: [child.key], association: SQLAssociation(steps: [step]))]
      }
      return child.relation.prefetches.map { prefetch in
        var step = step
        step.relation = child.relation.joinedOnly.without(childKey: prefetch.keyPath[0])
        return Prefetch(
          keyPath: [child.key] + prefetch.keyPath,
          association: SQLAssociation(steps: [step] + prefetch.association.steps))
      }
    }
  }

  private func without(childKey key: String) -> Relation {
    var result = self
    result.children.removeAll { $0.key == key }
    return result
  }
}
