import CofferCore

extension Relation {
  /// Appends the query that counts the rows.
  func renderCount(into renderer: inout SQLRenderer) throws {
    try planned(renderer.database).renderPlannedCount(into: &renderer)
  }

  private func renderPlannedCount(into renderer: inout SQLRenderer) throws {
    let selection = try selection(renderer.database)
    if let counted = try countedExpression(selection, renderer.database) {
      var counting = self
      counting.isDistinct = false
      counting.ordering = RelationOrdering()
      return try counting.render(into: &renderer) { renderer, _ in try renderer.append(counted) }
    }
    renderer.append("SELECT COUNT(*) FROM (")
    var counted = self
    if limit == nil, try isOrderedRowByRow(renderer.database) {
      counted.ordering = RelationOrdering()
    }
    try counted.render(into: &renderer)
    renderer.append(")")
  }

  /// Returns the expression that counts the rows in the relation's own query.
  ///
  /// Nil if the query must be a subquery.
  private func countedExpression(
    _ selection: [SQLSelection], _ db: Database
  ) throws -> SQLExpression? {
    guard limit == nil, grouping.isEmpty, having == nil, case .table(let table) = source else {
      return nil
    }
    guard try isOrderedRowByRow(db) else { return nil }
    if isDistinct {
      // SQLite's function wouldn't count NULL.
      guard !hasJoins, selection.count == 1,
        case .expression(let expression, _) = selection[0].content,
        try isNeverNull(expression, in: table, db), filter?.mayUseSelectedNames != true
      else { return nil }
      return count(distinct: expression)
    }
    for part in selection {
      switch part.content {
      case .expression(let expression, let name):
        // The filter may refer to the name.
        if try !expression.isOnePerRow(db) || (name != nil && filter?.mayUseSelectedNames == true) {
          return nil
        }
      // The SQL may be an aggregate.
      case .sql: return nil
      case .node: break
      }
    }
    return SQLExpression(.aggregate(Aggregate("COUNT", [])))
  }

  /// Returns whether no term of the order can be an aggregate, which would leave one row.
  private func isOrderedRowByRow(_ db: Database) throws -> Bool {
    try ordering.terms.allSatisfy { terms in
      try terms.resolve(db).allSatisfy { term in
        try term.expression.hasNoCall || term.expression.isOnePerRow(db)
      }
    }
  }

  /// Returns whether the expression is a column of the table that can't be NULL.
  private func isNeverNull(
    _ expression: SQLExpression, in table: String, _ db: Database
  ) throws -> Bool {
    guard let name = expression.columnName(aliases: aliases),
      !tableExpressions.contains(where: { $0.name == table }), try db.tableExists(table)
    else { return false }
    return try db.columns(in: table).contains {
      $0.name.isSameName(as: name) && $0.isNotNull
    }
  }

  // MARK: One row

  /// Returns whether the selection or a unique key limits the query to one row.
  func givesOneRowAtMost(_ db: Database) throws -> Bool {
    guard grouping.isEmpty, !isGroupedByRow, !hasJoins, case .table(let table) = source else {
      return false
    }
    if !tableExpressions.contains(where: { $0.name == table }), let filter {
      if try filter.isOneKey(db) { return true }
      let columns = try filter.identifyingColumns(db, aliases: aliases)
      if !columns.isEmpty, try db.hasUniqueKey(in: columns, ofTable: table) { return true }
    }
    let selection = try selection(db)
    return !selection.isEmpty
      && selection.allSatisfy { part in
        if case .expression(let expression, _) = part.content {
          expression.isAggregate
        } else {
          false
        }
      }
  }
}

