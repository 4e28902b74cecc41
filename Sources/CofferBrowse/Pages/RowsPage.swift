import Coffer
import CofferDrawing

/// The rows of a table or a view.
extension DatabasePages {
  /// The most columns on a page.
  private static let columnsPerPage = 20
  /// The most conditions.
  private static let conditionLimit = 8
  /// The fields of an address that say which page of the rows it is.
  private static let positions = ["after", "before", "last", "page"]

  // MARK: Conditions

  /// Takes the conditions of a form, and leads to the rows: an address has no values.
  func rememberConditions() throws -> HTTPResponse {
    let table = try store.read { db, _ in try TableFacts(request["name"], db) }
    let conditions = (0..<Self.conditionLimit).compactMap { index in
      table.column(request.form["column\(index)"]).flatMap { column in
        Condition(
          column.name, request.form["is\(index)"] ?? "", text: request.form["value\(index)"] ?? "")
      }
    }
    let pattern = request.form["pattern"] ?? ""
    return .redirect(
      to: here(
        [
          "where": conditions.isEmpty
            ? nil : site.remembered.name(Condition.values(conditions)),
          "match": pattern.isEmpty ? nil : site.remembered.name([pattern.databaseValue]),
        ], without: Self.positions))
  }

  private func conditionsForm(
    _ table: TableFacts, _ conditions: [Condition], pattern: String?, isSearchable: Bool
  ) -> HTML {
    let allRows = here([:], without: Self.positions + ["where", "match"])
    let columns = table.columns.map { column in
      (column.name, column.name + (column.type.isEmpty ? "" : " (\(column.type))"))
    }
    return form(allRows, class: "conditions") {
      if isSearchable {
        HTML.element("p") {
          HTML.element("label", ["for": "pattern"]) { "Search" }
          HTML.element(
            "input", ["id": "pattern", "name": "pattern", "type": "search", "value": pattern])
        }
      }
      HTML.element("fieldset") {
        HTML.element("legend") { "Conditions" }
        for index in 0...min(conditions.count, Self.conditionLimit - 1) {
          let condition = index < conditions.count ? conditions[index] : nil
          HTML.element("p") {
            choice(
              "column\(index)", label: "Column of condition \(index + 1)", [("", "–")] + columns,
              selected: condition?.column)
            choice(
              "is\(index)", label: "Comparison of condition \(index + 1)",
              Condition.comparisons.map { ($0.key, $0.key) }, selected: condition?.comparison)
            HTML.element(
              "input",
              [
                "name": "value\(index)", "aria-label": "Value of condition \(index + 1)",
                "value": condition.map { ShownValue.whole($0.value) },
              ])
          }
        }
      }
      HTML.element("button") { "Show" }
      if !conditions.isEmpty || pattern != nil { link("All rows", allRows) }
    }
  }

  // MARK: Rows

  func rowsPage() throws -> HTTPResponse {
    try store.read { db, reader in
      let table = try TableFacts(request["name"], db)
      let isDocuments = request["form"] == "documents"
      let conditions = Condition.list(try remembered("where")).filter {
        table.column($0.column) != nil
      }
      let pattern = try remembered("match").first.flatMap { String.fromDatabaseValue($0) }
      let search = try? site.services.searchCondition(table.name, db)
      let first = min(request.number("columns"), max(0, table.columns.count - 1))
      var query = RowsQuery(
        table: table, columns: table.columns[first...].prefix(Self.columnsPerPage),
        sort: table.column(request["sort"]), isDescending: request["desc"] != nil,
        conditions: conditions.map(\.sql), count: isDocuments ? 20 : 50)
      if let pattern, let search {
        query.conditions.append(SQL(sql: search, arguments: [pattern]))
      }
      let found: RowsQuery.Page
      do { found = try fetch(&query, db) } catch let error as DatabaseError
        where pattern != nil && error.resultCode == .SQLITE_ERROR
      {
        throw BrowseError.refused("The search isn't a full-text pattern: \(error.message ?? "")")
      }
      let count = try RowCount(
        of: query.selection, limit: 100_000, within: .milliseconds(50), db, reader)
      let isSlow = try query.sortsAll(db)
      return page(table.name, "Overview") {
        HTML.element("p") {
          HTML.element("span", ["data-live": "count"]) { count?.words ?? "Many rows" }
          ". "
          link("Schema", objectAddress(table.name))
          " "
          link(
            isDocuments ? "As a table" : "As documents",
            here(["form": isDocuments ? nil : "documents"], without: Self.positions))
        }
        conditionsForm(table, conditions, pattern: pattern, isSearchable: search != nil)
        if isSlow { notice("No index has this order: each page reads the whole table.") }
        if table.isView { notice("A view has no key: a page reads all rows before it.") }
        columnPages(table, from: first, by: Self.columnsPerPage)
        if isDocuments {
          HTML.element("div", ["data-live": "rows"]) {
            for row in found.rows { document(row, query, db) }
          }
        } else {
          grid(found, query)
        }
        rowPages(found, table)
      }
    }
  }

  private func fetch(_ query: inout RowsQuery, _ db: Database) throws -> RowsQuery.Page {
    if query.table.key.isEmpty {
      query.offset = max(0, request.number("page") - 1) * query.count
      return try query.fetch(db)
    }
    let isAfter = request["after"] != nil
    let start = try remembered(isAfter ? "after" : "before")
    return try query.fetch(
      after: start.isEmpty ? nil : start,
      isReversed: !isAfter && (request["before"] ?? request["last"]) != nil, db)
  }

