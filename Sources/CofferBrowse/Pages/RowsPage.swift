import Coffer
import CofferDrawing

/// The rows of a table or a view.
extension PageMaker {
  /// The most columns on a page.
  static let columnsPerPage = 20
  private static let counting = (time: Duration.milliseconds(50), limit: 100_000)

  /// What the address says about the rows.
  private struct RowsAddress {
    var sort: String?
    var descends = false
    var columns = 0
    /// The name of the conditions.
    var conditions: String?
    /// The name of a full-text pattern.
    var pattern: String?
    var isDocuments = false
    /// `after`, `before`, `last` or `page`, with its value.
    var position: (String, String)?
  }

  private func address(_ table: TableFacts, _ rows: RowsAddress) -> String {
    var fields = [("name", table.name)]
    if let sort = rows.sort { fields.append(("sort", sort)) }
    if rows.descends { fields.append(("desc", "1")) }
    if rows.columns > 0 { fields.append(("columns", "\(rows.columns)")) }
    if let conditions = rows.conditions { fields.append(("where", conditions)) }
    if let pattern = rows.pattern { fields.append(("match", pattern)) }
    if rows.isDocuments { fields.append(("form", "documents")) }
    if let position = rows.position { fields.append(position) }
    return Place.address(place.base + "table", fields)
  }

  private var rowsAddress: RowsAddress {
    let position = ["after", "before", "last", "page"].lazy.compactMap { name in
      request[name].map { (name, $0) }
    }.first
    return RowsAddress(
      sort: request["sort"], descends: request["desc"] != nil,
      columns: request.number("columns") ?? 0, conditions: request["where"],
      pattern: request["match"], isDocuments: request["form"] == "documents", position: position)
  }

  // MARK: Conditions

  /// Takes the conditions of a form, and leads to the rows: an address has no values.
  func rememberConditions() throws -> HTTPResponse {
    let table = try store.read { db, _ in try store.schema.table(request["name"], db) }
    var conditions: [Condition] = []
    for index in 0..<8 {
      guard let column = table.column(request.form["column\(index)"]),
        let comparison = request.form["is\(index)"].flatMap({ Condition.Operator(rawValue: $0) })
      else { continue }
      let text = request.form["value\(index)"] ?? ""
      conditions.append(
        Condition(
          column: column.name, comparison: comparison,
          value: comparison.needsValue ? Condition.value(text, comparison) : .null))
    }
    var rows = rowsAddress
    rows.position = nil
    rows.conditions =
      conditions.isEmpty ? nil : site.remembered.name(Condition.values(conditions))
    rows.pattern = request.form["pattern"].flatMap { pattern in
      pattern.isEmpty ? nil : site.remembered.name([pattern.databaseValue])
    }
    return .redirect(to: address(table, rows))
  }

  private func conditionsForm(
    _ table: TableFacts, _ rows: RowsAddress, _ conditions: [Condition], pattern: String?,
    isSearchable: Bool
  ) -> HTML {
    var target = rows
    (target.position, target.conditions, target.pattern) = (nil, nil, nil)
    return form(address(table, target), class: "conditions") {
      if isSearchable {
        HTML.element("p") {
          HTML.element("label", ["for": "pattern"]) { "Search" }
          HTML.element(
            "input", ["id": "pattern", "name": "pattern", "type": "search", "value": pattern])
        }
      }
      HTML.element("fieldset") {
        HTML.element("legend") { "Conditions" }
        for index in 0...min(conditions.count, 7) {
          condition(table, index, index < conditions.count ? conditions[index] : nil)
        }
      }
      HTML.element("button") { "Show" }
      if !conditions.isEmpty || pattern != nil { link("All rows", address(table, target)) }
    }
  }

