import CofferCore

/// The parts of a `SELECT` query that a request consists of.
///
/// Columns in the parts belong to the relation's table. Rendering qualifies them by the table's
/// name where necessary.
package struct Relation: Sendable {
  package var source: Source
  /// The aliases of the table; one with a name renames it.
  var aliases: [any TableAliasBase] = []
  package var selection: [Deferred<[SQLSelection]>]
  var isDistinct = false
  package var filter: SQLExpression?
  package var ordering = RelationOrdering()
  package var grouping: [Deferred<[SQLExpression]>] = []
  package var having: SQLExpression?
  /// The associations' rows of which the relation has aggregates, until it is planned.
  var aggregated: [AggregatedRows] = []
  /// Whether each row of the table is a group, without another grouping.
  var isGroupedByRow = false
  /// What identifies the parents of prefetched rows, which no group may merge.
  var parentKey: [SQLExpression] = []
  package var limit: Limit?
  var tableExpressions: [TableExpression] = []
  /// The joined and the prefetched associations, in the order in which they were added.
  package var children: [RelationChild] = []
  /// The parts of a compound query with associations, whose scopes and associated rows its rows
  /// have.
  var parts: [Relation] = []
  /// The key of two associations that can't be merged; nil if there is none.
  var conflict: String?

  /// The source of the rows.
  package enum Source: Sendable {
    /// A table, a view or a common table expression.
    case table(String)
    /// A compound query, such as a `UNION`.
    case compound(SQLSubquery, [CompoundPart])
  }

  /// A part of a compound query after the first, with its operator.
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

  // One array for all requests that select all columns.
  private static let allColumns = [Deferred.value([AllColumns().sqlSelection])]

  package init(table: String, selection: [any SQLSelectable] = [AllColumns()]) {
    source = .table(table)
    self.selection =
      unsafe selection.isSelection(AllColumns.selection)
      ? Relation.allColumns : [.value(selection.map(\.sqlSelection))]
  }

  /// The table's name; empty for compound queries.
  package var tableName: String {
    if case .table(let name) = source { name } else { "" }
  }

  // MARK: Parts

  /// Returns the relation with an additional condition.
  func filtered(_ condition: SQLExpression) -> Relation {
    var result = self
    result.addFilter(condition)
    return result
  }

  /// Adds a condition.
  package mutating func addFilter(_ condition: SQLExpression) {
    filter = filter.map { $0 && condition } ?? condition
  }

  /// Adds a condition on groups.
  package mutating func addHaving(_ condition: SQLExpression) {
    having = having.map { $0 && condition } ?? condition
  }

  /// Adds a common table expression, replacing one with the same name.
  mutating func add(_ expression: TableExpression) {
    tableExpressions.removeAll { $0.name == expression.name }
    tableExpressions.append(expression)
  }

  /// Returns the selection.
  func selection(_ db: Database) throws -> [SQLSelection] {
    if selection.count == 1, case .value(let selection) = selection[0] { return selection }
    return try selection.flatMap { try $0.resolve(db) }
  }
}

/// An operator of compound queries.
enum CompoundOperator: String, Sendable {
  case union = " UNION "
  case unionAll = " UNION ALL "
  case intersect = " INTERSECT "
  case except = " EXCEPT "
}

/// A value that may depend on the database.
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

/// An `ORDER BY` clause, possibly reversed.
package struct RelationOrdering: Sendable {
  package var terms: [Deferred<[SQLOrdering]>] = []
  var isReversed = false
  /// Whether the primary key is appended, so that the ordering is unique.
  package var isStable = false

  package init() {}

  /// Whether there is no ordering.
  var isEmpty: Bool { terms.isEmpty && !isReversed && !isStable }

  package init(_ terms: [SQLOrdering]) { self.terms = [.value(terms)] }

  package init(_ make: @escaping @Sendable (Database) throws -> [SQLOrdering]) {
    terms = [.made(make)]
  }

  /// Returns the terms of the ordering for rows of a table.
  ///
  /// - Parameter isInverse: Whether an outer ordering is reversed.
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
  /// The reversed ordering.
  var reversed: SQLOrdering {
    let direction: Direction = direction == .descending ? .ascending : .descending
    return SQLOrdering(expression, direction, nulls: nulls.map { $0 == .first ? .last : .first })
  }
}
