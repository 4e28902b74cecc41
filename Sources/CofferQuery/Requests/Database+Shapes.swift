import CofferCore

extension Database {
  /// Returns the SQL of a query and its arguments, without rendering if the connection has rendered
  /// a query of the same shape.
  ///
  /// - Parameters:
  ///   - describe: Appends everything on which the result of `render` depends, except for the
  ///     schema; it gives up if there is more.
  ///   - render: Renders the query.
  package func sql(
    describedBy describe: (inout QueryShape) -> Void,
    renderedBy render: (inout SQLRenderer) throws -> Void
  ) throws -> (sql: String, arguments: StatementArguments) {
    var shape = queryShapes.makeShape()
    describe(&shape)
    defer { queryShapes.takeBack(shape) }
    if shape.isComplete, let entry = queryShapes.entry(for: shape),
      try entry.schemaCount == 0
        || schemaCache.isCurrent(entry.schemaRevision, schemaCount: entry.schemaCount)
    {
      return (entry.sql, StatementArguments(positional: shape.arguments, named: [:]))
    }
    var renderer = SQLRenderer(self)
    guard shape.isComplete else {
      try render(&renderer)
      return (renderer.sql, renderer.arguments)
    }
    let schemaCount = try schemaCache.dependencies { try render(&renderer) }
    let sql = renderer.sql
    // Both have the same order, or a later fetch would bind values to the wrong parameters.
    let described = StatementArguments(positional: shape.arguments, named: [:])
    if let schemaCount, renderer.arguments == described {
      queryShapes.insert(
        QueryShapes.Entry(
          sql: sql, schemaRevision: schemaCache.revision, schemaCount: schemaCount),
        for: shape)
    }
    return (sql, renderer.arguments)
  }
}

extension Relation {
  /// A query for a relation.
  enum Query: UInt8 {
    /// All rows, or the first one, with a limit where one is needed.
    case all, first
    case count, existence
  }

  /// Appends the structure of a query for the relation.
  func describe(in shape: inout QueryShape, for query: Query) {
    guard case .table(let name) = source, aliases.isEmpty, tableExpressions.isEmpty,
      children.isEmpty, conflict == nil, !isGroupedByRow
    else { return shape.giveUp() }
    shape.append(.request)
    shape.append(choice: query.rawValue)
    shape.append(isDistinct)
    shape.append(name)
    shape.append(count: selection.count)
    for part in selection {
      guard case .value(let selection) = part else { return shape.giveUp() }
      shape.append(selection)
    }
    shape.append(filter)
    shape.append(count: grouping.count)
    for part in grouping {
      guard case .value(let group) = part else { return shape.giveUp() }
      shape.append(group)
    }
    shape.append(having)
    ordering.describe(in: &shape)
    limit.describe(in: &shape)
  }
}

extension RelationOrdering {
  fileprivate func describe(in shape: inout QueryShape) {
    shape.append(isReversed)
    shape.append(isStable)
    shape.append(count: terms.count)
    for part in terms {
      guard case .value(let orderings) = part else { return shape.giveUp() }
      shape.append(orderings)
    }
  }
}

extension Relation.Limit? {
  /// Appends the numbers, which are a part of the SQL.
  fileprivate func describe(in shape: inout QueryShape) {
    shape.append(self != nil)
    guard let self else { return }
    shape.append(count: self.count)
    shape.append(self.offset != nil)
    if let offset = self.offset { shape.append(count: offset) }
  }
}

extension QueryShape {
  /// Appends ordering terms.
  mutating func append(_ orderings: [SQLOrdering]) {
    append(count: orderings.count)
    for ordering in orderings {
      append(ordering.expression)
      append(ordering.suffix)
    }
  }
}