  private func condition(_ table: TableFacts, _ index: Int, _ condition: Condition?) -> HTML {
    HTML.element("p") {
      HTML.element(
        "select", ["name": "column\(index)", "aria-label": "Column of condition \(index + 1)"]
      ) {
        HTML.element("option", ["value": ""]) { "–" }
        for column in table.columns.prefix(2_000) {
          HTML.element(
            "option",
            ["value": column.name, "selected": condition?.column == column.name ? "" : nil]
          ) { column.name + (column.type.isEmpty ? "" : " (\(column.type))") }
        }
      }
      HTML.element(
        "select", ["name": "is\(index)", "aria-label": "Comparison of condition \(index + 1)"]
      ) {
        for comparison in Condition.Operator.allCases {
          HTML.element(
            "option",
            [
              "value": comparison.rawValue,
              "selected": condition?.comparison == comparison ? "" : nil,
            ]
          ) { comparison.rawValue }
        }
      }
      HTML.element(
        "input",
        [
          "name": "value\(index)", "aria-label": "Value of condition \(index + 1)",
          "value": condition.map { $0.comparison.needsValue ? shown($0.value) : "" },
        ])
    }
  }

  private func shown(_ value: DatabaseValue) -> String {
    String.fromDatabaseValue(value) ?? ShownValue(value).text.text
  }

  // MARK: Rows

  func rowsPage() throws -> HTTPResponse {
    var rows = rowsAddress
    return try store.read { db, reader in
      let table = try store.schema.table(request["name"], db)
      let knowsTextSizes = ShownValue.knowsTextSizes(db)
      let conditions =
        try rows.conditions.map {
          Condition.list(try site.remembered.values($0)).filter { table.column($0.column) != nil }
        } ?? []
      let pattern = try rows.pattern.flatMap {
        String.fromDatabaseValue(try site.remembered.values($0).first ?? .null)
      }
      let search = try? site.services.searchCondition(table.name, db)
      rows.columns = min(rows.columns, max(0, table.columns.count - 1))
      let columns = table.columns[rows.columns...].prefix(Self.columnsPerPage)
      var query = RowsQuery(
        table: table, columns: columns, sort: table.column(rows.sort),
        isDescending: rows.descends, conditions: conditions.map(\.sql),
        knowsTextSizes: knowsTextSizes)
      if rows.isDocuments { query.count = 20 }
      if let pattern, let search { query.conditions.append((search, [pattern.databaseValue])) }
      let number = max(1, rows.position?.0 == "page" ? request.number("page") ?? 1 : 1)
      if table.key.isEmpty { query.offset = (number - 1) * query.count }
      let found: RowsQuery.Page
      do { found = try query.fetch(position(rows), db) } catch let error as DatabaseError
        where pattern != nil && error.resultCode == .SQLITE_ERROR
      {
        throw BrowseError.refused("The search isn't a full-text pattern: \(error.message ?? "")")
      }
      let filter = query.whereClause
      let count = try db.count(
        table.quoted + filter.sql, StatementArguments(filter.arguments),
        limit: Self.counting.limit, within: Self.counting.time, reader)
      let isSlow = try query.sort != nil && table.kind == "table" && sortsAll(query, db)
      return page(table.name, .overview) {
        HTML.element("p") {
          HTML.element("span", ["data-live": "count"]) {
            count.map { "\($0.text) \($0.number == 1 ? "row" : "rows")" } ?? "Many rows"
          }
          ". "
          link("Schema", objectAddress(table.name))
          " "
          formLink(table, rows)
        }
        conditionsForm(
          table, rows, conditions, pattern: pattern, isSearchable: search != nil)
        if isSlow {
          HTML.element("p", ["class": "notice"]) {
            "No index has this order: each page reads the whole table."
          }
        }
        if table.kind == "view" {
          HTML.element("p", ["class": "notice"]) {
            "A view has no key: a page reads all rows before it."
          }
        }
        columnPages(table, rows)
        if rows.isDocuments {
          HTML.element("div", ["data-live": "rows"]) {
            for row in found.rows { document(row, table, columns, db) }
          }
        } else {
          grid(found, table, columns, rows)
        }
        rowPages(found, table, rows, number: number)
      }
    }
  }

  private func position(_ rows: RowsAddress) throws -> RowsPosition {
    switch rows.position {
    case ("after", let name)?: .after(try site.remembered.values(name))
    case ("before", let name)?: .before(try site.remembered.values(name))
    case ("last", _)?: .last
    default: .first
    }
  }

