import Coffer
import CofferDrawing
import Foundation

/// SQL that only reads.
extension DatabasePages {
  private static let limit = (
    seconds: 10, rows: 500, columns: 200, bytes: 2 << 20, sql: 32 << 10
  )

  /// Takes the SQL of the form, and leads to its result: an address has no values.
  func rememberQuery() -> HTTPResponse {
    let sql = (request.form["sql"] ?? "").prefix(Self.limit.sql)
    guard sql.contains(where: { !$0.isWhitespace }) else {
      return .redirect(to: address("query"))
    }
    let name = site.remembered.name([String(sql).databaseValue])
    site.remember(query: name)
    return .redirect(
      to: address("query", ["q": name, "plan": request.form["do"] == "plan" ? "1" : nil]))
  }

  func stopQueries() -> HTTPResponse {
    store.stopQueries()
    return page("Stopped", "Query") {
      HTML.element("p", ["class": "notice", "role": "status"]) {
        "The running queries were stopped."
      }
      HTML.element("p") { link("Query", address("query")) }
    }
  }

  func queryPage() throws -> HTTPResponse {
    let sql = try remembered("q").first.flatMap { String.fromDatabaseValue($0) }
    if let sql, let format = request["download"].flatMap({ BrowsedFormat(rawValue: $0) }) {
      return try download(sql, format)
    }
    let result: HTML? = sql.map { sql in
      do {
        return try store.read(within: .seconds(Self.limit.seconds), isQuery: true) { db, reader in
          let statement = try statement(sql, db)
          return try request["plan"] != nil ? plan(statement, db) : run(statement, reader)
        }
      } catch { return errorText(explanation(error).text) }
    }
    let queries = site.queries
    return page("Query", "Query") {
      form(address("query"), class: "query") {
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
      form(address("stop"), class: "stop", isStop: true) {
        HTML.element("button") { "Stop running queries" }
      }
      result
      if !queries.isEmpty {
        section("Earlier queries") {
          HTML.element("ul", ["class": "history"]) {
            for query in queries {
              HTML.element("li") {
                link(String(query.sql.prefix(200)), address("query", ["q": query.name]))
              }
            }
          }
        }
      }
    }
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

  private func run(_ statement: Statement, _ reader: Reader) throws -> HTML {
    let start = ContinuousClock.now
    let cursor = try Row.fetchCursor(statement)
    var rows: [[ShownValue]] = []
    var size = 0
    var next = try cursor.next()
    while let row = next, rows.count < Self.limit.rows, size < Self.limit.bytes {
      try reader.check()
      let values = (0..<row.count).map { ShownValue(cutting: row, at: $0) }
      size += values.reduce(0) { $0 + 32 + $1.text.text.utf8.count }
      rows.append(values)
      next = try cursor.next()
    }
    return result(
      statement.columnNames, rows, hasMore: next != nil, time: ContinuousClock.now - start)
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
    return section("Result") {
      HTML.element("p") {
        "\(words), \(milliseconds < 1 ? "less than 1" : "\(milliseconds)") ms. "
        for format in BrowsedFormat.allCases {
          HTML.element("a", ["href": here(["download": format.rawValue]), "download": ""]) {
            format.rawValue.uppercased()
          }
          " "
        }
        link("Plan", here(["plan": "1"]))
      }
      if let chart, rows.count > 1 {
        HTML.element("div", ["data-live": isLive ? "chart" : nil]) { Chart.draw(chart) }
        pages(
          Chart.Kind.allCases.map { kind in
            (kind.rawValue, kind == chart.kind ? nil : here(["chart": kind.rawValue]))
          }, label: "Charts")
      }
      table(
        "Rows", names.prefix(Self.limit.columns).map { .text($0) }, live: isLive ? "result" : nil
      ) {
        for values in rows {
          row {
            for value in values.prefix(Self.limit.columns) {
              cell(value.text.text + (value.text.isCut ? "…" : ""), class: value.cellClass)
            }
          }
        }
      }
      if names.count > Self.limit.columns {
        notice("\(Self.limit.columns) of \(names.count) columns are shown.")
      }
    }
  }

  private func download(_ sql: String, _ format: BrowsedFormat) throws -> HTTPResponse {
    // A statement that doesn't compile is an error page.
    try store.read { db, _ in _ = try self.statement(sql, db) }
    let stream = try BodyStream.download(store, waiting: 2) { db, write in
      try site.services.write(try self.statement(sql, db), format, write)
    }
    return HTTPResponse(
      headers: [
        ("Content-Type", format == .csv ? "text/csv; charset=utf-8" : "application/json"),
        ("Content-Disposition", "attachment; filename=\"query.\(format.rawValue)\""),
      ], body: .stream(stream))
  }

  // MARK: Plan

  private func plan(_ statement: Statement, _ db: Database) throws -> HTML {
    let plan = try site.services.plan(of: statement.sql, db)
    return section("Plan") {
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
      HTML.element("p") { link("Run", here(["plan": nil])) }
    }
  }

  private func steps(_ steps: [BrowsedStep]) -> HTML {
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

extension BrowsedStep {
  /// Whether it or a step inside reads a whole table.
  fileprivate var scans: Bool { isFullScan || steps.contains(where: \.scans) }
}
