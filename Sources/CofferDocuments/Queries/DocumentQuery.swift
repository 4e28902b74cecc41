import CofferCore

/// The parts of a query, in SQL without the table.
struct DocumentQuery: Sendable {
  /// The assignment of an update.
  private struct Assignment {
    /// The assigned column; nil if it isn't known.
    let column: String?
    /// The new value of a known column; the whole assignment if the column isn't known.
    let sql: SQL
  }

  /// The identifier of the only document of the query.
  private(set) var id: DatabaseValue?
  private(set) var conditions: [SQL] = []
  private(set) var orders: [SQL] = []
  /// The orders by properties among ``orders``.
  private(set) var orderKeys: [DocumentOrderKey] = []
  private var assignments: [Assignment] = []
  /// The last search, or the one by whose relevance the query is ordered.
  private var search: FullTextSearch?
  /// Whether a search had no words.
  private var findsNothing = false
  var limit: Int?
  var offset: Int?
  /// Whether the query includes expired documents.
  var includesExpired = false
  /// The collations to register with a connection.
  private(set) var collations: [Collation] = []
  /// The first error of the query.
  private(set) var failure: (any Error)?

  /// Whether the query has only an identifier.
  var isLookup: Bool {
    id != nil && conditions.isEmpty && limit == nil && offset == nil && failure == nil
  }

  mutating func fail(_ error: any Error) { if failure == nil { failure = error } }

  // MARK: Adding

  /// Adds the condition that the identifier has a value.
  mutating func lookUp(_ id: DatabaseValue, in column: DocumentColumn) {
    guard self.id == nil, !id.isNull, column.path.isEmpty, column.collation == nil else {
      return add(
        condition: SQLFragment<NoProperties>([.column(column), .text(" IS "), .value(id)]), nil)
    }
    self.id = id
  }

  mutating func add<Row>(condition: SQLFragment<Row>, _ collation: Collation?) {
    render(condition, collation) { $0.conditions.append($1) }
  }

  /// Adds the condition that a column compares in a way with each of some values, or is in them.
  ///
  /// - Parameters:
  ///   - symbol: The operator, surrounded by spaces.
  ///   - isMembership: Whether the column equals one of the values, of which none is NULL.
  mutating func add(
    comparison symbol: String, of column: DocumentColumn, with values: [DatabaseValue],
    isMembership: Bool, _ collation: Collation?
  ) {
    let collation = collation ?? column.comparing
    let left = column.expression(collation: collation)
    var elements: [SQL.Element] = []
    for value in values {
      let joiner =
        elements.isEmpty
        ? left + (isMembership ? " IN (" : symbol) : isMembership ? ", " : " AND " + left + symbol
      elements += [.text(joiner), .argument(StatementArgument(value))]
    }
    if isMembership { elements.append(.text(")")) }
    if let collation, !collation.isStandard { collations.append(collation) }
    conditions.append(SQL(elements: elements))
  }

  /// - Parameter pattern: The pattern to match; nil if nothing can match.
  mutating func search(
    _ index: FullTextIndex, _ pattern: String?, in column: String?, of table: DocumentTable
  ) {
    guard let pattern else {
      findsNothing = true
      return conditions.append(SQL(sql: "0"))
    }
    let search = FullTextSearch(index: index, pattern: pattern, column: column)
    conditions.append(search.condition(table))
    // An order by relevance refers to the search that was the last one when it was added.
    if self.search?.isOrder != true { self.search = search }
  }

  mutating func orderByRelevance() throws {
    // A search without words has no results to order.
    guard search != nil || findsNothing else {
      throw DocumentError(
        "there is no search by whose relevance to order", hint: "Call matching(_:) first.")
    }
    guard search != nil else { return }
    search?.isOrder = true
    orders.append(SQL(sql: FullTextSearch.rankColumn))
  }

  mutating func add(condition: SQLExpression) { conditions.append(condition.sql) }

  /// Returns the query with one more order.
  func adding(order: String) -> DocumentQuery {
    var copy = self
    copy.orders.append(SQL(sql: order))
    return copy
  }

  /// Whether all orders are orders by properties.
  var isOrderedByProperties: Bool {
    orders.count == orderKeys.reduce(0) { $0 + ($1.suffix.isEmulated ? 2 : 1) }
  }

  /// Returns the query with one more condition.
  func adding(_ condition: SQL) -> DocumentQuery {
    var copy = self
    // In parentheses even if it is the only one.
    copy.conditions.append("(\(condition))")
    return copy
  }

