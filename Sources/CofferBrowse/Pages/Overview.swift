import Coffer
import CofferDrawing
import Foundation

/// What the file is, and its tables.
extension PageMaker {
  private static let tablesPerPage = 100
  /// How long counting rows may take for one page, and how far a table is counted.
  private static let counting = (time: Duration.milliseconds(40), limit: 100_000)

  struct ListedTable {
    var name: String
    var kind: String
    var count: RowCount?
    var size: Int?
  }

  func overview() throws -> HTTPResponse {
    let number = max(1, request.number("page") ?? 1)
    return try store.read { db, reader in
      let total = try Int.fetchOne(db, sql: "SELECT count(*) \(Self.listed)") ?? 0
      let names = try Row.fetchAll(
        db,
        sql: """
          SELECT name, CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE type END
          \(Self.listed) ORDER BY name LIMIT \(Self.tablesPerPage) OFFSET ?
          """, arguments: [(number - 1) * Self.tablesPerPage])
      var tables = names.map { ListedTable(name: $0[0], kind: $0[1]) }
      try count(&tables, db, reader)
      let sizes = try self.sizes(db, reader)
      for index in tables.indices { tables[index].size = sizes?[Array(tables[index].name.utf8)] }
      let facts = try site.services.facts(db)
      return page("Overview", .overview) {
        HTML.element("section", ["aria-labelledby": "file"]) {
          HTML.element("h2", ["id": "file"]) { "The file" }
          HTML.element("div", ["data-live": "facts"]) { self.facts(facts) }
          form(place.address("check")) {
            HTML.element("button") { "Check its integrity" }
          }
        }
        HTML.element("section", ["aria-labelledby": "tables"]) {
          HTML.element("h2", ["id": "tables"]) { "Tables" }
          self.list(tables, total: total, page: number)
          if let sizes { sizeChart(sizes) } else { countChart(tables) }
          if sizes == nil {
            HTML.element("p") {
              if request["measure"] == nil {
                link("Measure the tables", place.address("", ["measure": "1"]))
                ", which reads the whole file."
              } else {
                "The tables are too large to be measured in time."
              }
            }
          }
        }
      }
    }
  }

  /// Tables and views that a user has made.
  private static let listed =
    "FROM sqlite_master WHERE type IN ('table', 'view') AND \(SchemaFacts.isMade)"

  private func list(_ tables: [ListedTable], total: Int, page: Int) -> HTML {
    let last = max(1, (total + Self.tablesPerPage - 1) / Self.tablesPerPage)
    return HTML.element("div") {
      if tables.isEmpty { HTML.element("p", ["class": "notice"]) { "No tables yet." } }
      if !tables.isEmpty {
        table(
          total == 1 ? "1 table or view" : "\(Numbers.grouped(total)) tables and views",
          ["Name", "Kind", "Rows", "Size", "Schema"].map { .text($0) }, live: "tables"
        ) {
          for table in tables {
            HTML.element("tr", ["data-key": table.name]) {
              HTML.element("th", ["scope": "row"]) { link(table.name, tableAddress(table.name)) }
              HTML.element("td") { table.kind }
              HTML.element("td", ["class": "number"]) { table.count?.text ?? "…" }
              HTML.element("td", ["class": "number"]) { table.size.map(Numbers.size) ?? "" }
              HTML.element("td") {
                HTML.element(
                  "a",
                  ["href": objectAddress(table.name), "aria-label": "Schema of \(table.name)"]
                ) { "columns" }
              }
            }
          }
        }
      }
      if last > 1 {
        pages([
          ("previous", page > 1 ? place.address("", ["page": "\(page - 1)"]) : nil, "prev"),
          ("page \(page) of \(last)", nil, nil),
          ("next", page < last ? place.address("", ["page": "\(page + 1)"]) : nil, "next"),
        ])
      }
    }
  }

