import CofferCore

extension ExpressionNode: SQLNode {
  /// Appends the SQL of the expression.
  package func render(into renderer: inout SQLRenderer) throws {
    switch self {
    case .column(let name): renderer.append(column: name)
    case .detached(let name): renderer.append(identifier: name)
    case .aliased(let expression, let alias):
      try renderer.withColumns(of: alias) { try $0.append(expression) }
    case .key(let keys, let table):
      let column = SQLExpression(.column(try renderer.database.keyColumn(ofTable: table)))
      try keys.render(containing: column, isNegated: false, into: &renderer)
    case .prefix(let symbol, let operand):
      renderer.append(symbol)
      try renderer.append(operand: operand)
    case .not(let operand):
      renderer.append("NOT ")
      try renderer.append(operand: operand)
    case .binary(let symbol, let lhs, let rhs):
      try renderer.append(operand: lhs)
      renderer.append(symbol)
      try renderer.append(operand: rhs)
    case .chain(let symbol, let operands): try symbol.render(operands, into: &renderer)
    case .comparison(let comparison, let lhs, let rhs):
      try comparison.render(lhs, rhs, into: &renderer)
    case .between(let value, let lower, let upper, let isNegated):
      try renderer.append(operand: value)
      renderer.append(isNegated ? " NOT BETWEEN " : " BETWEEN ")
      try renderer.append(operand: lower)
      renderer.append(" AND ")
      try renderer.append(operand: upper)
    case .membership(let value, let collection, let isNegated):
      try collection.render(containing: value, isNegated: isNegated, into: &renderer)
    case .match(let symbol, let value, let pattern, let escape, let isNegated):
      try renderer.append(operand: value)
      renderer.append(isNegated ? " NOT \(symbol.rawValue) " : " \(symbol.rawValue) ")
      try renderer.append(operand: pattern)
      guard let escape else { return }
      renderer.append(" ESCAPE ")
      try renderer.append(operand: escape)
    default: try renderCall(into: &renderer)
    }
  }

  /// Appends the SQL of nodes with the syntax of function calls.
  private func renderCall(into renderer: inout SQLRenderer) throws {
    switch self {
    case .exists(let query, let isNegated):
      renderer.append(isNegated ? "NOT EXISTS (" : "EXISTS (")
      // Older SQLite versions ignore LIMIT in the query of EXISTS, even LIMIT 0.
      var isEmpty = false
      if case .node(let node) = query.content, let relation = node.cast(to: Relation.self) {
        isEmpty = relation.limit?.count == 0
      }
      if isEmpty { renderer.append("SELECT * FROM (") }
      try renderer.append(query)
      renderer.append(isEmpty ? "))" : ")")
    case .collated(let expression, let collation):
      try renderer.append(expression)
      renderer.append(" COLLATE ")
      renderer.append(collation.sqlWord)
    case .function(let name, let arguments):
      renderer.append(name.sqlWord)
      renderer.append("(")
      try renderer.append(list: arguments)
      renderer.append(")")
    case .aggregate(let aggregate): try aggregate.render(into: &renderer)
    case .cast(let expression, let type):
      renderer.append("CAST(")
      try renderer.append(expression)
      renderer.append(" AS \(try type.sqlType))")
    case .conditional(let subject, let branches, let otherwise):
      try renderer.append(case: subject, branches, otherwise)
    case .tuple(let elements):
      renderer.append("(")
      try renderer.append(list: elements)
      renderer.append(")")
    case .deferred(let make): try renderer.append(make(renderer.database))
    case .requiring(let expression, let check):
      try check(.linked)
      try renderer.append(expression)
    default: break
    }
  }

  /// Whether the SQL can be an operand without parentheses.
  fileprivate var isOperand: Bool {
    switch self {
    case .column, .detached, .function, .aggregate, .cast, .tuple: true
    case .aliased(let expression, _), .requiring(let expression, _): expression.isOperand
    case .chain(_, let operands): operands.isEmpty
    case .membership(_, .expressions(let elements), _): elements.isEmpty
    default: false
    }
  }
}

extension SQLExpression {
  fileprivate var isOperand: Bool {
    switch content {
    case .value: true
    case .sql: false
    case .node(let node):
      if let node = node.cast(to: ExpressionNode.self) { node.isOperand } else { true }
    }
  }
}

extension SQLRenderer {
  /// Appends an expression as an operand, in parentheses if needed.
  mutating func append(operand expression: SQLExpression) throws {
    if case .node(let node) = expression.content,
      case .deferred(let make)? = node.cast(to: ExpressionNode.self)
    {
      return try append(operand: make(database))
    }
    guard !expression.isOperand else { return try append(expression) }
    append("(")
    try append(expression)
    append(")")
  }

  /// Appends expressions, separated by commas.
  mutating func append(list expressions: [SQLExpression]) throws {
    for (index, expression) in expressions.enumerated() {
      if index > 0 { append(", ") }
      try append(expression)
    }
  }

  fileprivate mutating func append(
    case subject: SQLExpression?, _ branches: [CaseBranch], _ otherwise: SQLExpression?
  ) throws {
    append("CASE")
    if let subject {
      append(" ")
      try append(operand: subject)
    }
    for branch in branches {
      append(" WHEN ")
      try append(branch.condition)
      append(" THEN ")
      try append(branch.result)
    }
    if let otherwise {
      append(" ELSE ")
      try append(otherwise)
    }
    append(" END")
  }
}

