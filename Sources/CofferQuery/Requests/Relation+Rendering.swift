import CofferCore

extension Relation: SQLNode {
  /// Appends the `SELECT` query.
  package func render(into renderer: inout SQLRenderer) throws {
    try render(into: &renderer) { renderer, tables in
      var isFirst = true
      try tables.forEach { node in
        let selection = try node.relation.selection(renderer.database)
        guard !selection.isEmpty else { return }
        if !isFirst { renderer.append(", ") }
        isFirst = false
        try renderer.withColumns(of: node.table) { try $0.append(selection) }
      }
    }
  }

  /// Appends the `SELECT` query with another selection.
  func render(
    into renderer: inout SQLRenderer, selecting: (inout SQLRenderer, JoinTree) throws -> Void
  ) throws {
    try planned(renderer.database).renderPlanned(into: &renderer, selecting: selecting)
  }

  private func renderPlanned(
    into renderer: inout SQLRenderer, selecting: (inout SQLRenderer, JoinTree) throws -> Void
  ) throws {
    try renderer.inQuery(of: self) { renderer, tables in
      try renderer.append(tables.tableExpressions)
      if case .compound(let first, let others) = source, isPlain {
        try renderCompound(first, others, into: &renderer)
        if let limit { renderer.append(limit.sql) }
        return
      }
      renderer.append(isDistinct ? "SELECT DISTINCT " : "SELECT ")
      try selecting(&renderer, tables)
      renderer.append(" FROM ")
      try renderSource(as: tables.table, into: &renderer)
      try tables.renderJoins(into: &renderer)
      try renderFilter(into: &renderer)
      try renderGroups(into: &renderer)
      try tables.renderOrdering(into: &renderer)
      if let limit { renderer.append(limit.sql) }
    }
  }

  /// Whether there is only a source, and possibly a limit.
  private var isPlain: Bool {
    guard !isDistinct, filter == nil, ordering.terms.isEmpty, !ordering.isStable,
      grouping.isEmpty, !isGroupedByRow, having == nil, children.isEmpty, selection.count == 1,
      !aliases.contains(where: { $0._name != nil }),
      case .value(let selection) = selection[0], selection.count == 1
    else { return false }
    return selection[0].isAllColumns
  }

  private func renderCompound(
    _ first: SQLSubquery, _ others: [CompoundPart], into renderer: inout SQLRenderer
  ) throws {
    try renderer.append(operandOfCompound: first)
    for part in others {
      renderer.append(part.symbol.rawValue)
      try renderer.append(operandOfCompound: part.query)
    }
  }

  /// Appends the table or the compound query, with its name in the query.
  func renderSource(
    as table: SQLRenderer.NamedTable, into renderer: inout SQLRenderer
  ) throws {
    switch source {
    case .table(let name):
      renderer.append(identifier: name)
      if table.name != name {
        renderer.append(" ")
        renderer.append(identifier: table.name)
      }
    case .compound(let first, let others):
      renderer.append("(")
      try renderCompound(first, others, into: &renderer)
      renderer.append(")")
      if table.isQualified {
        renderer.append(" ")
        renderer.append(identifier: table.name)
      }
    }
  }

  /// Appends ` WHERE …`.
  func renderFilter(into renderer: inout SQLRenderer) throws {
    guard let filter else { return }
    renderer.append(" WHERE ")
    try renderer.append(filter)
  }

  private func renderGroups(into renderer: inout SQLRenderer) throws {
    let groups = try grouping.flatMap { try $0.resolve(renderer.database) }
    if !groups.isEmpty {
      renderer.append(" GROUP BY ")
      try renderer.append(list: groups)
    }
    guard let having else { return }
    renderer.append(" HAVING ")
    try renderer.append(having)
  }

  /// Whether the relation is only a compound query.
  var isPlainCompound: Bool {
    guard case .compound = source else { return false }
    return isPlain && limit == nil && tableExpressions.isEmpty
  }

  /// Whether the query can be a part of a compound query without a subquery.
  fileprivate var isSimpleSelect: Bool {
    guard limit == nil, isSimpleJoin else { return false }
    if case .compound = source { return !isPlain }
    return true
  }
}

extension Relation {
  /// Whether the relation and those that are joined to it have neither an order nor a `WITH`
  /// clause.
  fileprivate var isSimpleJoin: Bool {
    ordering.terms.isEmpty && !ordering.isStable && tableExpressions.isEmpty
      && children.allSatisfy { !$0.kind.isJoined || $0.relation.isSimpleJoin }
  }

  /// The relation and those that are joined to it, without their orders.
  fileprivate var withoutOrder: Relation {
    var result = self
    result.ordering = RelationOrdering()
    for index in children.indices where children[index].kind.isJoined {
      let child = children[index].relation
      // The order decides which rows a limit leaves.
      if child.limit == nil { result.children[index].relation = child.withoutOrder }
    }
    return result
  }
}

extension SQLRenderer {
  /// Chooses the names of the query's tables, and calls `body` with them in scope.
  mutating func inQuery<Result>(
    of relation: Relation, canHaveAlias: Bool = true, withJoins: Bool = true,
    _ body: (inout SQLRenderer, JoinTree) throws -> Result
  ) throws -> Result {
    let (outerQualifier, outerName, outerTables) = (qualifier, tableName, tables)
    depth += 1
    defer {
      depth -= 1
      (qualifier, tableName, tables) = (outerQualifier, outerName, outerTables)
    }
    let tree = try JoinTree(
      relation, in: &self, canHaveAlias: canHaveAlias, withJoins: withJoins)
    tableName = tree.table.tableName
    qualifier = tree.table.isQualified ? tree.table.name : nil
    return try body(&self, tree)
  }

  /// Appends the selections, separated by commas.
  package mutating func append(_ selections: [SQLSelection]) throws {
    for (index, selection) in selections.enumerated() {
      if index > 0 { append(", ") }
      try append(selection)
    }
  }

  /// Appends a selection.
  mutating func append(_ selection: SQLSelection) throws {
    switch selection.content {
    case .expression(let expression, let name):
      try append(expression)
      guard let name = try name ?? missingName(of: expression) else { return }
      append(" AS ")
      append(identifier: name)
    case .sql(let sql): try append(sql)
    case .node(let node): try node.render(into: &self)
    }
  }

  /// The name that the engine wouldn't give to the column of a view or a subquery.
  private func missingName(of expression: SQLExpression) throws -> String? {
    guard !SQLiteFeatures.linked.namesColumnsOfViews else { return nil }
    switch expression.expressionNode {
    case .column(let name):
      return try qualifier == nil || database.tableExists(tableName) ? nil : name
    case .aliased(let column, let alias):
      var renderer = self
      var name: String?
      try renderer.withColumns(of: alias) { name = try $0.missingName(of: column) }
      return name
    default: return nil
    }
  }

  fileprivate mutating func append(operandOfCompound query: SQLSubquery) throws {
    if case .node(let node) = query.content, var relation = node.cast(to: Relation.self) {
      relation = try relation.planned(database)
      // Columns of joined tables keep their names only without a subquery.
      if relation.hasJoins, relation.limit == nil { relation = relation.withoutOrder }
      if relation.isSimpleSelect { return try relation.render(into: &self) }
    }
    append("SELECT * FROM (")
    try append(query)
    append(")")
  }
}
