import CofferCore

/// The rows of an association, fetched for all rows of a request by one query.
///
/// They are those that a join finds: where SQLite's comparison isn't that of the stored values, as
/// with collations or columns of different types, SQLite tells the parent of each row, and several
/// hundred parents' rows are fetched by a query.
struct Prefetch: DatabaseRegionConvertible, Sendable {
  /// The keys that lead from the request's rows to these rows.
  let keyPath: [String]
  let association: SQLAssociation

  /// Fetches the rows, and stores each in its parent rows.
  ///
  /// - Complexity: One query, regardless of the number of rows, if equal keys are stored alike.
  func fetch(_ db: Database, into parents: [Row]) throws {
    guard let first = parents.first else { return }
    let columns = try columns(db)
    let groups = try PrefetchGroups(parents, by: columns.map { try first.index(of: $0.parentName) })
    guard groups.areEqualAsStored(columns) || !canJoinKeys else {
      var lists = [RowList](repeating: RowList([]), count: groups.count)
      for keys in groups.parts(columns) {
        let children = try request(columns, joining: keys).makePreparedRequest(db).rowList(db)
        let parts = groups.numberedRows(children)
        for number in keys.numbers { lists[number] = parts[number] }
      }
      return groups.store(lists, under: keyPath, in: parents)
    }
    let request = request(columns) { groups.condition(on: columns.map(\.name)) }
    let children =
      try groups.isEmpty ? RowList([]) : request.makePreparedRequest(db).rowList(db)
    groups.store(
      groups.rows(children, columnCount: columns.count), under: keyPath, in: parents)
  }

  /// Returns the request for the rows of some parents, without the columns that identify the
  /// parent.
  ///
  /// - Precondition: `parents` is not empty.
  func request(_ db: Database, for parents: [Row]) throws -> QueryInterfaceRequest<Row> {
    let columns = try columns(db)
    let groups = try PrefetchGroups(
      parents, by: columns.map { try parents[0].index(of: $0.parentName) })
    return request(columns, tellsParents: false) {
      groups.areEqualAsStored(columns)
        ? groups.condition(on: columns.map(\.name)) : groups.comparisons(with: columns)
    }
  }

  private func columns(_ db: Database) throws -> [KeyColumn] {
    guard let key = association.steps[0].condition.foreignKey else {
      throw DatabaseError.joinedByExpression
    }
    return try key.keyColumns(db)
  }

  /// Returns the region that the rows are read from for any parents, nested prefetches included.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let columns = try columns(db)
    return try request(columns) {
      columns.map { Column($0.name) != nil }.joined(operator: .and)
    }.databaseRegion(db)
  }

  /// Returns the request for the rows, with the columns that identify the parent.
  private func request(
    _ columns: [KeyColumn], tellsParents: Bool = true,
    _ condition: @escaping @Sendable () -> SQLExpression
  ) -> QueryInterfaceRequest<Row> {
    let pivot = TableAlias()
    var relation = association.relation(alias: pivot) { _, _ in condition() }
    guard tellsParents else { return QueryInterfaceRequest(relation: relation) }
    relation.parentKey = columns.map { pivot[$0.name] }
    let annotations = columns.map { column in
      SQLSelection(pivot[Column(column.name)], name: "grdb_\(column.name)")
    }
    relation.selection.append(.value(annotations))
    return QueryInterfaceRequest(relation: relation)
  }

  // MARK: Joined keys

  /// Whether parents' keys can be joined to the first table: outside of a subquery.
  private var canJoinKeys: Bool {
    let first = association.steps[0].relation
    return association.steps.count == 1
      || (!first.isDistinct && first.limit == nil && first.grouping.isEmpty && first.having == nil
        && !first.isGroupedByRow)
  }

  /// Returns the request for the rows of some parents, each with its parent's number.
  private func request(
    _ columns: [KeyColumn], joining keys: PrefetchGroups.Part
  ) -> QueryInterfaceRequest<Row> {
    let parents = TableAlias()
    var source = Relation(source: .compound(SQLSubquery(node: keys.keys), []), selection: [])
    source.aliases = [parents]
    let join = JoinExpression {
      let (rows, parents) = (TableAlias(), TableAlias())
      let terms = columns.indices.map { index in
        columns[index].condition(
          rows[columns[index].name], parents[ParentKeys.name(ofColumn: index)],
          keys.comparisons[index])
      }
      return (left: rows, right: parents, expression: terms.joined(operator: .and))
    }
    var relation = association.relation(
      joining: RelationChild(
        key: "", kind: .oneRequired, condition: .expression(join), relation: source,
        isReached: true))
    relation.parentKey = [parents[ParentKeys.number]]
    relation.selection.append(
      .value([SQLSelection(parents[Column(ParentKeys.number)], name: ParentKeys.number)]))
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
    if let part = shownParts.first { return part.prefetches }
    return children.flatMap { child -> [Prefetch] in
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