  mutating func add<Row>(
    order: SQLFragment<Row>, _ collation: Collation?, suffix: OrderSuffix = .none
  ) {
    if order.parts.count == 1, case .column(let column) = order.parts[0] {
      orderKeys.append(
        DocumentOrderKey(
          sql: column.expression(collation: collation ?? column.comparing), suffix: suffix))
    }
    render(order, collation) { query, sql in
      if suffix.isEmulated {
        let isNull = suffix.hasNullsFirst == true ? "IS NOT NULL" : "IS NULL"
        query.orders.append("(\(sql)) \(sql: isNull)")
      }
      query.orders.append("\(sql)\(sql: suffix.sql)")
    }
  }

  mutating func add(order: SQLOrdering) { orders.append(order.sql) }

  /// - Parameter assignment: `column = value`.
  mutating func add<Row>(assignment: SQLFragment<Row>) {
    do {
      try assignment.requireClosed()
      assignments.append(
        Assignment(column: nil, sql: try assignment.rendered(collation: .columns).sql))
      if let name = assignment.firstColumn { mentionedColumns.append(name) }
    } catch { fail(error) }
  }

  /// Assigns a value to a column or to a part of its JSON.
  ///
  /// SQLite uses only the last of several assignments to a column, so assignments to parts of one
  /// column are combined.
  ///
  /// - Parameter structure: The known keys of a stored struct that is assigned as a whole; members
  ///   with other keys are kept.
  mutating func assign(
    _ value: DatabaseValue, to column: DocumentColumn, keepingAllBut structure: String? = nil
  ) {
    let known = assignments.firstIndex { $0.column == column.name }
    var sql = column.setting("\(value)", in: known.map { assignments[$0].sql })
    if let structure, !column.isNested {
      let known = structure.databaseValue.sqlLiteral
      sql = "coffer_json_keep(\(identifier: column.name), \(value), \(sql: known))"
    }
    let assignment = Assignment(column: column.name, sql: sql)
    if let known { assignments[known] = assignment } else { assignments.append(assignment) }
  }

  /// The first columns of fragments, which are probably the assigned ones.
  private var mentionedColumns: [String] = []

  /// The assigned columns, as far as they are known.
  var assignedColumns: [String] { mentionedColumns + assignments.compactMap(\.column) }

  var isUpdate: Bool { !assignments.isEmpty }

  private mutating func render<Row>(
    _ fragment: SQLFragment<Row>, _ collation: Collation?,
    _ add: (inout DocumentQuery, SQL) -> Void
  ) {
    do {
      let rendered = try fragment.rendered(
        collation: collation.map { .override($0) } ?? .declared)
      try fragment.requireClosed()
      collations += rendered.collations.filter { !$0.isStandard }
      add(&self, rendered.sql)
    } catch { fail(error) }
  }

  // MARK: SQL

  /// ` WHERE …`, and the other clauses that select rows.
  private func clauses(_ table: DocumentTable, ordered: Bool = true) -> SQL {
    var terms = conditions.map { "(\($0))" as SQL }
    if let id { terms.insert("\(sql: table.idColumn) = \(id)", at: 0) }
    var sql: SQL = terms.isEmpty ? "" : " WHERE \(terms.joined(separator: " AND "))"
    guard ordered else { return sql }
    if !orders.isEmpty { sql += " ORDER BY \(orders.joined(separator: ", "))" }
    if isLimited { sql += " LIMIT \(limit ?? -1)" }
    if let offset { sql += " OFFSET \(offset)" }
    return sql
  }

  /// `SELECT … FROM …`
  func selecting(_ columns: String, from table: DocumentTable) -> SQL {
    let join: SQL = search.map { $0.isOrder ? $0.join(table) : "" } ?? ""
    return "SELECT \(sql: columns) FROM \(sql: table.name)\(join)\(clauses(table))"
  }

  /// Whether the query is one of single rows of its table, as far as it isn't SQL.
  var isRowwise: Bool { search == nil && !isLimited && assignments.isEmpty }

  /// Returns whether a part of the query may read another table, or end the query.
  func mayReadTables(_ db: Database) throws -> Bool {
    try (conditions + orders).contains { try $0.mayReadTables(db) }
  }

