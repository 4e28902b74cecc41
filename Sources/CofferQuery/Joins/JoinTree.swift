import CofferCore

/// The tables of a query: a relation and the relations joined to it, with their names in the query.
struct JoinTree {
  let relation: Relation
  let table: SQLRenderer.NamedTable
  /// The kind of the join with the parent table; `oneRequired` for the root.
  let kind: RelationChild.Kind
  let condition: JoinCondition
  let joins: [JoinTree]

  /// Returns the number of columns selected from the table; nil if it is unknown.
  func columnCount(_ db: Database) throws -> Int? {
    var count = 0
    for part in try relation.selection(db) {
      guard let columns = try part.columnCount(db, of: relation, named: table.tableName) else {
        return nil
      }
      count += columns
    }
    return count
  }

  /// Returns whether columns of the table or of tables joined to it are selected.
  func selects(_ db: Database) throws -> Bool {
    try !relation.selection(db).isEmpty || joins.contains { try $0.selects(db) }
  }

  /// Calls `body` with each table, in the order of the query.
  func forEach(_ body: (JoinTree) throws -> Void) rethrows {
    try body(self)
    for join in joins { try join.forEach(body) }
  }
}

// MARK: - Names

extension JoinTree {
  /// Chooses the names of the tables and registers them with the renderer.
  ///
  /// - Throws: ``DatabaseError`` if two associations share a key, or two tables an alias.
  init(
    _ relation: Relation, in renderer: inout SQLRenderer, canHaveAlias: Bool, withJoins: Bool
  ) throws {
    if !withJoins || !relation.hasJoins {
      if let key = relation.conflict { throw DatabaseError.ambiguousKey(key) }
      let table = renderer.table(of: relation, canHaveAlias: canHaveAlias)
      for alias in relation.aliases { renderer.tables[ObjectIdentifier(alias)] = table }
      self.init(
        relation: relation, table: table, kind: .oneRequired, condition: .none, joins: [])
      return
    }
    var relations: [Relation] = []
    try relation.collectJoined(into: &relations)
    var names = renderer.names(for: relations)[...]
    self.init(
      relation, source: relation, kind: .oneRequired, condition: .none, names: &names,
      depth: renderer.depth)
    try forEach { node in
      for alias in node.relation.aliases {
        let known = renderer.tables.updateValue(node.table, forKey: ObjectIdentifier(alias))
        if let known, known.depth == renderer.depth { throw DatabaseError.ambiguousAlias(alias) }
      }
    }
  }

  /// Takes the names of the relation's tables from the front of `names`.
  private init(
    _ relation: Relation, source: Relation, kind: RelationChild.Kind, condition: JoinCondition,
    names: inout ArraySlice<String>, depth: Int
  ) {
    let table = SQLRenderer.NamedTable(
      name: names.popFirst() ?? "", tableName: relation.tableName, depth: depth,
      isQualified: true)
    var joins: [JoinTree] = []
    for child in relation.children where child.kind.isJoined {
      joins.append(
        JoinTree(
          child.relation, source: child.relation.joinable(by: child.condition), kind: child.kind,
          condition: child.condition, names: &names, depth: depth))
    }
    self.init(relation: source, table: table, kind: kind, condition: condition, joins: joins)
  }
}

extension Relation {
  /// Appends the relation and those joined to it, in the order of the query.
  fileprivate func collectJoined(into result: inout [Relation]) throws {
    if let conflict { throw DatabaseError.ambiguousKey(conflict) }
    result.append(self)
    for child in children where child.kind.isJoined {
      try child.relation.collectJoined(into: &result)
    }
  }

  /// The relation to join.
  ///
  /// The relation itself, or a subquery if it has more than a table and a condition.
  fileprivate func joinable(by condition: JoinCondition) -> Relation {
    guard isDistinct || !grouping.isEmpty || having != nil || limit != nil else { return self }
    return isolated(keeping: condition.rightColumns(of: self))
  }

  /// Returns the relation as a subquery, with the selected columns and with those that a condition
  /// needs.
  ///
  /// Distinct rows stay distinct by their selection, for each value of these columns.
  func isolated(keeping columns: [Deferred<[SQLSelection]>]) -> Relation {
    var inner = self
    inner.children = joinedOnly.children
    inner.tableExpressions = []
    inner.selection =
      selection.isEmpty ? [.value([AllColumns().sqlSelection])] : selection + columns
    var result = Relation(
      source: .compound(SQLSubquery(node: inner), []), selection: [AllColumns().sqlSelection])
    if selection.isEmpty { result.selection = [] }
    result.aliases = aliases
    result.ordering = ordering
    result.tableExpressions = tableExpressions
    return result
  }
}

extension JoinCondition {
  /// The columns of the right table that the condition needs and the selection lacks.
  ///
  /// None for a condition that is written by the user.
  fileprivate func rightColumns(of relation: Relation) -> [Deferred<[SQLSelection]>] {
    guard let foreignKey else { return [] }
    return [
      .made { db in
        let selected = try relation.selection(db).flatMap { try $0.ownColumns(db, of: relation) }
        return try foreignKey.columns(db).map(\.right).filter { column in
          !selected.contains { $0.isSameName(as: column) }
        }.map { Column($0).sqlSelection }
      }
    ]
  }
}

