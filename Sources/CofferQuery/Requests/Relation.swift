import CofferCore

/// What a request asks for: a `SELECT` in parts.
///
/// Columns in its parts belong to its own table: they get that table's name when
/// the relation is rendered, and only where they need it.
package struct Relation: Sendable {
  package var source: Source
  /// The aliases that stand for the table; one with a name gives it to the table.
  package var aliases: [TableAliasBase] = []
  package var selection: [Deferred<[SQLSelection]>]
  var isDistinct = false
  package var filter: SQLExpression?
  package var ordering = RelationOrdering()
  package var grouping: [Deferred<[SQLExpression]>] = []
  package var having: SQLExpression?
  package var limit: Limit?
  var tableExpressions: [TableExpression] = []
  /// What is joined or fetched along, in the order in which it was asked for.
  package var children: [RelationChild] = []
  /// The key of two associations that can't be one; nil for none.
  var conflict: String?

  /// Where rows come from.
  package enum Source: Sendable {
    /// A table, a view or a common table expression.
    case table(String)
    /// Queries with `UNION` and the like between them.
    case compound(SQLSubquery, [CompoundPart])
  }

  /// A query after the first one, with the operator before it.
  package struct CompoundPart: Sendable {
    let symbol: CompoundOperator
    let query: SQLSubquery
  }

  /// `LIMIT count OFFSET offset`
  package struct Limit: Sendable {
    package var count: Int
    package var offset: Int?

    var sql: String {
      offset.map { " LIMIT \(count) OFFSET \($0)" } ?? " LIMIT \(count)"
    }
  }

  package init(source: Source, selection: [SQLSelection]) {
    self.source = source
    self.selection = [.value(selection)]
  }

  package init(table: String, selection: [any SQLSelectable] = [AllColumns()]) {
    self.init(source: .table(table), selection: selection.map(\.sqlSelection))
  }

  /// The table's name; empty for queries.
  package var tableName: String {
    if case .table(let name) = source { name } else { "" }
  }

  // MARK: Parts

  /// The relation without the rows that don't fulfil the condition.
  func filtered(_ condition: SQLExpression) -> Relation {
    var result = self
    result.addFilter(condition)
    return result
  }

  /// Leaves out the rows that don't fulfil the condition.
  package mutating func addFilter(_ condition: SQLExpression) {
    filter = filter.map { $0 && condition } ?? condition
  }

  /// Leaves out the groups that don't fulfil the condition.
  package mutating func addHaving(_ condition: SQLExpression) {
    having = having.map { $0 && condition } ?? condition
  }

  /// Adds a common table expression, in the place of one of the same name.
  mutating func add(_ expression: TableExpression) {
    tableExpressions.removeAll { $0.name == expression.name }
    tableExpressions.append(expression)
  }

  /// The selection.
  func selection(_ db: Database) throws -> [SQLSelection] {
    if selection.count == 1, case .value(let selection) = selection[0] { return selection }
    return try selection.flatMap { try $0.resolve(db) }
  }
}

/// `UNION` and the like.
enum CompoundOperator: String, Sendable {
  case union = " UNION "
  case unionAll = " UNION ALL "
  case intersect = " INTERSECT "
  case except = " EXCEPT "
}

/// A value that may need a database to be known.
package enum Deferred<Value: Sendable>: Sendable {
  case value(Value)
  case made(@Sendable (Database) throws -> Value)

  func resolve(_ db: Database) throws -> Value {
    switch self {
    case .value(let value): value
    case .made(let make): try make(db)
    }
  }
}

/// `ORDER BY …`, maybe the other way round.
package struct RelationOrdering: Sendable {
  package var terms: [Deferred<[SQLOrdering]>] = []
  var isReversed = false
  /// Whether the primary key comes last, so that no two rows are equal.
  package var isStable = false

  package init() {}

  /// Whether there is nothing to order by, and nothing to reverse.
  var isEmpty: Bool { terms.isEmpty && !isReversed && !isStable }

  package init(_ terms: [SQLOrdering]) { self.terms = [.value(terms)] }

  package init(_ make: @escaping @Sendable (Database) throws -> [SQLOrdering]) {
    terms = [.made(make)]
  }

  /// The terms of the order, of rows of a table.
  ///
  /// - Parameter isInverse: Whether what is around is reversed.
  func resolved(
    _ db: Database, table: String, isInverse: Bool = false
  ) throws -> [SQLOrdering] {
    guard !terms.isEmpty || isStable else { return [] }
    var result = try terms.flatMap { try $0.resolve(db) }
    if isStable { result += try db.stableOrdering(of: table) }
    return isReversed != isInverse ? result.map(\.reversed) : result
  }
}

extension SQLOrdering {
  /// The same order from the other end.
  var reversed: SQLOrdering {
    let direction: Direction = direction == .descending ? .ascending : .descending
    return SQLOrdering(expression, direction, nulls: nulls.map { $0 == .first ? .last : .first })
  }
}
