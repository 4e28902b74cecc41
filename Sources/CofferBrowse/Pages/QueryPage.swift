import Coffer
import CofferDrawing
import Foundation

/// SQL that only reads.
extension PageMaker {
  private static let limit = (time: Duration.seconds(10), rows: 500, bytes: 2 << 20, sql: 32 << 10)

  /// Takes the SQL of the form, and leads to its result: an address has no values.
  func rememberQuery() -> HTTPResponse {
    let sql = (request.form["sql"] ?? "").prefix(Self.limit.sql)
    guard sql.contains(where: { !$0.isWhitespace }) else {
      return .redirect(to: place.address("query"))
    }
    let name = site.remembered.name([String(sql).databaseValue])
    site.remember(query: name)
    return .redirect(
      to: place.address(
        "query", ["q": name, "plan": request.form["do"] == "plan" ? "1" : nil]))
  }

  func stopQueries() -> HTTPResponse {
    store.stopQueries()
    return page("Stopped", .query) {
      HTML.element("p", ["class": "notice", "role": "status"]) {
        "The running queries were stopped."
      }
      HTML.element("p") { link("Query", place.address("query")) }
    }
  }

  func queryPage() throws -> HTTPResponse {
    let sql = try request["q"].flatMap {
      String.fromDatabaseValue(try site.remembered.values($0).first ?? .null)
    }
    if let sql, let format = request["download"].flatMap({ BrowseServices.Format(rawValue: $0) }) {
      return try download(sql, format)
    }
    let result = try sql.map { sql in
      do {
        try ReadOnlySQL.check(sql)
        return try request["plan"] != nil ? plan(sql) : run(sql)
      } catch { return try failure(error) }
    }
    return page("Query", .query) {
      form(place.address("query"), class: "query") {
        HTML.element("label", ["for": "sql"]) { "SQL that reads" }
        HTML.element(
          "textarea",
          [
            "id": "sql", "name": "sql", "rows": "6", "spellcheck": "false",
            "maxlength": "\(Self.limit.sql)", "autocapitalize": "off",
          ]
        ) {
          // The first line end of a text area isn't a part of it.
          sql.map { "\n" + $0 } ?? ""
        }
        HTML.element("button", ["name": "do", "value": "run"]) { "Run" }
        HTML.element("button", ["name": "do", "value": "plan"]) { "Plan" }
      }
      form(place.address("stop"), class: "stop", isStop: true) {
        HTML.element("button") { "Stop running queries" }
      }
      if let result { result }
      history()
    }
  }

  private func history() -> HTML? {
    let queries = site.queries
    guard !queries.isEmpty else { return nil }
    return HTML.element("section", ["aria-labelledby": "history"]) {
      HTML.element("h2", ["id": "history"]) { "Earlier queries" }
      HTML.element("ul", ["class": "history"]) {
        for query in queries {
          HTML.element("li") {
            link(String(query.sql.prefix(200)), place.address("query", ["q": query.name]))
          }
        }
      }
    }
  }

  /// What the statement's author can do something about; other errors are those of the page.
  private func failure(_ error: any Error) throws -> HTML {
    let text: String
    switch error {
    case let error as DatabaseError: text = error.message ?? "\(error.resultCode)"
    case BrowseError.refused(let reason): text = reason
    case BrowseError.tooLong:
      text = "The query took longer than \(Self.limit.time.components.seconds) s, and was ended."
    case BrowseError.stopped: text = "The query was stopped."
    default: text = "\(error)"
    }
    return HTML.element("p", ["class": "error", "role": "alert"]) { text }
  }

  /// The one statement of a text, if it only reads.
  private func statement(_ sql: String, _ db: Database) throws -> Statement {
    try ReadOnlySQL.check(sql)
    let statement = try site.services.statement(sql, db)
    guard statement.isReadonly else {
      throw BrowseError.refused("The statement writes, and pages only read.")
    }
    return statement
  }

  // MARK: Result

  private func run(_ sql: String) throws -> HTML {
    try store.read(within: Self.limit.time, isQuery: true) { db, reader in
      let start = ContinuousClock.now
      let statement = try self.statement(sql, db)
      let cursor = try Row.fetchCursor(statement)
      var rows: [[ShownValue]] = []
      var size = 0
      var hasMore = false
      let first = try cursor.next()
      let names = statement.columnNames
      var next = first
      while let row = next {
        try reader.check()
        guard rows.count < Self.limit.rows, size < Self.limit.bytes else {
          hasMore = true
          break
        }
        let values = (0..<row.count).map { ShownValue(cutting: row, at: $0) }
        size += values.reduce(0) { $0 + 32 + $1.text.text.utf8.count }
        rows.append(values)
        next = try cursor.next()
      }
      let time = ContinuousClock.now - start
      return result(names, rows, hasMore: hasMore, time: time)
    }
  }

