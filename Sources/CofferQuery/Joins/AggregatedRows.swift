import CofferCore

/// The associated rows of which a request uses an aggregate.
///
/// The request joins them where no other rows multiply them and each group is one of the request's
/// rows; otherwise, each aggregate is a subquery: see ``Relation/planned(_:)``.
package struct AggregatedRows: Sendable {
  /// What is computed of the rows.
  package enum Function: Sendable {
    /// The number of different rows.
    case count
    /// An SQL function of a value.
    case value(String, SQLExpression)

    /// Whether the result stays the same if rows are repeated.
    fileprivate var ignoresRepetition: Bool {
      switch self {
      case .count: true
      case .value(let name, _): name == "MIN" || name == "MAX"
      }
    }
  }

  private var association: SQLAssociation
  private let function: Function
  /// The alias of the rows in a request that joins them.
  private let rows = TableAlias()
  /// The alias of the request's row in a subquery.
  private let origin = TableAlias()

  package init(_ association: SQLAssociation, _ function: Function) {
    self.association = association
    self.function = function
    self.association.destination.relation.ordering = RelationOrdering()
  }

  /// The aggregate: of the rows that the request joins, or else of a subquery.
  package var expression: SQLExpression { SQLExpression(node: AssociatedAggregate(rows: self)) }

  // MARK: Joined rows

  /// Whether an alias of the association may be used in other parts of the request.
  fileprivate var hasAlias: Bool {
    association.steps.contains { !$0.relation.aliases.isEmpty }
  }

  fileprivate var ignoresRepetition: Bool { function.ignoresRepetition }

  /// The association with an alias for its rows.
  fileprivate var joined: SQLAssociation {
    var association = association
    association.destination.relation.aliases.append(rows)
    return association
  }

  /// Whether both are of the same rows.
  fileprivate func isSame(as other: AggregatedRows) -> Bool {
    let (lhs, rhs) = (association.steps, other.association.steps)
    return lhs.count == rhs.count
      && zip(lhs, rhs).allSatisfy { lhs, rhs in
        lhs.key.name(isSingular: true) == rhs.key.name(isSingular: true)
          && lhs.condition.isSame(as: rhs.condition) && lhs.relation.isAllRows
          && rhs.relation.isAllRows
          && lhs.relation.tableName.isSameName(as: rhs.relation.tableName)
      }
  }

  /// Whether a join of the request neither repeats the rows nor leaves some out.
  fileprivate func canBeJoined(beside child: RelationChild) -> Bool {
    let first = association.steps[0]
    guard child.key == first.key.name(isSingular: true) else { return child.isToOne }
    return child.condition.isSame(as: first.condition) && child.relation.isAllRows
      && first.relation.isAllRows && !child.relation.hasJoins
  }

  /// Whether joined rows can be told apart, for counting them.
  fileprivate func areKnownApart(_ db: Database) throws -> Bool {
    guard case .count = function else { return true }
    let rows = association.destination.relation
    // Distinct rows are those of their selection, and not those with different keys.
    return try !rows.isDistinct && db.primaryKeyIfAny(rows.tableName) != nil
  }

  /// Joins the rows with a key of their own.
  fileprivate func join(to relation: inout Relation, number: Int) {
    var association = joined
    association.steps[0].key = .fixedSingular("coffer_aggregate\(number)")
    relation.add(association, as: .joiningOptional)
  }

  /// The aggregate of joined rows.
  fileprivate func joinedExpression(in renderer: SQLRenderer) -> SQLExpression? {
    guard renderer.tables[ObjectIdentifier(rows)] != nil else { return nil }
    switch function {
    case .count:
      let table = association.destination.relation.tableName
      return count(distinct: rows[SQLExpression(.rowIdentity(ofTable: table))])
    case .value(let name, let value):
      return SQLExpression(.aggregate(Aggregate(name, [rows[value]])))
    }
  }

  // MARK: Subqueries

  /// Appends the subquery for the row of the innermost query.
  fileprivate func renderSubquery(into renderer: inout SQLRenderer) throws {
    let tables = renderer.tables
    defer { renderer.tables = tables }
    renderer.tables[ObjectIdentifier(origin)] = SQLRenderer.NamedTable(
      name: renderer.qualifier ?? renderer.tableName, tableName: renderer.tableName,
      depth: renderer.depth, isQualified: true)
    var query = association.relation(of: origin)
    query.children = query.joinedOnly.children
    renderer.append("(")
    defer { renderer.append(")") }
    switch function {
    case .count: try query.renderRowCount(into: &renderer)
    case .value(let name, let value):
      if !query.isPlainSelect { query = query.isolated(keeping: []) }
      let selection = SQLSelection(SQLExpression(.aggregate(Aggregate(name, [value]))), name: nil)
      query.selection = [.value([selection])]
      try query.render(into: &renderer)
    }
  }
}

