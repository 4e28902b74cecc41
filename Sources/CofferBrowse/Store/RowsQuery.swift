import Coffer

/// A page of the rows of a table, in the order of a column and the key.
struct RowsQuery {
  let table: TableFacts
  var columns: ArraySlice<ColumnInfo>
  var sort: ColumnInfo?
  var isDescending = false
  var conditions: [SQL] = []
  /// The rows that a view's page leaves out.
  var offset = 0
  var count = 50

  struct Page {
    var rows: [ShownRow] = []
    var hasPrevious = false
    var hasNext = false
  }

  struct ShownRow {
    var key: [DatabaseValue]
    /// The values of the order's columns, by which other pages begin; nil where one is too large.
    var position: [DatabaseValue]?
    var values: [ShownValue]
  }

  /// The key's columns that the order has after the sorted one.
  private var restOfKey: [Int] {
    table.key.indices.filter { sort?.name.isSame(as: table.key[$0]) != true }
  }

  private var order: [String] { (sort.map { [$0.name] } ?? []) + restOfKey.map { table.key[$0] } }

  /// The table with its conditions.
  var selection: SQL { Self.selection(table, conditions) }

  private static func selection(_ table: TableFacts, _ conditions: [SQL]) -> SQL {
    let filter = conditions.map { "(\($0))" as SQL }.joined(separator: " AND ")
    return "\(identifier: table.name)" + (filter.isEmpty ? "" : " WHERE ") + filter
  }

  /// Reads the rows from the beginning, or from the last one if it `isReversed`, or else those that
  /// come after a position in that direction.
  func fetch(
    after start: [DatabaseValue]? = nil, isReversed: Bool = false, _ db: Database
  ) throws -> Page {
    var rows: [ShownRow] = []
    let descends = isDescending != isReversed
    for range in try ranges(after: start, descends) where rows.count <= count {
      rows += try fetch(range, descends, limit: count + 1 - rows.count, db)
    }
    let hasMore = rows.count > count
    if hasMore { rows.removeLast() }
    let hasBefore = start != nil || offset > 0
    return isReversed
      ? Page(rows: rows.reversed(), hasPrevious: hasMore, hasNext: hasBefore)
      : Page(rows: rows, hasPrevious: hasBefore, hasNext: hasMore)
  }

  /// The ranges of rows after a position, in the order of a scan. NULL comes before all values.
  private func ranges(after start: [DatabaseValue]?, _ descends: Bool) throws -> [[SQL]] {
    guard let start else { return [[]] }
    guard start.count == order.count else {
      throw BrowseError.missing("This address is of another order. Begin at the table again.")
    }
    let comparison: SQL = descends ? "<" : ">"
    let keys = restOfKey.map { "\(identifier: table.key[$0])" as SQL }.joined(separator: ", ")
    let values = start.suffix(restOfKey.count).map { "\($0)" as SQL }.joined(separator: ", ")
    let later: SQL = restOfKey.isEmpty ? "0" : "(\(keys)) \(comparison) (\(values))"
    guard let sort else { return [[later]] }
    let name: SQL = "\(identifier: sort.name)"
    if start[0].isNull {
      let same: SQL = "\(name) IS NULL AND \(later)"
      return descends ? [[same]] : [[same], ["\(name) IS NOT NULL"]]
    }
    let value = start[0]
    // The first comparison is what an index can use.
    let others: SQL =
      "\(name) \(comparison)= \(value) AND (\(name) \(comparison) \(value) OR \(later))"
    return descends ? [[others], ["\(name) IS NULL"]] : [[others]]
  }

  private func fetch(
    _ range: [SQL], _ descends: Bool, limit: Int, _ db: Database
  ) throws -> [ShownRow] {
    let selected =
      table.key.map { "\(identifier: $0)" as SQL }
      + (sort.map { [ShownValue.bounded($0.name)] } ?? [])
      + columns.map { ShownValue.selection($0.name) }
    var sql: SQL = """
      SELECT \(selected.isEmpty ? "1" : selected.joined(separator: ", "))
      FROM \(Self.selection(table, conditions + range))
      """
    let terms = order.map { "\(identifier: $0) \(sql: descends ? "DESC" : "ASC")" as SQL }
    if !terms.isEmpty { sql += " ORDER BY " + terms.joined(separator: ", ") }
    sql += " LIMIT \(limit) OFFSET \(offset)"
    let rows = try SQLRequest<Row>(literal: sql, cached: false).fetchCursor(db)
    var result: [ShownRow] = []
    while let row = try rows.next() {
      let key = table.key.indices.map { row[$0] as DatabaseValue }
      let sorted = sort == nil ? [] : [row[key.count] as DatabaseValue]
      let first = key.count + sorted.count
      result.append(
        ShownRow(
          key: key,
          position: sorted == [ShownValue.tooLarge] ? nil : sorted + restOfKey.map { key[$0] },
          values: columns.indices.map { ShownValue(row, at: first + 3 * ($0 - columns.startIndex)) }
        ))
    }
    return result
  }

  /// Whether SQLite has to sort all rows for each page.
  func sortsAll(_ db: Database) throws -> Bool {
    guard sort != nil, !table.isView else { return false }
    let terms = order.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
    let plan: SQL = "EXPLAIN QUERY PLAN SELECT 1 FROM \(identifier: table.name) ORDER BY \(terms)"
    return try SQLRequest<Row>(literal: plan).fetchAll(db).contains {
      ($0["detail"] as String? ?? "").contains("TEMP B-TREE")
    }
  }
}
