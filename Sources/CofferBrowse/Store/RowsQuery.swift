import Coffer
import Foundation

/// A condition on the rows of a table, as a person has chosen it.
struct Condition: Sendable {
  enum Operator: String, CaseIterable, Sendable {
    case equal = "="
    case unequal = "≠"
    case less = "<"
    case lessOrEqual = "≤"
    case greater = ">"
    case greaterOrEqual = "≥"
    case contains = "contains"
    case begins = "begins with"
    case null = "is NULL"
    case notNull = "is not NULL"

    var needsValue: Bool { self != .null && self != .notNull }
  }

  var column: String
  var comparison: Operator
  var value: DatabaseValue = .null

  /// The condition with `?` for its value, and the value.
  var sql: (sql: String, arguments: [DatabaseValue]) {
    let name = column.quotedDatabaseIdentifier
    switch comparison {
    case .equal: return ("\(name) IS ?", [value])
    case .unequal: return ("\(name) IS NOT ?", [value])
    case .less: return ("\(name) < ?", [value])
    case .lessOrEqual: return ("\(name) <= ?", [value])
    case .greater: return ("\(name) > ?", [value])
    case .greaterOrEqual: return ("\(name) >= ?", [value])
    case .contains, .begins:
      let text = String.fromDatabaseValue(value) ?? "\(value)"
      let pattern = text.replacing("\\", with: "\\\\").replacing("%", with: "\\%")
        .replacing("_", with: "\\_")
      return (
        "\(name) LIKE ? ESCAPE '\\'",
        [((comparison == .contains ? "%" : "") + pattern + "%").databaseValue]
      )
    case .null: return ("\(name) IS NULL", [])
    case .notNull: return ("\(name) IS NOT NULL", [])
    }
  }

