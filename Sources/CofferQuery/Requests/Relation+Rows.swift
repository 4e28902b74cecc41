import CofferCore

// Determines which rows a request can return according to its condition: observations ignore
// changes of other rows.

extension Relation {
  /// Returns the region of a statement, without the rows excluded by the relation's condition.
  ///
  /// - Parameter isPrefetching: Whether to include the regions of prefetched associations, even if
  ///   no row is prefetched now.
  func region(of statement: Statement, isPrefetching: Bool) throws -> DatabaseRegion {
    let db = statement.database
    var region = statement.fullRegion
    let identity = try rowIdentity(db)
    if let rows = try filter?.rows(identity, db) {
      if rows.isEmpty, try !selectionMayRead(nil, db) { return DatabaseRegion() }
      if let identity, try !partsMayRead(identity.table, db) {
        region.formIntersection(rows: rows, ofTable: identity.table)
      }
    }
    guard isPrefetching else { return region }
    for prefetch in prefetches { region.formUnion(try prefetch.databaseRegion(db)) }
    return region
  }

  /// Returns the expressions that identify the rows of the table.
  ///
  /// Nil if they are unknown, or if the table's name can refer to something else in the query.
  private func rowIdentity(_ db: Database) throws -> RowIdentity? {
    guard case .table(let table) = source, tableExpressions.isEmpty, filter != nil,
      let key = try db.primaryKeyIfAny(table), let rowIDName = key.rowIDName,
      try db.tableExists(table)
    else { return nil }
    let columns = try db.columnNames(in: table)
    let names = ["rowid", "_rowid_", "oid"].filter { name in
      !columns.contains { $0.isSameName(as: name) }
    }
    return RowIdentity(
      table: table, isKey: key.isRowID, names: Set((names + [rowIDName]).map { SQLName($0) }),
      aliases: aliases)
  }

  /// Returns whether parts of the query other than its source may read a table; nil for any table.
  func partsMayRead(_ table: String?, _ db: Database) throws -> Bool {
    try filter?.mayRead(table, db) == true
      || selectionMayRead(table, db)
      || grouping.contains { try $0.resolve(db).contains { try $0.mayRead(table, db) } }
      || ordering.terms.contains {
        try $0.resolve(db).contains { try $0.expression.mayRead(table, db) }
      }
      || children.contains { child in
        try child.condition.mayRead(table, db) || child.relation.mayRead(table, db)
      }
  }

  /// Returns whether the condition or the selection may read any table, as subqueries do.
  func mayReadTables(_ db: Database) throws -> Bool {
    try filter?.mayRead(nil, db) == true || selectionMayRead(nil, db)
  }

  /// Returns whether the selection or the condition on groups may read a table; nil for any table.
  ///
  /// They also apply to a row of aggregates over no rows.
  private func selectionMayRead(_ table: String?, _ db: Database) throws -> Bool {
    try having?.mayRead(table, db) == true
      || selection.contains { try $0.resolve(db).contains { try $0.mayRead(table, db) } }
      || children.contains { try $0.relation.selectionMayRead(table, db) }
  }

  /// Returns whether a query of the relation may read a table; true for a query of a view.
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    guard let table, case .table(let name) = source, !name.isSameName(as: table),
      tableExpressions.isEmpty,
      try db.tableExists(name)
    else { return true }
    return try partsMayRead(table, db)
  }
}

/// The expressions that identify the rowids of a table in a condition.
private struct RowIdentity {
  let table: String
  /// Whether the primary key is the rowid.
  let isKey: Bool
  let names: Set<SQLName>
  let aliases: [any TableAliasBase]
}

extension SQLExpression {
  /// Returns the rowids of rows that can satisfy the condition; nil if they are unknown.
  ///
  /// The set is empty if the condition is never true, for any table.
  fileprivate func rows(_ identity: RowIdentity?, _ db: Database) throws -> Set<Int64>? {
    if let value { return value.isFalse ? [] : nil }
    switch expressionNode {
    case .deferred(let make): return try make(db).rows(identity, db)
    case .requiring(let condition, _): return try condition.rows(identity, db)
    case .aliased(let condition, let owner):
      let isOwn = identity?.aliases.contains { $0 === owner } == true
      return try condition.rows(isOwn ? identity : nil, db)
    case .chain(.and, let operands):
      let known = try operands.compactMap { try $0.rows(identity, db) }
      return known.dropFirst().reduce(known.first) { $0?.intersection($1) }
    case .chain(.or, let operands) where !operands.isEmpty:
      return try operands.reduce([]) { rows, operand in
        guard let rows, let others = try operand.rows(identity, db) else { return nil }
        return rows.union(others)
      }
    case .comparison(.equal, let lhs, let rhs), .comparison(.is, let lhs, let rhs):
      if let value = rhs.value, lhs.isRowID(identity) { return [value].rowIDs }
      if let value = lhs.value, rhs.isRowID(identity) { return [value].rowIDs }
      return nil
    case .membership(let value, let collection, isNegated: false):
      guard let values = collection.values else { return nil }
      return values.isEmpty || value.isRowID(identity) ? values.rowIDs : nil
    case .key(let keys, let table):
      guard let values = keys.values else { return nil }
      if values.isEmpty { return [] }
      guard let identity, identity.isKey, table.isSameName(as: identity.table) else { return nil }
      return values.rowIDs
    default: return nil
    }
  }