  /// Whether SQLite has to sort all rows.
  private func sortsAll(_ query: RowsQuery, _ db: Database) throws -> Bool {
    guard let sort = query.sort else { return false }
    let sql =
      "EXPLAIN QUERY PLAN SELECT 1 FROM \(query.table.quoted) ORDER BY "
      + ([sort.name] + query.table.key).map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    return try Row.fetchAll(db, sql: sql).contains {
      ($0["detail"] as String? ?? "").contains("TEMP B-TREE")
    }
  }

  private func formLink(_ table: TableFacts, _ rows: RowsAddress) -> HTML {
    var other = rows
    other.isDocuments.toggle()
    other.position = nil
    return link(rows.isDocuments ? "As a table" : "As documents", address(table, other))
  }

  /// Links to the other columns of a wide table.
  private func columnPages(_ table: TableFacts, _ rows: RowsAddress) -> HTML? {
    let count = table.columns.count
    guard count > Self.columnsPerPage else { return nil }
    func target(_ start: Int) -> String {
      var other = rows
      other.columns = max(0, start)
      return address(table, other)
    }
    let start = rows.columns
    let end = min(start + Self.columnsPerPage, count)
    return pages(
      [
        ("earlier columns", start > 0 ? target(start - Self.columnsPerPage) : nil, nil),
        ("columns \(start + 1) to \(end) of \(count)", nil, nil),
        ("later columns", end < count ? target(end) : nil, nil),
      ], "Columns")
  }

  private func rowPages(
    _ found: RowsQuery.Page, _ table: TableFacts, _ rows: RowsAddress, number: Int
  ) -> HTML {
    func target(_ position: (String, String)?) -> String {
      var other = rows
      other.position = position
      return address(table, other)
    }
    if table.key.isEmpty {
      return pages([
        ("first", found.hasPrevious ? target(nil) : nil, nil),
        ("previous", found.hasPrevious ? target(("page", "\(number - 1)")) : nil, "prev"),
        ("next", found.hasNext ? target(("page", "\(number + 1)")) : nil, "next"),
      ])
    }
    let (first, last) = (found.rows.first?.position, found.rows.last?.position)
    return pages([
      ("first", found.hasPrevious ? target(nil) : nil, nil),
      (
        "previous",
        first.flatMap { found.hasPrevious ? target(("before", site.remembered.name($0))) : nil },
        "prev"
      ),
      (
        "next", last.flatMap { found.hasNext ? target(("after", site.remembered.name($0))) : nil },
        "next"
      ),
      ("last", found.hasNext ? target(("last", "1")) : nil, nil),
    ])
  }

  private func grid(
    _ found: RowsQuery.Page, _ table: TableFacts, _ columns: ArraySlice<ColumnInfo>,
    _ rows: RowsAddress
  ) -> HTML {
    let heads = columns.map { column in
      var other = rows
      let isSorted = rows.sort?.isSame(as: column.name) == true
      (other.sort, other.position) = (column.name, nil)
      other.descends = isSorted && !rows.descends
      let mark = isSorted ? (rows.descends ? " ↓" : " ↑") : ""
      return HTML.element(
        "a",
        [
          "href": address(table, other),
          "title": column.type.isEmpty ? "Sort by \(column.name)" : column.type,
        ]
      ) { column.name + mark }
    }
    let keyHead = table.key.isEmpty ? [] : [HTML.text(table.isRowID ? "Row" : "Key")]
    return self.table(
      table.name, keyHead + (table.key.isEmpty ? columns.map { .text($0.name) } : heads),
      live: "rows"
    ) {
      for row in found.rows {
        HTML.element(
          "tr", ["data-key": row.key.isEmpty ? nil : site.remembered.name(row.key)]
        ) {
          if !row.key.isEmpty {
            HTML.element("th", ["scope": "row"]) {
              link(keyText(row.key), rowAddress(table, row.key))
            }
          }
          for (column, value) in zip(columns, row.values) {
            HTML.element("td", ["class": value.cellClass]) {
              shown(value, of: column, in: table, key: row.key)
            }
          }
        }
      }
    }
  }

