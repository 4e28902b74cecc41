import CofferCore

/// Rows that are fetched along with those of a request, by one query for all of them.
struct Prefetch: DatabaseRegionConvertible, Sendable {
  /// The keys that lead to the rows, from the request's rows on.
  let keyPath: [String]
  let association: SQLAssociation

  /// Fetches the rows, and stores each with the row that it belongs to.
  ///
  /// - Complexity: One query, whatever the number of rows.
  func fetch(_ db: Database, into parents: [Row]) throws {
    guard let first = parents.first else { return }
    let columns = try columns(db)
    let groups = try PrefetchGroups(parents, by: columns.map { try first.index(of: $0.left) })
    let request = request(columns.map(\.right)) { groups.condition(on: columns.map(\.right)) }
    let children = try groups.isEmpty ? [] : request.fetchAll(db)
    try groups.store(children, columnCount: columns.count, under: keyPath, in: parents)
  }

  /// The rows that belong to some, without what tells to which.
  ///
  /// - Precondition: There are such rows.
  func request(_ db: Database, for parents: [Row]) throws -> QueryInterfaceRequest<Row> {
    let columns = try columns(db)
    let groups = try PrefetchGroups(
      parents, by: columns.map { try parents[0].index(of: $0.left) })
    return request(columns.map(\.right), tellsParents: false) {
      groups.condition(on: columns.map(\.right))
    }
  }

  private func columns(_ db: Database) throws -> [(left: String, right: String)] {
    guard let key = association.steps[0].condition.foreignKey else {
      throw DatabaseError.joinedByExpression
    }
    return try key.columns(db)
  }

  /// What the rows are read from, whatever rows they belong to; those that are fetched along
  /// with them included.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let columns = try columns(db)
    return try request(columns.map(\.right)) {
      columns.map { Column($0.right) != nil }.joined(operator: .and)
    }.databaseRegion(db)
  }

  /// The request for rows, each with the values that tell its parent.
  private func request(
    _ columns: [String], tellsParents: Bool = true,
    _ condition: @escaping @Sendable () -> SQLExpression
  ) -> QueryInterfaceRequest<Row> {
    let pivot = TableAliasBase(userName: nil)
    var relation = association.relation(alias: pivot) { _, _ in condition() }
    guard tellsParents else { return QueryInterfaceRequest(relation: relation) }
    let annotations = columns.map { column in
      SQLSelection(pivot[Column(column)], name: "grdb_\(column)")
    }
    relation.selection.append(.value(annotations))
    return QueryInterfaceRequest(relation: relation)
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