private struct AssociatedAggregate: SQLNode {
  let rows: AggregatedRows

  func render(into renderer: inout SQLRenderer) throws {
    if let joined = rows.joinedExpression(in: renderer) { return try renderer.append(joined) }
    try rows.renderSubquery(into: &renderer)
  }
}

extension Relation {
  /// Appends the query for the number of different rows of the table.
  fileprivate func renderRowCount(into renderer: inout SQLRenderer) throws {
    var query = self
    guard isPlainSelect else { return try query.renderCount(into: &renderer) }
    query.selection = []
    if hasJoins, case .table(let table) = source,
      try renderer.database.primaryKeyIfAny(table) != nil
    {
      let number = count(distinct: SQLExpression(.rowIdentity(ofTable: table)))
      query.selection = [.value([SQLSelection(number, name: nil)])]
      return try query.render(into: &renderer)
    }
    try query.renderCount(into: &renderer)
  }

  /// Whether the query has neither groups nor a limit, so that it can compute aggregates itself.
  fileprivate var isPlainSelect: Bool {
    !isDistinct && grouping.isEmpty && having == nil && limit == nil && !isGroupedByRow
  }

  /// Whether the relation has all rows of its table, and nothing else.
  fileprivate var isAllRows: Bool {
    guard case .table = source else { return false }
    return isPlainSelect && filter == nil && children.isEmpty && tableExpressions.isEmpty
  }
}

extension RelationChild {
  /// Whether each row of the parent has one row at most.
  fileprivate var isToOne: Bool {
    guard kind.isJoined else { return true }
    guard !isReached, let key = condition.foreignKey, key.leftIsOrigin else { return false }
    return relation.children.allSatisfy(\.isToOne)
  }
}

// MARK: - Planning

extension Relation {
  /// Adds an aggregate of associated rows, which the relation's rows are grouped for if necessary.
  package mutating func add(_ rows: AggregatedRows) {
    aggregated.append(rows)
    isGroupedByRow = true
  }

  /// Returns the relation with its aggregates of associations joined, or left to subqueries, and
  /// with the groups that it needs.
  ///
  /// Rows are joined if all aggregates are of the same ones and no other join repeats them. Then,
  /// or if the request has other joins or aggregates, there is a group for each row of the table.
  func planned(_ db: Database) throws -> Relation {
    guard isUnplanned else { return self }
    var result = self
    for index in children.indices where children[index].kind.isJoined {
      result.children[index].relation = try children[index].relation.planned(db)
    }
    (result.aggregated, result.isGroupedByRow, result.parentKey) = ([], false, [])
    if grouping.isEmpty {
      try result.join(aggregated, db)
      try result.groupByRow(if: isGroupedByRow, db)
    } else if try groupsByKey(db) {
      try result.join(aggregated, db)
    } else {
      try result.joinToGroups(aggregated, db)
    }
    if try result.mayMergeParents(of: self, db) { result.grouping.append(.value(parentKey)) }
    return result
  }

  /// Whether the groups of a planned relation may have rows of several parents.
  private func mayMergeParents(of original: Relation, _ db: Database) throws -> Bool {
    guard !original.parentKey.isEmpty else { return false }
    if grouping.isEmpty { return try selection(db).contains(where: \.isAggregate) }
    // Each row has one parent, unless a join leads to its parents.
    return !original.grouping.isEmpty || children.contains(where: \.isReached)
  }