  /// The value that a text in a form stands for: `007` is a text, `7` a number, `x'0a'` a blob.
  static func value(_ text: String, _ comparison: Operator) -> DatabaseValue {
    if comparison == .contains || comparison == .begins { return text.databaseValue }
    if let number = Int64(text), "\(number)" == text { return number.databaseValue }
    if let number = Double(text), number.isFinite, text.contains(where: \.isNumber),
      text.utf8.allSatisfy({ $0 < 0x3A || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") })
    {
      return number.databaseValue
    }
    if let match = text.wholeMatch(of: /[xX]'((?:[0-9a-fA-F]{2})*)'/) {
      let digits = Array(match.output.1)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      return Data(bytes).databaseValue
    }
    return text.databaseValue
  }

  /// Conditions as values that an address can name, and back.
  static func values(_ conditions: [Condition]) -> [DatabaseValue] {
    conditions.flatMap {
      [$0.column.databaseValue, $0.comparison.rawValue.databaseValue, $0.value]
    }
  }

  static func list(_ values: [DatabaseValue]) -> [Condition] {
    stride(from: 0, to: values.count - 2, by: 3).compactMap { index in
      guard let column = String.fromDatabaseValue(values[index]),
        let comparison = String.fromDatabaseValue(values[index + 1])
          .flatMap({ Operator(rawValue: $0) })
      else { return nil }
      return Condition(column: column, comparison: comparison, value: values[index + 2])
    }
  }
}

/// Where a page of rows begins.
enum RowsPosition: Sendable {
  case first, last
  /// The values of the order's columns.
  case after([DatabaseValue])
  case before([DatabaseValue])
}

/// A page of the rows of a table, in the order of a column and the key.
struct RowsQuery {
  let table: TableFacts
  var columns: ArraySlice<ColumnInfo>
  var sort: ColumnInfo?
  var isDescending = false
  /// SQL with its arguments.
  var conditions: [(sql: String, arguments: [DatabaseValue])] = []
  /// The rows that a view's page leaves out.
  var offset = 0
  var count = 50
  /// Whether SQLite knows the size of a text without reading it.
  let knowsTextSizes: Bool

  struct Page {
    var rows: [ShownRow]
    var hasPrevious: Bool
    var hasNext: Bool
  }

  struct ShownRow {
    var key: [DatabaseValue]
    /// The values of the order's columns, by which other pages begin; nil where one is too large.
    var position: [DatabaseValue]?
    var values: [ShownValue]
  }

  private var order: [String] {
    (sort.map { [$0.name] } ?? [])
      + table.key.filter { key in
        sort.map { !$0.name.isSame(as: key) } ?? true
      }
  }

  var whereClause: (sql: String, arguments: [DatabaseValue]) {
    let sql = conditions.map { "(\($0.sql))" }.joined(separator: " AND ")
    return (sql.isEmpty ? "" : " WHERE " + sql, conditions.flatMap(\.arguments))
  }

  func fetch(_ position: RowsPosition, _ db: Database) throws -> Page {
    var isReversed = false
    var start: [DatabaseValue]?
    switch position {
    case .first: break
    case .last: isReversed = true
    case .after(let values): start = values
    case .before(let values): (isReversed, start) = (true, values)
    }
    if table.key.isEmpty { return try fetchOfView(db) }
    let descends = isDescending != isReversed
    var rows: [ShownRow] = []
    for range in try ranges(after: start, descends: descends) where rows.count <= count {
      rows += try fetch(range, descends: descends, limit: count + 1 - rows.count, db)
    }
    let hasMore = rows.count > count
    if hasMore { rows.removeLast() }
    if isReversed { rows.reverse() }
    return Page(
      rows: rows, hasPrevious: isReversed ? hasMore : start != nil,
      hasNext: isReversed ? start != nil : hasMore)
  }

  private func fetchOfView(_ db: Database) throws -> Page {
    var rows = try fetch(("", []), descends: isDescending, limit: count + 1, db)
    let hasMore = rows.count > count
    if hasMore { rows.removeLast() }
    return Page(rows: rows, hasPrevious: offset > 0, hasNext: hasMore)
  }

  /// The ranges of rows from a position on, in the order of a scan. NULL comes before all values.
  private func ranges(
    after start: [DatabaseValue]?, descends: Bool
  ) throws -> [(sql: String, arguments: [DatabaseValue])] {
    guard let start else { return [("", [])] }
    let order = self.order
    guard start.count == order.count else {
      throw BrowseError.missing("This address is of another order. Begin at the table again.")
    }
    let comparison = descends ? "<" : ">"
    guard let sort else { return [row(order, comparison, start)] }
    let name = sort.name.quotedDatabaseIdentifier
    let value = start[0]
    let rest = row(Array(order.dropFirst()), comparison, Array(start.dropFirst()))
    if value.isNull {
      let same = ("\(name) IS NULL AND \(rest.sql)", rest.arguments)
      return descends ? [same] : [same, ("\(name) IS NOT NULL", [])]
    }
    // The first comparison is what an index can use.
    let values = (
      "\(name) \(comparison)= ? AND (\(name) \(comparison) ? OR \(rest.sql))",
      [value, value] + rest.arguments
    )
    return descends ? [values, ("\(name) IS NULL", [])] : [values]
  }

  /// Compares columns with values, the first column first; false for none.
  private func row(
    _ columns: [String], _ comparison: String, _ values: [DatabaseValue]
  ) -> (sql: String, arguments: [DatabaseValue]) {
    if columns.isEmpty { return ("0", []) }
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return columns.count == 1
      ? ("\(names) \(comparison) ?", values) : ("(\(names)) \(comparison) (\(marks))", values)
  }

  private func fetch(
    _ range: (sql: String, arguments: [DatabaseValue]), descends: Bool, limit: Int, _ db: Database
  ) throws -> [ShownRow] {
    let order = self.order
    let direction = descends ? " DESC" : ""
    let selected =
      table.key.map(\.quotedDatabaseIdentifier)
      + (sort.map { [ShownValue.bounded($0.name, knowsTextSizes)] } ?? [])
      + columns.flatMap { ShownValue.selection($0.name, knowsTextSizes) }
    var all = conditions
    if !range.sql.isEmpty { all.append(range) }
    let filter = all.map { "(\($0.sql))" }.joined(separator: " AND ")
    var sql =
      "SELECT \(selected.isEmpty ? "1" : selected.joined(separator: ", ")) FROM \(table.quoted)"
    if !filter.isEmpty { sql += " WHERE " + filter }
    if !order.isEmpty {
      let terms = order.map { $0.quotedDatabaseIdentifier + direction }
      sql += " ORDER BY " + terms.joined(separator: ", ")
    }
    sql += " LIMIT \(limit) OFFSET \(offset)"
    let rows = try Row.fetchCursor(
      db, sql: sql, arguments: StatementArguments(all.flatMap(\.arguments)))
    var result: [ShownRow] = []
    let keyCount = table.key.count
    while let row = try rows.next() {
      let key = (0..<keyCount).map { row[$0] as DatabaseValue }
      var position: [DatabaseValue]? = order.compactMap { name in
        table.key.firstIndex { $0.isSame(as: name) }.map { key[$0] }
      }
      if sort != nil, position?.count != order.count {
        let value = row[keyCount] as DatabaseValue
        // A marker for a value that isn't read, since it is large.
        position = value == ShownValue.tooLarge ? nil : [value] + (position ?? [])
      }
      let first = keyCount + (sort == nil ? 0 : 1)
      result.append(
        ShownRow(
          key: key, position: position,
          values: columns.indices.map { index in
            ShownValue(row, at: first + 3 * (index - columns.startIndex))
          }))
    }
    return result
  }
}