  /// Links to the other columns of a wide table.
  func columnPages(_ table: TableFacts, from first: Int, by count: Int) -> HTML? {
    parts("columns", of: table.columns.count, from: first, by: count) { here(["columns": "\($0)"]) }
  }

  private func rowPages(_ found: RowsQuery.Page, _ table: TableFacts) -> HTML {
    func target(_ isThere: Bool, _ field: String, _ value: String?) -> String? {
      isThere && value != nil ? here([field: value], without: Self.positions) : nil
    }
    let first = found.hasPrevious ? here([:], without: Self.positions) : nil
    if table.key.isEmpty {
      let number = max(1, request.number("page"))
      return pages([
        ("first", first), ("previous", target(found.hasPrevious, "page", "\(number - 1)")),
        ("next", target(found.hasNext, "page", "\(number + 1)")),
      ])
    }
    let ends = [found.rows.first, found.rows.last].map {
      $0?.position.map { site.remembered.name($0) }
    }
    return pages([
      ("first", first), ("previous", target(found.hasPrevious, "before", ends[0])),
      ("next", target(found.hasNext, "after", ends[1])),
      ("last", target(found.hasNext, "last", "1")),
    ])
  }

  private func grid(_ found: RowsQuery.Page, _ query: RowsQuery) -> HTML {
    let table = query.table
    let heads = query.columns.map { column -> HTML in
      guard !table.key.isEmpty else { return .text(column.name) }
      let isSorted = query.sort?.name.isSame(as: column.name) == true
      let mark = isSorted ? (query.isDescending ? " ↓" : " ↑") : ""
      let address = here(
        ["sort": column.name, "desc": isSorted && !query.isDescending ? "1" : nil],
        without: Self.positions)
      return HTML.element(
        "a",
        ["href": address, "title": column.type.isEmpty ? "Sort by \(column.name)" : column.type]
      ) { column.name + mark }
    }
    let keyHead: [HTML] = table.key.isEmpty ? [] : [table.isRowID ? "Row" : "Key"]
    return self.table(table.name, keyHead + heads, live: "rows") {
      for found in found.rows {
        row(rowLink(table, found.key), key: keyName(found.key)) {
          for (column, value) in zip(query.columns, found.values) {
            cell(shown(value, of: column, in: table, key: found.key), class: value.cellClass)
          }
        }
      }
    }
  }

  /// The name of a row's key; nil for one of a view.
  private func keyName(_ key: [DatabaseValue]) -> String? {
    key.isEmpty ? nil : site.remembered.name(key)
  }

  /// A link to a row; nil for one of a view.
  private func rowLink(_ table: TableFacts, _ key: [DatabaseValue]) -> HTML? {
    key.isEmpty ? nil : link(keyText(key), rowAddress(table, key))
  }

  func keyText(_ key: [DatabaseValue]) -> String {
    key.map { ShownValue($0).text.text }.joined(separator: ", ")
  }

  func rowAddress(_ table: TableFacts, _ key: [DatabaseValue]) -> String {
    address("row", ["name": table.name, "key": site.remembered.name(key)])
  }

  func cellAddress(_ table: TableFacts, _ key: [DatabaseValue], _ column: ColumnInfo) -> String {
    address("cell", ["name": table.name, "key": site.remembered.name(key), "column": column.name])
  }

  /// A value in a cell: a link to the whole of it, or to the row that it refers to.
  func shown(
    _ value: ShownValue, of column: ColumnInfo, in table: TableFacts, key: [DatabaseValue]
  ) -> HTML {
    let (text, isCut) = value.text
    let reference = table.references.first {
      $0.originColumns.count == 1 && $0.originColumns[0].isSame(as: column.name)
    }
    if let reference, !isCut, value.type != "null" {
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
    let conditions = zip(columns, values).compactMap { Condition($0, "=", $1) }
    return address(
      "table", ["name": table, "where": site.remembered.name(Condition.values(conditions))])
  }

  // MARK: Documents

  /// A row as a document: what is set, and JSON as a tree.
  private func document(_ row: RowsQuery.ShownRow, _ query: RowsQuery, _ db: Database) -> HTML {
    HTML.element("article", ["class": "document", "data-key": keyName(row.key)]) {
      HTML.element("h2") { rowLink(query.table, row.key) ?? "Document" }
      HTML.element("dl") {
        for (column, value) in zip(query.columns, row.values) where value.type != "null" {
          HTML.element("dt") { column.name }
          HTML.element("dd", ["class": value.cellClass]) {
            documentTree(value, column, row.key, query.table, db)
              ?? shown(value, of: column, in: query.table, key: row.key)
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
    guard value.type == "text", var text = String.fromDatabaseValue(value.value) else { return nil }
    if value.text.isCut {
      let whole = SQLRequest<String>(
        literal: """
          SELECT \(identifier: column.name) FROM \(identifier: table.name) WHERE \(table.row(key))
          """)
      guard !key.isEmpty, let size = value.size, size <= 16 << 10,
        let all = try? whole.fetchOne(db)
      else { return nil }
      text = all
    }
    return JSONTree.draw(text, db)
  }
}