  private var isUnplanned: Bool {
    isGroupedByRow || !aggregated.isEmpty || !parentKey.isEmpty
      || (having != nil && grouping.isEmpty)
      || children.contains { $0.kind.isJoined && $0.relation.isUnplanned }
  }

  private mutating func join(_ aggregated: [AggregatedRows], _ db: Database) throws {
    for rows in aggregated where rows.hasAlias {
      guard try rows.areKnownApart(db) else { throw DatabaseError.uncountableRows }
      add(rows.joined, as: .joiningOptional)
    }
    let others = aggregated.filter { !$0.hasAlias }
    guard others.count == aggregated.count, let first = others.first,
      others.dropFirst().allSatisfy(first.isSame), children.allSatisfy(first.canBeJoined),
      try others.allSatisfy({ try $0.areKnownApart(db) }), try !needsGroups(db)
    else { return }
    for rows in others { add(rows.joined, as: .joiningOptional) }
  }

  /// Groups rows where they may be repeated; otherwise, each is a group already.
  private mutating func groupByRow(if isGrouped: Bool, _ db: Database) throws {
    let mayAggregate = try needsGroups(db)
    // A join that leads to the parents of prefetched rows repeats the rows that several parents
    // have.
    if isGrouped, mayAggregate || children.contains(where: { $0.kind.isJoined && !$0.isReached }) {
      let table = tableName
      grouping = [.made { try $0.rowIdentity(of: table) }]
    } else if let having, !mayAggregate {
      self.having = nil
      addFilter(having)
    }
  }

  /// Joins rows to a request whose groups have several rows of the table.
  private mutating func joinToGroups(_ aggregated: [AggregatedRows], _ db: Database) throws {
    guard let first = aggregated.first else { return }
    guard try aggregated.allSatisfy({ try $0.areKnownApart(db) }) else {
      throw DatabaseError.uncountableRows
    }
    if aggregated.dropFirst().allSatisfy(first.isSame), children.allSatisfy(first.canBeJoined) {
      for rows in aggregated { add(rows.joined, as: .joiningOptional) }
      return
    }
    if !aggregated.allSatisfy(\.ignoresRepetition) { throw DatabaseError.groupedAggregates }
    for (index, rows) in aggregated.enumerated() { rows.join(to: &self, number: index) }
  }

  /// Whether the selection, the condition on groups or the order may have aggregates of the
  /// relation's own rows.
  private func needsGroups(_ db: Database) throws -> Bool {
    if try selection(db).contains(where: \.mayAggregate) { return true }
    if having?.mayAggregate == true { return true }
    return try ordering.terms.contains {
      try $0.resolve(db).contains { $0.expression.mayAggregate }
    }
  }
}

extension SQLSelection {
  fileprivate var isAggregate: Bool {
    guard case .expression(let expression, _) = content else { return false }
    return expression.isAggregate
  }

  fileprivate var mayAggregate: Bool {
    switch content {
    case .expression(let expression, _): expression.mayAggregate
    case .sql: true
    case .node(let node): !node.isOwnColumns
    }
  }
}

extension SQLExpression {
  /// Whether the expression may be an aggregate of the rows of its query; SQL text may be one.
  fileprivate var mayAggregate: Bool {
    switch content {
    case .value: return false
    case .sql: return true
    case .node(let node):
      if node.cast(to: AssociatedAggregate.self) != nil { return false }
      guard let node = node.cast(to: ExpressionNode.self) else { return true }
      switch node {
      case .aggregate, .deferred, .detached: return true
      default: return operands.contains(where: \.mayAggregate)
      }
    }
  }
}

extension DatabaseError {
  fileprivate static var uncountableRows: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "associated rows that are distinct, or have no key, can't be counted here",
      hint: "Count them without an alias, in a request that doesn't group its rows.")
  }

  fileprivate static var groupedAggregates: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message:
        "sums and averages of several associations can't stand in a request that groups rows",
      hint: "Group by the primary key, or compute each in a request of its own.")
  }
}
