import CofferCore

/// What a query asks for, in SQL without the table.
struct DocumentQuery: Sendable {
  /// What an update does to a column.
  private struct Assignment {
    /// Nil where it isn't known.
    let column: String?
    /// The new value of a column that is known; the whole assignment where the column isn't.
    let sql: SQL
  }

  /// The identifier of the only document that is asked for.
  private(set) var id: DatabaseValue?
  private(set) var conditions: [SQL] = []
  private(set) var orders: [SQL] = []
  /// The same, as far as they are orders by properties.
  private(set) var orderKeys: [DocumentOrderKey] = []
  private var assignments: [Assignment] = []
  /// The last search, and whether its relevance orders.
  private var search: FullTextSearch?
  /// Whether a search had no words.
  private var findsNothing = false
  var limit: Int?
  var offset: Int?
  /// Whether documents that have expired are asked for, too.
  var includesExpired = false
  /// The collations that a connection has to know.
  private(set) var collations: [Collation] = []
  /// The first thing that was wrong.
  private(set) var failure: (any Error)?

  /// Whether nothing but the identifier is asked for.
  var isLookup: Bool {
    id != nil && conditions.isEmpty && limit == nil && offset == nil && failure == nil
  }

  mutating func fail(_ error: any Error) { if failure == nil { failure = error } }

  // MARK: Adding

  /// - Parameter sql: The identifier's column.
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

  /// - Parameter pattern: Nil for what finds nothing.
  mutating func search(
    _ index: FullTextIndex, _ pattern: String?, in column: String?, of table: DocumentTable
  ) {
    guard let pattern else {
      findsNothing = true
      return conditions.append(SQL(sql: "0"))
    }
    let search = FullTextSearch(index: index, pattern: pattern, column: column)
    conditions.append(search.condition(table))
    // An order that was asked for is one by the search that was the last one then.
    if self.search?.isOrder != true { self.search = search }
  }

  mutating func orderByRelevance() throws {
    // Where a search has no words, there is nothing to be ordered.
    guard search != nil || findsNothing else {
      throw DocumentError(
        "there is no search whose relevance could order", hint: "Call matching(_:) before.")
    }
    guard search != nil else { return }
    search?.isOrder = true
    orders.append(SQL(sql: FullTextSearch.rankColumn))
  }

  mutating func add(condition: SQLExpression) { conditions.append(condition.sql) }

  /// The query with one more order.
  func adding(order: String) -> DocumentQuery {
    var copy = self
    copy.orders.append(SQL(sql: order))
    return copy
  }

  /// Whether all orders are by properties.
  var isOrderedByProperties: Bool {
    orders.count == orderKeys.reduce(0) { $0 + ($1.suffix.isEmulated ? 2 : 1) }
  }

  /// The query with one more condition.
  func adding(_ condition: SQL) -> DocumentQuery {
    var copy = self
    // In parentheses also where it is the only one.
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
      if suffix.isEmulated, let place = suffix.nulls {
        query.orders.append("(\(sql)) \(sql: place == .first ? "IS NOT NULL" : "IS NULL")")
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

  /// Gives a column a value, or a place in its JSON.
  ///
  /// Of several assignments to a column, SQLite takes the last one: those to different places of one
  /// column become one.
  ///
  /// - Parameter structure: What is known of a stored struct that is assigned as a whole: the rest
  ///   of it stays.
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

  /// The columns that fragments name first, which they assign, most likely.
  private var mentionedColumns: [String] = []

  /// The columns that are assigned, as far as they are known.
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

  /// ` WHERE …`, and what else selects rows.
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

  /// `SELECT count(*) FROM …`
  func counting(from table: DocumentTable) -> SQL {
    guard isLimited else {
      return "SELECT count(*) FROM \(sql: table.name)\(clauses(table, ordered: false))"
    }
    return "SELECT count(*) FROM (\(selecting("1", from: table)))"
  }

  /// Whether changes are of some of the rows that the conditions select.
  var isLimited: Bool { limit != nil || offset != nil }

  /// `DELETE FROM …`
  /// - Parameter rowKey: The columns that tell rows apart, quoted, for a query that is limited.
  func deleting(from table: DocumentTable, rowKey: [String]) -> SQL {
    "DELETE FROM \(sql: table.name)\(target(table, rowKey))"
  }

  /// `UPDATE … SET …`
  /// - Parameter rowKey: The columns that tell rows apart, quoted, for a query that is limited.
  func updating(_ table: DocumentTable, rowKey: [String]) -> SQL {
    let assignments = assignments.map { assignment in
      assignment.column.map { "\(identifier: $0) = \(assignment.sql)" } ?? assignment.sql
    }
    return """
      UPDATE \(sql: table.name) SET \(assignments.joined(separator: ", "))\(target(table, rowKey))
      """
  }

  /// The condition of a change: SQLite may know no limits there.
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
  /// A name of the rowid that no property has.
  let rowIDName: String
}

/// What follows an expression in an order.
struct OrderSuffix: Sendable {
  enum Nulls { case first, last }

  var isDescending: Bool? = nil
  var nulls: Nulls? = nil

  static let none = OrderSuffix()

  /// Whether SQLite would put NULLs elsewhere by itself: it takes them for the least values.
  private var placesNulls: Bool {
    guard let nulls else { return false }
    return (nulls == .first) == (isDescending == true)
  }

  /// Whether another term of the order has to place the NULLs.
  var isEmulated: Bool { placesNulls && !SQLiteFeatures.linked.hasNullsOrdering }

  var sql: String {
    let direction = isDescending.map { $0 ? " DESC" : " ASC" } ?? ""
    guard placesNulls, !isEmulated, let nulls else { return direction }
    return direction + (nulls == .first ? " NULLS FIRST" : " NULLS LAST")
  }
}
