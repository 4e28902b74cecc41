import Coffer
import CofferDrawing

/// What the file is, and its tables.
extension DatabasePages {
  private static let tablesPerPage = 100

  func overview() throws -> HTTPResponse {
    let first = request.number("from")
    return try store.read { db, reader in
      let all = try site.services.tables(db)
      let tables = all.dropFirst(first).prefix(Self.tablesPerPage)
      let counts = try count(tables, db, reader)
      let sizes = try self.sizes(db, reader)
      let facts = try site.services.facts(db)
      return page("Overview", "Overview") {
        section("The file") {
          HTML.element("div", ["data-live": "facts"]) {
            self.facts { for fact in facts { row(.text(fact.name)) { cell(fact.text) } } }
          }
          form(address("check")) { HTML.element("button") { "Check its integrity" } }
        }
        section("Tables") {
          if tables.isEmpty {
            notice("No tables yet.")
          } else {
            table(
              all.count == 1 ? "1 table or view" : "\(Numbers.grouped(all.count)) tables and views",
              ["Name", "Kind", "Rows", "Size", "Schema"], live: "tables"
            ) {
              for (name, kind) in tables {
                row(link(name, tableAddress(name)), key: name) {
                  cell(kind)
                  cell(counts[name.bytes]?.text ?? (kind == "table" ? "…" : ""), class: "number")
                  cell(sizes?[name.bytes].map(Numbers.size) ?? "", class: "number")
                  cell(link("columns", objectAddress(name), label: "Schema of \(name)"))
                }
              }
            }
          }
          parts("tables", of: all.count, from: first, by: Self.tablesPerPage) {
            here(["from": "\($0)"])
          }
          if let sizes {
            chart("Sizes", sizes.map { ($0, Double($1), Numbers.size($1)) })
          } else {
            chart("Rows", counts.map { ($0, Double($1.number), $1.text) })
            HTML.element("p") {
              if request["measure"] == nil {
                link("Measure the tables", here(["measure": "1"]))
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

  /// Counts rows for as long as the page may take. What isn't counted is the next time, since the
  /// counts are kept until the file changes.
  private func count(
    _ tables: ArraySlice<(name: String, kind: String)>, _ db: Database, _ reader: Reader
  ) throws -> [[UInt8]: RowCount] {
    let version = try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
    let known = reader.counts.withLock { $0.version == version ? $0.counts : [:] }
    let end = ContinuousClock.now + .milliseconds(40)
    var counts: [[UInt8]: RowCount] = [:]
    for (name, kind) in tables where kind == "table" {
      counts[name.bytes] =
        known[name.bytes]
        ?? (try? RowCount(
          of: "\(identifier: name)", limit: 100_000, within: end - .now, db, reader))
    }
    let found = known.merging(counts) { $1 }
    reader.counts.withLock { $0 = (version, found) }
    return counts
  }

  /// The bytes of each table; nil where that can't be had in time.
  private func sizes(_ db: Database, _ reader: Reader) throws -> [[UInt8]: Int]? {
    let isAsked = request["measure"] != nil
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    // All tables are read.
    guard isAsked || pages <= 500 else { return nil }
    do {
      return try reader.limit(isAsked ? .seconds(15) : .milliseconds(40)) {
        try site.services.sizes(db).reduce(into: [:]) { $0[$1.name.bytes] = $1.bytes }
      }
    } catch BrowseError.tooLong { return nil }
  }

  /// The tables' figures as bars, the largest first.
  private func chart(
    _ title: String, _ figures: [(name: [UInt8], value: Double, text: String)]
  ) -> HTML {
    let sorted = figures.sorted { ($1.value, $0.name.count) < ($0.value, $1.name.count) }
    let bars = sorted.map { figure in
      let name = String(decoding: figure.name, as: UTF8.self)
      return Chart.Bar(
        label: name, value: figure.value, text: figure.text, address: tableAddress(name))
    }
    return HTML.element("div", ["data-live": title.lowercased()]) {
      if bars.count > 1 { Chart.draw(bars: bars, title: title) }
    }
  }

  // MARK: Integrity

  /// Checks the file, and tells what it does meanwhile.
  func checkPage() throws -> HTTPResponse {
    guard request.method == "POST" else {
      return page("Integrity", "Overview") {
        form(address("check")) { HTML.element("button") { "Check the file's integrity" } }
      }
    }
    let whole = document("Integrity", "Overview") {
      form(address("stop"), isStop: true) { HTML.element("button") { "Stop" } }
    }.bytes
    // What is found comes before the last element of the page's end.
    let end = whole.count - Array("</main>".utf8).count
    let place = (0...end).last { whole[$0...].starts(with: "</main>".utf8) } ?? end
    let stream = try BodyStream.download(store) { db, write in
      try write(Array(whole[..<place]))
      var failure: (any Error)?
      func show(_ html: HTML) {
        do { try write(html.bytes) } catch { failure = failure ?? error }
      }
      let findings: [String]
      do {
        findings = try site.services.check(db) { step in
          show(HTML.element("p") { step + " …" })
        }
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
      try write(Array(whole[place...]))
    }
    return HTTPResponse(
      headers: [("Content-Type", "text/html; charset=utf-8")], body: .stream(stream))
  }
}