extension SQLExpression.AssociativeBinaryOperator {
  /// SQLite allows expressions of a depth of 1,000, and a chain is as deep as it is long: longer
  /// ones are halved in parentheses.
  private static let maximumLength = 400

  fileprivate func render(
    _ operands: [SQLExpression], into renderer: inout SQLRenderer
  ) throws {
    guard operands.count != 1 else { return try renderer.append(operands[0]) }
    guard !operands.isEmpty else { return renderer.append(emptySQL) }
    if isExact, operands.count > Self.maximumLength {
      let middle = operands.count / 2
      renderer.append("(")
      try render(Array(operands[..<middle]), into: &renderer)
      renderer.append(")\(sql)(")
      try render(Array(operands[middle...]), into: &renderer)
      return renderer.append(")")
    }
    for (index, operand) in operands.enumerated() {
      if index > 0 { renderer.append(sql) }
      try renderer.append(operand: operand)
    }
  }
}

extension Comparison {
  fileprivate func render(
    _ lhs: SQLExpression, _ rhs: SQLExpression, into renderer: inout SQLRenderer
  ) throws {
    if let former = rhs.value?.formerDate {
      return try render(lhs, rhs, or: SQLExpression(former), into: &renderer)
    }
    if let former = lhs.value?.formerDate {
      return try render(rhs, lhs, or: SQLExpression(former), into: &renderer)
    }
    try renderOne(lhs, rhs, into: &renderer)
  }

  /// Appends the comparison with a value that can be stored in two forms.
  private func render(
    _ lhs: SQLExpression, _ rhs: SQLExpression, or former: SQLExpression,
    into renderer: inout SQLRenderer
  ) throws {
    renderer.append("(")
    try renderOne(lhs, former, into: &renderer)
    renderer.append(self == .equal || self == .is ? " OR " : " AND ")
    try renderOne(lhs, rhs, into: &renderer)
    renderer.append(")")
  }

  private func renderOne(
    _ lhs: SQLExpression, _ rhs: SQLExpression, into renderer: inout SQLRenderer
  ) throws {
    let (left, right) = lhs.isNull && !rhs.isNull ? (rhs, lhs) : (lhs, rhs)
    try renderer.append(operand: left)
    guard right.isNull else {
      renderer.append(sql(comparingToNull: false))
      return try renderer.append(operand: right)
    }
    renderer.append(sql(comparingToNull: true))
    renderer.append("NULL")
  }
}

extension SQLCollection {
  fileprivate func render(
    containing value: SQLExpression, isNegated: Bool, into renderer: inout SQLRenderer
  ) throws {
    if case .expressions(let elements) = self {
      // Membership in an empty list is false, even for NULL.
      guard !elements.isEmpty else { return renderer.append(isNegated ? "1" : "0") }
      if elements.count == 1, !elements[0].isNull {
        let comparison = isNegated ? Comparison.notEqual : .equal
        return try renderer.append(
          liftingCollation(value, elements[0]) { SQLExpression(.comparison(comparison, $0, $1)) })
      }
    }
    try renderer.append(operand: value)
    renderer.append(isNegated ? " NOT IN " : " IN ")
    switch self {
    case .expressions(let elements):
      renderer.append("(")
      try renderer.append(list: elements)
      renderer.append(")")
    case .array(let array): renderer.append(array, separator: ", ")
    case .query(let query):
      renderer.append("(")
      try renderer.append(query)
      renderer.append(")")
    case .table(let name): renderer.append(identifier: name)
    }
  }
}

extension Aggregate {
  fileprivate func render(into renderer: inout SQLRenderer) throws {
    try requireFeatures()
    renderer.append(name.sqlWord)
    renderer.append(isDistinct ? "(DISTINCT " : "(")
    if arguments.isEmpty, !isWindowOnly { renderer.append("*") }
    try renderer.append(list: arguments)
    if !ordering.isEmpty {
      renderer.append(" ORDER BY ")
      try renderer.append(ordering)
    }
    renderer.append(")")
    if let filter {
      renderer.append(" FILTER (WHERE ")
      try renderer.append(filter)
      renderer.append(")")
    }
    if let window {
      renderer.append(" OVER ")
      try window.render(into: &renderer)
    }
  }

  private func requireFeatures() throws {
    let features = SQLiteFeatures.linked
    if window != nil || isWindowOnly {
      try features.require(features.hasWindowFunctions, "A window function", "3.25.0")
    }
    if filter != nil {
      try features.require(
        features.hasAggregateFilter, "FILTER of an aggregate function", "3.30.0")
    }
    if !ordering.isEmpty {
      try features.require(
        features.hasAggregateOrdering, "ORDER BY in an aggregate function", "3.44.0")
    }
  }
}

extension SQLRenderer {
  /// Appends ordering terms, separated by commas.
  mutating func append(_ orderings: [SQLOrdering]) throws {
    for (index, ordering) in orderings.enumerated() {
      if index > 0 { append(", ") }
      if ordering.nulls != nil {
        let features = SQLiteFeatures.linked
        try features.require(features.hasNullsOrdering, "NULLS FIRST and NULLS LAST", "3.30.0")
      }
      try append(ordering.expression)
      append(ordering.suffix)
    }
  }
}