  private func result(
    _ names: [String], _ rows: [[ShownValue]], hasMore: Bool, time: Duration
  ) -> HTML {
    let milliseconds = Int(time / .milliseconds(1))
    let words = (hasMore ? "The first " : "") + Numbers.count(rows.count, "row")
    var chart = Chart.suggestion(columns: names, rows: rows.map { $0.map(\.value) })
    if let kind = request["chart"].flatMap({ Chart.Kind(rawValue: $0) }) { chart?.kind = kind }
    // A slow query isn't run again for each commit of another program.
    let isLive = time < .milliseconds(250)
    return HTML.element("section", ["aria-labelledby": "result"]) {
      HTML.element("h2", ["id": "result"]) { "Result" }
      HTML.element("p") {
        "\(words), \(milliseconds < 1 ? "less than 1" : "\(milliseconds)") ms. "
        for format in BrowseServices.Format.allCases {
          HTML.element(
            "a", ["href": queryAddress(["download": format.rawValue]), "download": ""]
          ) { format.rawValue.uppercased() }
          " "
        }
        link("Plan", queryAddress(["plan": "1"]))
      }
      if let chart, rows.count > 1 {
        HTML.element("div", ["data-live": isLive ? "chart" : nil]) { Chart.draw(chart) }
        pages(
          Chart.Kind.allCases.map { kind in
            (
              kind.rawValue,
              kind == chart.kind ? nil : queryAddress(["chart": kind.rawValue]), nil
            )
          }, "Charts")
      }
      table("Rows", names.prefix(200).map { .text($0) }, live: isLive ? "result" : nil) {
        for row in rows {
          HTML.element("tr") {
            for value in row.prefix(200) {
              HTML.element("td", ["class": value.cellClass]) {
                value.text.text + (value.text.isCut ? "…" : "")
              }
            }
          }
        }
      }
      if names.count > 200 {
        HTML.element("p", ["class": "notice"]) { "200 of \(names.count) columns are shown." }
      }
    }
  }

  private func queryAddress(_ field: KeyValuePairs<String, String?>) -> String {
    Place.address(
      place.base + "query",
      [("q", request["q"] ?? "")] + field.compactMap { name, value in value.map { (name, $0) } })
  }

  private func download(_ sql: String, _ format: BrowseServices.Format) throws -> HTTPResponse {
    try ReadOnlySQL.check(sql)
    // A statement that doesn't compile is an error page.
    try store.read { db, _ in _ = try self.statement(sql, db) }
    let stream = Download(store) { db, write in
      try site.services.write(try self.statement(sql, db), format, write)
    }
    return HTTPResponse(
      headers: [
        ("Content-Type", format == .csv ? "text/csv; charset=utf-8" : "application/json"),
        ("Content-Disposition", "attachment; filename=\"query.\(format.rawValue)\""),
      ], body: .stream(stream))
  }

  // MARK: Plan

  private func plan(_ sql: String) throws -> HTML {
    try store.read(within: Self.limit.time, isQuery: true) { db, _ in
      let statement = try self.statement(sql, db)
      let plan = try site.services.plan(statement.sql, db)
      return HTML.element("section", ["aria-labelledby": "plan"]) {
        HTML.element("h2", ["id": "plan"]) { "Plan" }
        steps(plan.steps)
        if let index = plan.index {
          HTML.element("p") { "An index for it:" }
          HTML.element("pre", ["class": "sql"]) { index }
        } else {
          HTML.element("p") {
            plan.steps.contains(where: \.scans)
              ? "No index on its columns would help." : "It reads no whole table."
          }
        }
        HTML.element("p") { link("Run", queryAddress(["plan": nil])) }
      }
    }
  }

  private func steps(_ steps: [BrowseServices.Step]) -> HTML {
    HTML.element("ul", ["class": "plan"]) {
      for step in steps {
        HTML.element("li", ["class": step.isFullScan ? "scan" : nil]) {
          step.text
          if step.isFullScan { HTML.element("strong") { " reads the whole table" } }
          if !step.steps.isEmpty { self.steps(step.steps) }
        }
      }
    }
  }
}

extension BrowseServices.Step {
  /// Whether it or a step inside reads a whole table.
  fileprivate var scans: Bool { isFullScan || steps.contains(where: \.scans) }
}
