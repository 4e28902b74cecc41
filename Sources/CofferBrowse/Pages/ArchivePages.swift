import CofferArchive
import CofferDrawing
import Foundation

/// The time line of an archive, and what differs between two of its commits.
struct ArchivePages: Pages {
  let site: Site
  let request: HTTPRequest
  let archive: ArchiveStores

  private static let differenceLimit = 1_000

  var base: String { site.gate.base }
  var name: String { archive.name }
  var events: String? { nil }
  var sections: [(title: String, address: String)] { [("Archive", address("archive"))] }

  func response(_ path: String) throws -> HTTPResponse? {
    switch path {
    case "", "archive": return try timeline()
    case "open": return request.method == "POST" ? try open() : .redirect(to: address("archive"))
    case "compare": return try compare()
    default:
      let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "at", let commit = UInt64(parts[1]) else { return nil }
      return try archive.withStore(of: commit) { store in
        let pages = DatabasePages(
          site: site, request: request, store: store, base: commitAddress(commit),
          name: "\(name), commit \(commit)", isCommit: true)
        return try pages.response(String(parts[2]))
      }
    }
  }

  private func commitAddress(_ number: UInt64) -> String { address("at/\(number)/") }

  // MARK: Time line

  private func timeline() throws -> HTTPResponse {
    let summary = try archive.summary()
    let opened = archive.commits.sorted { $0.number < $1.number }
    return page("Time line", "Archive") {
      if summary.ranges.isEmpty {
        notice("No commit can be restored yet.")
      } else {
        Timeline.draw(
          summary.ranges.map { ($0.first.date, $0.last.date, title($0)) },
          marks: summary.ranges.flatMap(\.dated).map { ($0.date, title($0)) },
          points: opened.map { ($0.date, title($0) + ", is open", commitAddress($0.number)) })
        openForm(summary)
      }
      for problem in summary.problems {
        HTML.element("p", ["class": "error"]) { "\(problem)" }
      }
      if !opened.isEmpty {
        HTML.element("h2") { "Open commits" }
        HTML.element("ul") {
          for commit in opened {
            HTML.element("li") {
              link("Commit \(commit.number)", commitAddress(commit.number))
              " of \(Numbers.date(commit.date))"
            }
          }
        }
        if opened.count > 1 { compareForm(opened) }
      }
      HTML.element("h2") { "What can be opened" }
      table("Commits that can be restored", ["Commit", "Date", "And by number"]) {
        // Each with the one before in its range.
        let dated = summary.ranges.flatMap { Array(zip([nil] + $0.dated, $0.dated)) }
        for (before, commit) in dated.reversed().prefix(500) {
          row {
            cell(openButton(commit), class: "number")
            cell(Numbers.date(commit.date))
            cell(others(between: before, commit))
          }
        }
      }
    }
  }

  private func title(_ commit: ArchiveCommit) -> String {
    "Commit \(commit.number), \(Numbers.date(commit.date))"
  }

  private func title(_ range: ArchiveSummary.Range) -> String {
    let (first, last) = (range.first, range.last)
    return first.number == last.number
      ? title(first)
      : "Commits \(first.number) to \(last.number), until \(Numbers.date(last.date))"
  }

  /// The numbers of the commits between two of a range.
  private func others(between first: ArchiveCommit?, _ last: ArchiveCommit) -> String {
    guard let first, first.number + 1 < last.number else { return "" }
    return "\(first.number + 1)" + (first.number + 2 < last.number ? " to \(last.number - 1)" : "")
  }

  private func openButton(_ commit: ArchiveCommit) -> HTML {
    form(address("open")) {
      HTML.element("button", ["name": "number", "value": "\(commit.number)"]) { "\(commit.number)" }
    }
  }

  private func openForm(_ summary: ArchiveSummary) -> HTML {
    form(address("open")) {
      HTML.element("p") {
        HTML.element("label", ["for": "number"]) { "Commit" }
        HTML.element(
          "input",
          [
            "id": "number", "name": "number", "type": "number",
            "min": summary.ranges.first.map { "\($0.first.number)" },
            "max": summary.last.map { "\($0.number)" },
          ])
        " "
        HTML.element("label", ["for": "date"]) { "or the last one until, in UTC" }
        HTML.element(
          "input", ["id": "date", "name": "date", "type": "datetime-local", "step": "1"])
        HTML.element("button") { "Open" }
      }
    }
  }

  private func open() throws -> HTTPResponse {
    var point = ArchivePoint.latest
    if let number = request.form["number"].flatMap({ UInt64($0) }) {
      point = .commit(number)
    } else if let text = request["date"] {
      let whole = text.count == 16 ? text + ":00Z" : text + "Z"
      guard let date = try? Date(whole, strategy: .iso8601) else {
        throw BrowseError.refused("This is no date.")
      }
      point = .date(date)
    }
    do {
      return .redirect(to: commitAddress(try archive.open(point).number))
    } catch let error as ArchiveError {
      throw BrowseError.refused("\(error)")
    }
  }

  // MARK: Comparison

  private func compareForm(_ commits: [ArchiveCommit]) -> HTML {
    let numbers = commits.map { ("\($0.number)", "\($0.number)") }
    return HTML.element("form", ["action": address("compare")]) {
      "Compare "
      choice("from", label: "First commit", numbers, selected: numbers.first?.0)
      " with "
      choice("to", label: "Second commit", numbers, selected: numbers.last?.0)
      " "
      HTML.element("button") { "Compare" }
    }
  }

  private struct Enough: Error {}

  private func compare() throws -> HTTPResponse {
    guard let from = request["from"].flatMap({ UInt64($0) }),
      let to = request["to"].flatMap({ UInt64($0) })
    else { throw BrowseError.missing("Choose two commits in the time line.") }
    // In the order of the comparison: the schema, then each table.
    var groups: [(table: String?, lines: [HTML])] = []
    var rest = Self.differenceLimit
    try archive.withStore(of: from) { first in
      try archive.withStore(of: to) { second in
        // The same store twice would wait for its own reader.
        guard first !== second else { return }
        try first.read { old, _ in
          try second.read { new, _ in
            do {
              try site.services.compare(old, new) { difference in
                if groups.last?.table?.bytes != difference.table?.bytes || groups.isEmpty {
                  groups.append((difference.table, []))
                }
                groups[groups.count - 1].lines.append(line(difference))
                rest -= 1
                if rest == 0 { throw Enough() }
              }
            } catch is Enough {}
          }
        }
      }
    }
    return page("Commits \(from) and \(to)", "Archive") {
      if groups.isEmpty { notice("Nothing differs.") }
      for group in groups {
        HTML.element("section", ["class": "diff"]) {
          HTML.element("h2") { group.table ?? "Schema" }
          HTML.element("ul") { for line in group.lines { HTML.element("li") { line } } }
        }
      }
      if rest == 0 {
        notice("These are the first \(Numbers.count(Self.differenceLimit, "difference")).")
      }
    }
  }

  private func line(_ difference: BrowsedDifference) -> HTML {
    let text = String(String.UnicodeScalarView(difference.text.unicodeScalars.prefix(2_000)))
    return switch difference.mark {
    case "-": HTML.element("del") { "− " + text }
    case "+": HTML.element("ins") { "+ " + text }
    default: HTML.element("span") { "\(difference.mark) " + text }
    }
  }
}