extension SQLRenderer {
  /// Returns the name for the only table of a query.
  ///
  /// It is the table's name, unless there is an alias, or a table of an outer query has the same
  /// name.
  fileprivate func table(of relation: Relation, canHaveAlias: Bool) -> NamedTable {
    let tableName = relation.tableName
    if canHaveAlias, let name = relation.userName {
      return NamedTable(name: name, tableName: tableName, depth: depth, isQualified: true)
    }
    let base = relation.baseName
    var (name, number) = (base, 1)
    while tables.values.contains(where: { $0.name.isSameName(as: name) }) {
      number += 1
      name = "\(base)\(number)"
    }
    return NamedTable(name: name, tableName: tableName, depth: depth, isQualified: name != base)
  }

  /// Returns the names for the tables of a query: `player`, or `player1`, `player2` for duplicates.
  ///
  /// Aliases' names are kept.
  fileprivate func names(for relations: [Relation]) -> [String] {
    let wanted = relations.map { SQLName($0.userName ?? $0.baseName) }
    var taken = Set(tables.values.map { SQLName($0.name) })
    taken.formUnion(relations.compactMap { $0.userName.map(SQLName.init) })
    var counts: [SQLName: Int] = [:]
    for name in wanted { counts[name, default: 0] += 1 }
    let isFree = zip(relations, wanted).map { relation, name in
      relation.userName == nil && counts[name] == 1 && !taken.contains(name)
    }
    for (name, isFree) in zip(wanted, isFree) where isFree { taken.insert(name) }
    var numbers: [SQLName: Int] = [:]
    var names: [String] = []
    for (index, relation) in relations.enumerated() {
      var name = relation.userName ?? relation.baseName
      if relation.userName == nil, !isFree[index] {
        // Not in a closure, whose captures crash the optimizer of Swift 6.
        repeat {
          numbers[wanted[index], default: 0] += 1
          name = "\(relation.radical)\(numbers[wanted[index], default: 1])"
        } while !taken.insert(SQLName(name)).inserted
      }
      names.append(name)
    }
    return names
  }
}

extension Relation {
  /// The name that an alias gives to the table.
  fileprivate var userName: String? { aliases.lazy.compactMap(\._name).last }

  /// The stem of numbered names: the table's name without trailing digits.
  fileprivate var radical: String {
    let radical = baseName.withoutFinalDigits
    return radical.isEmpty ? baseName : String(radical)
  }

  /// The table's name, or `query` for a subquery.
  fileprivate var baseName: String { tableName.isEmpty ? "query" : tableName }
}

extension DatabaseError {
  fileprivate static func ambiguousKey(_ key: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "two different associations have the key \"\(key)\"",
      hint: "Change the key of one of them with `forKey(\"…\")`.")
  }

  fileprivate static func ambiguousAlias(_ alias: any TableAliasBase) -> DatabaseError {
    let name = alias._name.map { " named \($0)" } ?? ""
    return DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "one TableAlias\(name) is that of several tables of a request",
      hint: "Use a separate alias for each table, with `aliased(_:)`.")
  }
}

// MARK: - Rendering

extension JoinTree {
  /// The common table expressions of all tables.
  var tableExpressions: [TableExpression] {
    guard !joins.isEmpty else { return relation.tableExpressions }
    var all = Relation(table: "")
    forEach { node in
      for expression in node.relation.tableExpressions { all.add(expression) }
    }
    return all.tableExpressions
  }

  /// Appends the joined tables.
  func renderJoins(into renderer: inout SQLRenderer) throws {
    for join in joins {
      let isOptional = join.kind == .oneOptional
      renderer.append(isOptional ? " LEFT JOIN " : " JOIN ")
      // Tables that an optional row requires are joined first, in parentheses.
      let isGroup = isOptional && join.joins.contains { $0.kind == .oneRequired }
      if isGroup { renderer.append("(") }
      try join.relation.renderSource(as: join.table, into: &renderer)
      if isGroup {
        try join.renderJoins(into: &renderer)
        renderer.append(")")
      }
      try renderer.withColumns(of: join.table) { renderer in
        var terms = try join.condition.terms(left: table, right: join.table, in: &renderer)
        if let filter = join.relation.filter {
          terms.append(try filter.resolved(renderer.database))
        }
        guard !terms.isEmpty else { return }
        renderer.append(" ON ")
        try renderer.append(SQLExpression.AssociativeBinaryOperator.and.joining(terms))
      }
      if !isGroup { try join.renderJoins(into: &renderer) }
    }
  }

  /// Appends ` ORDER BY …`: the order of the first table, followed by those of the others.
  func renderOrdering(into renderer: inout SQLRenderer) throws {
    var isFirst = true
    try renderOrdering(isInverse: false, isFirst: &isFirst, into: &renderer)
  }

  private func renderOrdering(
    isInverse: Bool, isFirst: inout Bool, into renderer: inout SQLRenderer
  ) throws {
    let terms = try relation.ordering.resolved(
      renderer.database, table: table.tableName, isInverse: isInverse)
    if !terms.isEmpty {
      renderer.append(isFirst ? " ORDER BY " : ", ")
      isFirst = false
      try renderer.withColumns(of: table) { try $0.append(terms) }
    }
    for join in joins {
      try join.renderOrdering(
        isInverse: relation.ordering.isReversed != isInverse, isFirst: &isFirst, into: &renderer)
    }
  }
}

extension SQLExpression {
  /// Returns the expression with deferred parts resolved, so that its terms can be separated.
  fileprivate func resolved(_ db: Database) throws -> SQLExpression {
    switch expressionNode {
    case .deferred(let make): try make(db).resolved(db)
    case .chain(.and, let terms):
      AssociativeBinaryOperator.and.joining(try terms.map { try $0.resolved(db) })
    default: self
    }
  }
}