  /// Counts rows for as long as the page may take. What isn't counted is the next time, since the
  /// counts are kept until the file changes.
  private func count(_ tables: inout [ListedTable], _ db: Database, _ reader: Reader) throws {
    let state = try [
      Row.fetchOne(db, sql: "PRAGMA data_version"), Row.fetchOne(db, sql: "PRAGMA page_count"),
    ]
    .map { $0.map { "\($0[0] as Int)" } ?? "" }.joined(separator: " ")
    let key = "\(ObjectIdentifier(reader)) \(state)"
    let known = store.counts.withLock { $0.state == key ? $0.counts : [:] }
    let end = ContinuousClock.now + Self.counting.time
    var counts = known
    for index in tables.indices where tables[index].kind == "table" {
      let name = tables[index].name
      if let count = known[Array(name.utf8)] {
        tables[index].count = count
        continue
      }
      let rest = end - ContinuousClock.now
      guard rest > .zero else { break }
      let count = try? db.count(
        name.quotedDatabaseIdentifier, limit: Self.counting.limit, within: rest, reader)
      tables[index].count = count
      counts[Array(name.utf8)] = count
    }
    let found = counts
    store.counts.withLock { $0 = (key, found) }
  }

  /// The bytes of each table; nil where that can't be had in time.
  private func sizes(_ db: Database, _ reader: Reader) throws -> [[UInt8]: Int]? {
    let isAsked = request["measure"] != nil
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    // All tables are read.
    guard isAsked || pages <= 500 else { return nil }
    do {
      return try reader.limit(isAsked ? .seconds(15) : .milliseconds(40)) {
        try site.services.sizes(db).reduce(into: [:]) { $0[Array($1.name.utf8)] = $1.bytes }
      }
    } catch BrowseError.tooLong { return nil }
  }

  /// The numbers of rows, where the sizes aren't known.
  private func countChart(_ tables: [ListedTable]) -> HTML {
    let counted = tables.compactMap { table in table.count.map { (table.name, $0) } }
    let bars = counted.sorted { $1.1.number < $0.1.number }.map { name, count in
      Chart.Bar(
        label: name, value: Double(count.number), text: count.text, address: tableAddress(name))
    }
    return HTML.element("div", ["data-live": "counts"]) {
      if bars.count > 1 { Chart.draw(bars: bars, title: "Rows") }
    }
  }

  private func sizeChart(_ sizes: [[UInt8]: Int]) -> HTML {
    let bars = sizes.sorted { ($1.value, $0.key.count) < ($0.value, $1.key.count) }.map {
      name, size in
      let name = String(decoding: name, as: UTF8.self)
      return Chart.Bar(
        label: name, value: Double(size), text: Numbers.size(size), address: tableAddress(name))
    }
    return HTML.element("div", ["data-live": "sizes"]) {
      if bars.count > 1 { Chart.draw(bars: bars, title: "Sizes") }
    }
  }

  // MARK: Integrity

  /// Checks the file, and tells what it does meanwhile.
  func checkPage() throws -> HTTPResponse {
    guard request.method == "POST" else {
      return page("Integrity", .overview) {
        form(place.address("check")) { HTML.element("button") { "Check the file's integrity" } }
      }
    }
    let parts = document("Integrity", .overview) {
      form(place.address("stop"), isStop: true) { HTML.element("button") { "Stop" } }
    }.parts(before: "</main>")
    let check = site.services.check
    let stream = Download(store) { db, write in
      try write(parts.head)
      var failure: (any Error)?
      func show(_ html: HTML) {
        do { try write(html.bytes) } catch { failure = failure ?? error }
      }
      let findings: [String]
      do {
        findings = try check(db) { step in show(HTML.element("p") { step + " …" }) }
      } catch {
        findings = ["The check has ended early: \(error)"]
      }
      if let failure { throw failure }
      show(
        HTML.element("section", ["aria-label": "Result"]) {
          if findings.isEmpty {
            HTML.element("p", ["class": "notice", "role": "status"]) { "Nothing is wrong." }
          } else {
            HTML.element("ul", ["class": "error", "role": "alert"]) {
              for finding in findings { HTML.element("li") { finding } }
            }
          }
        })
      try write(parts.tail)
    }
    return HTTPResponse(
      headers: [("Content-Type", "text/html; charset=utf-8")], body: .stream(stream))
  }
}

extension HTML {
  /// The bytes before the last place of a text, and from there on.
  fileprivate func parts(before text: String) -> (head: [UInt8], tail: [UInt8]) {
    let pattern = Array(text.utf8)
    let place = (0...(bytes.count - pattern.count)).last {
      bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
    return (Array(bytes[..<(place ?? bytes.count)]), Array(bytes[(place ?? bytes.count)...]))
  }
}