extension SQLExpression {
  /// The direct operands of the expression, except subqueries.
  var operands: [SQLExpression] {
    switch expressionNode {
    case .aliased(let operand, _), .prefix(_, let operand), .not(let operand),
      .collated(let operand, _), .cast(let operand, _), .requiring(let operand, _):
      [operand]
    case .binary(_, let lhs, let rhs), .comparison(_, let lhs, let rhs): [lhs, rhs]
    case .chain(_, let operands), .function(_, let operands), .tuple(let operands): operands
    case .between(let value, let lower, let upper, _): [value, lower, upper]
    case .membership(let value, .expressions(let elements), _): [value] + elements
    case .membership(let value, _, _): [value]
    case .match(_, let value, let pattern, let escape, _):
      [value, pattern] + (escape.map { [$0] } ?? [])
    case .aggregate(let aggregate):
      aggregate.arguments + (aggregate.filter.map { [$0] } ?? [])
    case .conditional(let subject, let branches, let otherwise):
      branches.flatMap { [$0.condition, $0.result] } + [subject, otherwise].compactMap(\.self)
    case .column, .detached, .key, .exists, .deferred, nil: []
    }
  }

  /// Whether the expression reduces the rows of a query without groups to one.
  var isAggregate: Bool {
    if case .aggregate(let aggregate)? = expressionNode, aggregate.window == nil {
      return !aggregate.isWindowOnly
    }
    return operands.contains(where: \.isAggregate)
  }

  /// Returns whether the expression surely has a value for each row.
  ///
  /// A function, or SQL, can be an aggregate.
  fileprivate func isOnePerRow(_ db: Database) throws -> Bool {
    switch content {
    case .value: return true
    case .sql: return false
    case .node:
      switch expressionNode {
      case nil: return false
      case .deferred(let make): return try make(db).isOnePerRow(db)
      case .function(let name, _) where !SQLExpression.scalarFunctions.contains(name): return false
      default: return try !isAggregate && operands.allSatisfy { try $0.isOnePerRow(db) }
      }
    }
  }

  /// Whether it is SQL without a parenthesis, and so without an aggregate.
  fileprivate var hasNoCall: Bool {
    guard case .sql(let sql) = content else { return false }
    return sql.elements.allSatisfy { element in
      switch element {
      case .sql(let text, _): !text.utf8.contains(UInt8(ascii: "("))
      case .argument: true
      default: false
      }
    }
  }

  /// Functions of SQLite that are no aggregates.
  private static let scalarFunctions: Set = ["ABS", "IFNULL", "COALESCE", "LENGTH", "NULLIF"]

  /// Whether the expression may refer to a name that the query gives to a selected expression.
  var mayUseSelectedNames: Bool {
    switch content {
    case .value: return false
    case .sql: return true
    case .node(let node):
      guard let node = node.cast(to: ExpressionNode.self) else { return true }
      switch node {
      case .detached, .deferred, .exists: return true
      case .membership(_, .query, _): return true
      default: return operands.contains(where: \.mayUseSelectedNames)
      }
    }
  }

  /// Returns whether the condition requires one primary key.
  func isOneKey(_ db: Database) throws -> Bool {
    switch expressionNode {
    case .key(.expressions(let keys), _): keys.count == 1
    case .chain(.and, let operands): try operands.contains { try $0.isOneKey(db) }
    case .deferred(let make): try make(db).isOneKey(db)
    default: false
    }
  }

  /// Returns the columns that the condition compares with a single value.
  func identifyingColumns(_ db: Database, aliases: [any TableAliasBase]) throws -> [String] {
    switch expressionNode {
    case .deferred(let make): return try make(db).identifyingColumns(db, aliases: aliases)
    case .chain(.and, let operands):
      return try operands.flatMap { try $0.identifyingColumns(db, aliases: aliases) }
    case .comparison(.equal, let lhs, let rhs), .comparison(.is, let lhs, let rhs):
      if rhs.value != nil, let column = lhs.columnName(aliases: aliases) { return [column] }
      if lhs.value != nil, let column = rhs.columnName(aliases: aliases) { return [column] }
      return []
    case .membership(let value, .expressions(let elements), isNegated: false):
      guard elements.count == 1, elements[0].value != nil else { return [] }
      return value.columnName(aliases: aliases).map { [$0] } ?? []
    default: return []
    }
  }

  /// Returns the column's name if it is a column of the aliased table.
  func columnName(aliases: [any TableAliasBase]) -> String? {
    switch expressionNode {
    case .column(let name): name
    case .aliased(let column, let owner) where aliases.contains { $0 === owner }:
      column.columnName(aliases: aliases)
    default: nil
    }
  }
}