  /// `SELECT …, rowid … ORDER BY …, rowid`
  ///
  /// - Parameter isPart: Whether to select only rows among some rowids, an array argument.
  func listing(
    _ columns: String, from table: DocumentTable, isDescending: Bool, isPart: Bool
  ) -> SQL {
    var terms = conditions.map { "(\($0)\n)" as SQL }
    if let id { terms.insert("\(sql: table.idColumn) = \(id)", at: 0) }
    let rowID = "\(table.name).\(table.rowIDName)"
    var sql: SQL = "SELECT \(sql: columns), \(sql: rowID) AS coffer_rowid FROM \(sql: table.name)"
    let condition = terms.joined(separator: " AND ")
    if isPart {
      sql += " NOT INDEXED WHERE \(sql: rowID) IN (\(sql: "?"))"
      // As in a scan by ranges, SQLite seeks the rowids.
      if !terms.isEmpty { sql += " AND NOT (NOT (\(condition)))" }
    } else if !terms.isEmpty {
      sql += " WHERE \(condition)"
    }
    let order: SQL = "\(sql: rowID)\(sql: isDescending ? " DESC" : "")"
    return sql + " ORDER BY \((orders + [order]).joined(separator: ", "))"
  }

  /// Appends the structure of ``selecting(_:from:)`` and its arguments.
  ///
  /// - Parameter columns: Nil for ``counting(from:)``.
  func describe(in shape: inout QueryShape, selecting columns: String?, from table: DocumentTable) {
    // A search joins other tables.
    guard search == nil else { return shape.giveUp() }
    shape.append(.document)
    shape.append(columns != nil)
    if let columns { shape.append(columns) }
    shape.append(table.name)
    shape.append(id != nil)
    if let id {
      shape.append(table.idColumn)
      shape.append(StatementArgument(id))
    }
    shape.append(count: conditions.count)
    for condition in conditions { shape.append(condition) }
    // Without a limit, the number of documents doesn't depend on their order.
    let orders = columns == nil && !isLimited ? [] : orders
    shape.append(count: orders.count)
    for order in orders { shape.append(order) }
    shape.append(isLimited)
    if isLimited { shape.append(StatementArgument((limit ?? -1).databaseValue)) }
    shape.append(offset != nil)
    if let offset { shape.append(StatementArgument(offset.databaseValue)) }
  }

  /// `SELECT count(*) FROM …`
  func counting(from table: DocumentTable) -> SQL {
    guard isLimited else {
      return "SELECT count(*) FROM \(sql: table.name)\(clauses(table, ordered: false))"
    }
    return "SELECT count(*) FROM (\(selecting("1", from: table)))"
  }

  /// Whether the query has only some of the rows that fulfil its conditions.
  var isLimited: Bool { limit != nil || offset != nil }

  /// `DELETE FROM …`
  /// - Parameter rowKey: The quoted columns that identify rows, for a query with a limit.
  func deleting(from table: DocumentTable, rowKey: [String]) -> SQL {
    "DELETE FROM \(sql: table.name)\(target(table, rowKey))"
  }

  /// `UPDATE … SET …`
  /// - Parameter rowKey: The quoted columns that identify rows, for a query with a limit.
  func updating(_ table: DocumentTable, rowKey: [String]) -> SQL {
    let assignments = assignments.map { assignment in
      assignment.column.map { "\(identifier: $0) = \(assignment.sql)" } ?? assignment.sql
    }
    return """
      UPDATE \(sql: table.name) SET \(assignments.joined(separator: ", "))\(target(table, rowKey))
      """
  }

  /// Returns the condition of a change, without a `LIMIT`, which SQLite may not support there.
  private func target(_ table: DocumentTable, _ rowKey: [String]) -> SQL {
    guard isLimited else { return clauses(table, ordered: false) }
    let key = rowKey.count == 1 ? rowKey[0] : "(\(rowKey.joined(separator: ", ")))"
    let columns = rowKey.map { "\(table.name).\($0)" }.joined(separator: ", ")
    return " WHERE \(sql: key) IN (\(selecting(columns, from: table)))"
  }
}

/// The names of a collection's table, quoted.
struct DocumentTable: Sendable {
  let name: String
  let idColumn: String
  /// A name of the rowid that isn't the name of a property.
  let rowIDName: String
}

/// The text after an expression in an order.
struct OrderSuffix: Sendable {
  var isDescending: Bool? = nil
  /// The place of NULLs; nil for the default.
  var hasNullsFirst: Bool? = nil

  static let none = OrderSuffix()

  /// Whether NULLs have another place than by default, where they are the least values.
  private var placesNulls: Bool {
    hasNullsFirst == (isDescending == true)
  }

  /// Whether another term of the order has to place the NULLs, since SQLite is too old.
  var isEmulated: Bool { placesNulls && !SQLiteFeatures.linked.hasNullsOrdering }

  var sql: String {
    let direction = isDescending.map { $0 ? " DESC" : " ASC" } ?? ""
    guard placesNulls, !isEmulated else { return direction }
    return direction + (hasNullsFirst == true ? " NULLS FIRST" : " NULLS LAST")
  }
}