  private func isRowID(_ identity: RowIdentity?) -> Bool {
    guard let identity else { return false }
    return columnName(aliases: identity.aliases).map { identity.names.contains(SQLName($0)) }
      ?? false
  }

  /// Returns whether the expression may read a table by itself; true if it is unknown.
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch content {
    case .value: return false
    case .sql(let sql): return try sql.mayRead(table, db)
    case .node(let node): return try node.mayRead(table, db)
    }
  }
}

extension SQLCollection {
  /// The values, if the collection has only values.
  fileprivate var values: [DatabaseValue]? {
    switch self {
    case .expressions(let elements):
      let values = elements.compactMap(\.value)
      return values.count == elements.count ? values : nil
    case .array(let array): return Array(array.storage.values)
    case .query, .table: return nil
    }
  }

  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch self {
    case .expressions(let elements): try elements.contains { try $0.mayRead(table, db) }
    case .array: false
    case .query(let query): try query.mayRead(table, db)
    case .table: true
    }
  }
}

extension DatabaseValue {
  /// Whether the value is never true as a condition.
  fileprivate var isFalse: Bool {
    switch storage {
    case .null, .int64(0): true
    case .double(let number): number == 0
    case .int64, .string, .blob: false
    }
  }
}

extension [DatabaseValue] {
  /// The rowids that equal one of the values; nil if SQLite would convert a value.
  fileprivate var rowIDs: Set<Int64>? {
    var result: Set<Int64> = []
    for value in self {
      switch value.storage {
      case .null: continue
      case .int64(let rowID): result.insert(rowID)
      case .double(let number):
        if let rowID = Int64(exactly: number) { result.insert(rowID) }
      case .string, .blob: return nil
      }
    }
    return result
  }
}

// MARK: - Other reads

extension SQLNodeObject {
  /// Returns whether the fragment may read a table; true if it is unknown.
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    if let node = cast(to: ExpressionNode.self) { return try node.mayRead(table, db) }
    if let relation = cast(to: Relation.self) { return try relation.mayRead(table, db) }
    if let query = cast(to: ParenthesizedQuery.self) { return try query.query.mayRead(table, db) }
    if let aliased = cast(to: AliasedSelection.self) {
      return try aliased.selection.mayRead(table, db)
    }
    return !isOwnColumns
  }
}

extension ExpressionNode {
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch self {
    case .exists(let query, _): return try query.mayRead(table, db)
    case .deferred(let make): return try make(db).mayRead(table, db)
    case .key(let keys, _): return try keys.mayRead(table, db)
    case .membership(let value, let collection, _):
      return try value.mayRead(table, db) || collection.mayRead(table, db)
    case .aggregate(let aggregate) where aggregate.window != nil || !aggregate.ordering.isEmpty:
      return true
    default: return try SQLExpression(self).operands.contains { try $0.mayRead(table, db) }
    }
  }
}

extension SQLSelection {
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch content {
    case .expression(let expression, _): try expression.mayRead(table, db)
    case .sql(let sql): try sql.mayRead(table, db)
    case .node(let node): try node.mayRead(table, db)
    }
  }
}

extension SQLSubquery {
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch content {
    case .sql: true
    case .node(let node): try node.mayRead(table, db)
    }
  }
}

extension JoinCondition {
  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    switch self {
    case .foreignKey, .none: false
    case .first(_, let relation, _): try relation.mayRead(table, db)
    case .expression(let expression): try expression.condition.expression.mayRead(table, db)
    }
  }
}

extension SQL {
  /// Returns whether the SQL may read a table, or close an enclosing part of the query.
  package func mayReadTables(_ db: Database) throws -> Bool { try mayRead(nil, db) }

  fileprivate func mayRead(_ table: String?, _ db: Database) throws -> Bool {
    try elements.contains { element in
      switch element {
      case .sql(let text, _): text.mayReadTables
      case .argument, .list: false
      case .node(let node): try node.mayRead(table, db)
      }
    }
  }
}

/// Keywords that precede a table or a query.
private let readingWords: Set<SQLName> = [
  SQLName("SELECT"), SQLName("FROM"), SQLName("JOIN"), SQLName("UNION"),
]

extension String {
  /// Whether the SQL may name a table, or close an enclosing part of the query.
  fileprivate var mayReadTables: Bool {
    var text = self
    return text.withUTF8 { utf8 in
      var depth = 0
      // Only without a parenthesis, the name of a table follows it.
      var followsIN = false
      for token in SQLTokenizer(utf8) {
        if followsIN, token.isSignificant {
          if token.kind != .leftParenthesis { return true }
          followsIN = false
        }
        switch token.kind {
        case .leftParenthesis: depth += 1
        case .rightParenthesis: depth -= 1
        case .comment, .semicolon, .illegal: return true
        case .word:
          let word = unsafe SQLName(String(decoding: utf8[token.range], as: UTF8.self))
          if readingWords.contains(word) { return true }
          followsIN = word == SQLName("IN")
        default: break
        }
        if depth < 0 { return true }
      }
      return depth != 0 || followsIN
    }
  }
}