  func keyText(_ key: [DatabaseValue]) -> String {
    key.map { ShownValue($0).text.text }.joined(separator: ", ")
  }

  func rowAddress(_ table: TableFacts, _ key: [DatabaseValue]) -> String {
    place.address("row", ["name": table.name, "key": site.remembered.name(key)])
  }

  func cellAddress(_ table: TableFacts, _ key: [DatabaseValue], _ column: ColumnInfo) -> String {
    place.address(
      "cell", ["name": table.name, "key": site.remembered.name(key), "column": column.name])
  }

  /// A value in a cell: a link to the whole of it, or to the row that it refers to.
  func shown(
    _ value: ShownValue, of column: ColumnInfo, in table: TableFacts, key: [DatabaseValue]
  ) -> HTML {
    let (text, isCut) = value.text
    if !isCut, value.type != "null",
      let reference = table.references.first(where: {
        $0.originColumns.count == 1 && $0.originColumns[0].isSame(as: column.name)
      })
    {
      return link(
        text, address(of: reference.destination, reference.destinationColumns, [value.value]))
    }
    if key.isEmpty || !(isCut || value.type == "blob") { return .text(text + (isCut ? "…" : "")) }
    return HTML.element("span") {
      text
      HTML.element(
        "a",
        [
          "class": "more", "href": cellAddress(table, key, column),
          "aria-label": "All of \(column.name)",
        ]
      ) { (isCut ? "… " : " ") + (value.size.map(Numbers.size) ?? "more") }
    }
  }

  /// The rows of a table that have values in some columns.
  func address(of table: String, _ columns: [String], _ values: [DatabaseValue]) -> String {
    let conditions = zip(columns, values).map {
      Condition(column: $0, comparison: .equal, value: $1)
    }
    return place.address(
      "table", ["name": table, "where": site.remembered.name(Condition.values(conditions))])
  }

  // MARK: Documents

  /// A row as a document: what is set, and JSON as a tree.
  private func document(
    _ row: RowsQuery.ShownRow, _ table: TableFacts, _ columns: ArraySlice<ColumnInfo>,
    _ db: Database
  ) -> HTML {
    HTML.element(
      "article",
      ["class": "document", "data-key": row.key.isEmpty ? nil : site.remembered.name(row.key)]
    ) {
      HTML.element("h2") {
        if row.key.isEmpty {
          "Document"
        } else {
          link(keyText(row.key), rowAddress(table, row.key))
        }
      }
      HTML.element("dl") {
        for (column, value) in zip(columns, row.values) where value.type != "null" {
          HTML.element("dt") { column.name }
          HTML.element("dd", ["class": value.cellClass]) {
            if let tree = documentTree(value, column, row.key, table, db) {
              tree
            } else {
              shown(value, of: column, in: table, key: row.key)
            }
          }
        }
      }
    }
  }

  /// The tree of a JSON text of up to 16 KiB; nil for other values.
  private func documentTree(
    _ value: ShownValue, _ column: ColumnInfo, _ key: [DatabaseValue], _ table: TableFacts,
    _ db: Database
  ) -> HTML? {
    guard let text = String.fromDatabaseValue(value.value), value.type == "text",
      let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "["
    else { return nil }
    if !value.text.isCut { return JSONTree.draw(text, db) }
    guard !key.isEmpty, let size = value.size, size <= 16 << 10,
      let whole = try? String.fetchOne(
        db,
        sql:
          "SELECT \(column.name.quotedDatabaseIdentifier) FROM \(table.quoted) WHERE \(table.keyCondition)",
        arguments: StatementArguments(key))
    else { return nil }
    return JSONTree.draw(whole, db)
  }
}

extension TableFacts {
  /// Finds a row by the values of its key.
  var keyCondition: String {
    key.map { "\($0.quotedDatabaseIdentifier) IS ?" }.joined(separator: " AND ")
  }
}