extension ExpressionNode {
  /// Appends the structure and the arguments, in the order in which they are rendered.
  package func describe(in shape: inout QueryShape) {
    switch self {
    case .column(let name):
      shape.append(.column)
      shape.append(name)
    case .detached(let name):
      shape.append(.detached)
      shape.append(name)
    case .key(let keys, let table):
      shape.append(.key)
      shape.append(table)
      keys.describe(in: &shape)
    case .prefix(let symbol, let operand):
      shape.append(.prefix)
      shape.append(symbol)
      shape.append(operand)
    case .not(let operand):
      shape.append(.not)
      shape.append(operand)
    case .binary(let symbol, let lhs, let rhs):
      shape.append(.binary)
      shape.append(symbol)
      shape.append(lhs)
      shape.append(rhs)
    case .chain(let symbol, let operands):
      shape.append(.chain)
      shape.append(symbol.sql)
      shape.append(operands)
    case .comparison(let comparison, let lhs, let rhs):
      // Rendered as two comparisons.
      if lhs.value?.formerDate != nil || rhs.value?.formerDate != nil { return shape.giveUp() }
      shape.append(.comparison)
      shape.append(choice: comparison.rawValue)
      shape.append(lhs)
      shape.append(rhs)
    case .between(let value, let lower, let upper, let isNegated):
      shape.append(.between)
      shape.append(isNegated)
      shape.append(value)
      shape.append(lower)
      shape.append(upper)
    case .membership(_, .expressions(let elements), let isNegated) where elements.isEmpty:
      // Rendered without the value.
      shape.append(.emptyMembership)
      shape.append(isNegated)
    case .membership(let value, let collection, let isNegated):
      shape.append(.membership)
      shape.append(isNegated)
      shape.append(value)
      collection.describe(in: &shape)
    case .match(let symbol, let value, let pattern, let escape, let isNegated):
      shape.append(.match)
      shape.append(symbol.rawValue)
      shape.append(isNegated)
      shape.append(value)
      shape.append(pattern)
      shape.append(escape)
    default: describeCall(in: &shape)
    }
  }

  /// Appends nodes with the syntax of function calls.
  private func describeCall(in shape: inout QueryShape) {
    switch self {
    case .collated(let expression, let collation):
      shape.append(.collated)
      shape.append(expression)
      shape.append(collation)
    case .function(let name, let arguments):
      shape.append(.function)
      shape.append(name)
      shape.append(arguments)
    case .aggregate(let aggregate): aggregate.describe(in: &shape)
    case .cast(let expression, let type):
      shape.append(.cast)
      shape.append(expression)
      shape.append(type)
    case .conditional(let subject, let branches, let otherwise):
      shape.append(.conditional)
      shape.append(subject)
      shape.append(count: branches.count)
      for branch in branches {
        shape.append(branch.condition)
        shape.append(branch.result)
      }
      shape.append(otherwise)
    case .tuple(let elements):
      shape.append(.tuple)
      shape.append(elements)
    // Closures can give another result each time; aliases and subqueries depend on the names of
    // the tables around them.
    default: shape.giveUp()
    }
  }
}

extension SQLCollection {
  fileprivate func describe(in shape: inout QueryShape) {
    switch self {
    case .expressions(let elements):
      if elements.contains(where: { $0.value?.formerDate != nil }) { return shape.giveUp() }
      shape.append(.expressions)
      shape.append(elements)
    case .array(let array):
      shape.append(.array)
      if array.count > SQLRenderer.longestWrittenList {
        shape.append(count: SQLRenderer.longestWrittenList + 1)
        shape.append(argument: array)
      } else {
        shape.append(writtenOut: array)
      }
    case .table(let name):
      shape.append(.table)
      shape.append(name)
    case .query: shape.giveUp()
    }
  }
}

extension Aggregate {
  fileprivate func describe(in shape: inout QueryShape) {
    guard window == nil, !isWindowOnly else { return shape.giveUp() }
    shape.append(.aggregate)
    shape.append(name)
    shape.append(isDistinct)
    shape.append(arguments)
    shape.append(ordering)
    shape.append(filter)
  }
}
