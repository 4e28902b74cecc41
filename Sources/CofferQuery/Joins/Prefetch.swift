import CofferCore

/// The rows of an association, fetched for all rows of a request by one query.
struct Prefetch: DatabaseRegionConvertible, Sendable {
  /// The keys that lead from the request's rows to these rows.
  let keyPath: [String]
  let association: SQLAssociation

  /// Fetches the rows, and stores each in its parent rows.
  ///
  /// - Complexity: One query, regardless of the number of rows.
  func fetch(_ db: Database, into parents: [Row]) throws {
    guard let first = parents.first else { return }
    let columns = try columns(db)
    let groups = try PrefetchGroups(parents, by: columns.map { try first.index(of: $0.left) })
    let request = request(columns.map(\.right)) { groups.condition(on: columns.map(\.right)) }
    let children =
      try groups.isEmpty ? RowList([]) : request.makePreparedRequest(db).rowList(db)
    groups.store(children, columnCount: columns.count, under: keyPath, in: parents)
  }

  /// Returns a request for the rows of some parents, without the columns that identify the parent.
  ///
  /// - Precondition: `parents` is not empty.
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

  /// Returns the region that the rows are read from for any parents, nested prefetches included.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let columns = try columns(db)
    return try request(columns.map(\.right)) {
      columns.map { Column($0.right) != nil }.joined(operator: .and)
    }.databaseRegion(db)
  }

  /// Returns the request for the rows, with the columns that identify the parent.
  private func request(
    _ columns: [String], tellsParents: Bool = true,
    _ condition: @escaping @Sendable () -> SQLExpression
  ) -> QueryInterfaceRequest<Row> {
    let pivot = TableAlias()
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
  /// Returns the index of a column that identifies associated rows.
  fileprivate func index(of column: String) throws -> Int {
    if let index = index(ofColumn: column) { return index }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "associated rows can't be fetched: column \"\(column)\" isn't selected",
      hint: "Add it to the selection: `annotated(with: Column(\"\(column)\"))`.")
  }
}

extension Relation {
  /// The associations whose rows are fetched along with the relation's rows.
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
