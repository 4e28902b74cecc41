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
    copy.conditions.append(
      SQL(elements: [.text("(")] + condition.elements + [.text(")")]))
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
        let isNull = place == .first ? " IS NOT NULL" : " IS NULL"
        query.orders.append(SQL(elements: [.text("(")] + sql.elements + [.text(")" + isNull)]))
      }
      query.orders.append(SQL(elements: sql.elements + [.text(suffix.sql)]))
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
    let value = SQL.Element.argument(StatementArgument(value))
    let known = assignments.firstIndex { $0.column == column.name }
    var elements = [value]
    if let structure, !column.isNested {
      elements = [
        .text("coffer_json_keep(\(column.name.quotedDatabaseIdentifier), "), value,
        .text(", \(structure.databaseValue.sqlLiteral))"),
      ]
    }
    if column.isNested {
      let old = known.map { assignments[$0].sql.elements }
      elements =
        [.text("coffer_json_set(")]
        + (old ?? [.text(column.name.quotedDatabaseIdentifier)])
        + [.text(", \(column.jsonPath.databaseValue.sqlLiteral), "), value, .text(")")]
    }
    let assignment = Assignment(column: column.name, sql: SQL(elements: elements))
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

  private func append(
    _ list: [SQL], before: String, between: String, parenthesized: Bool = false,
    to elements: inout [SQL.Element]
  ) {
    for (index, sql) in list.enumerated() {
      elements.append(.text((index == 0 ? before : between) + (parenthesized ? "(" : "")))
      elements += sql.elements
      if parenthesized { elements.append(.text(")")) }
    }
  }

  /// ` WHERE …`, and what else selects rows.
  private func appendClauses(
    _ table: DocumentTable, ordered: Bool = true, to elements: inout [SQL.Element]
  ) {
    if let id {
      elements.append(.text(" WHERE \(table.idColumn) = "))
      elements.append(.argument(StatementArgument(id)))
    }
    append(
      conditions, before: id == nil ? " WHERE " : " AND ", between: " AND ",
      parenthesized: true, to: &elements)
    guard ordered else { return }
    append(orders, before: " ORDER BY ", between: ", ", to: &elements)
    guard isLimited else { return }
    elements.append(.text(" LIMIT "))
    elements.append(.argument(StatementArgument((limit ?? -1).databaseValue)))
    guard let offset else { return }
    elements.append(.text(" OFFSET "))
    elements.append(.argument(StatementArgument(offset.databaseValue)))
  }

  /// `SELECT … FROM …`
  func selecting(_ columns: String, from table: DocumentTable) -> SQL {
    var elements: [SQL.Element] = [.text("SELECT \(columns) FROM \(table.name)")]
    if let search, search.isOrder { elements += search.join(table) }
    appendClauses(table, to: &elements)
    return SQL(elements: elements)
  }

  /// `SELECT count(*) FROM …`
  func counting(from table: DocumentTable) -> SQL {
    guard isLimited else {
      var elements: [SQL.Element] = [.text("SELECT count(*) FROM \(table.name)")]
      appendClauses(table, ordered: false, to: &elements)
      return SQL(elements: elements)
    }
    let rows = selecting("1", from: table)
    return SQL(elements: [.text("SELECT count(*) FROM (")] + rows.elements + [.text(")")])
  }

  /// Whether changes are of some of the rows that the conditions select.
  var isLimited: Bool { limit != nil || offset != nil }

  /// `DELETE FROM …`
  /// - Parameter rowKey: The columns that tell rows apart, quoted, for a query that is limited.
  func deleting(from table: DocumentTable, rowKey: [String]) -> SQL {
    var elements: [SQL.Element] = [.text("DELETE FROM \(table.name)")]
    appendTarget(table, rowKey, to: &elements)
    return SQL(elements: elements)
  }

  /// `UPDATE … SET …`
  /// - Parameter rowKey: The columns that tell rows apart, quoted, for a query that is limited.
  func updating(_ table: DocumentTable, rowKey: [String]) -> SQL {
    var elements: [SQL.Element] = [.text("UPDATE \(table.name)")]
    let assignments = assignments.map { assignment in
      guard let column = assignment.column else { return assignment.sql }
      return SQL(
        elements: [.text("\(column.quotedDatabaseIdentifier) = ")] + assignment.sql.elements)
    }
    append(assignments, before: " SET ", between: ", ", to: &elements)
    appendTarget(table, rowKey, to: &elements)
    return SQL(elements: elements)
  }

  /// The condition of a change: SQLite may know no limits there.
  private func appendTarget(
    _ table: DocumentTable, _ rowKey: [String], to elements: inout [SQL.Element]
  ) {
    guard isLimited else { return appendClauses(table, ordered: false, to: &elements) }
    let key = rowKey.count == 1 ? rowKey[0] : "(\(rowKey.joined(separator: ", ")))"
    let columns = rowKey.map { "\(table.name).\($0)" }.joined(separator: ", ")
    elements.append(.text(" WHERE \(key) IN ("))
    elements += selecting(columns, from: table).elements
    elements.append(.text(")"))
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
