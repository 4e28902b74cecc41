import Coffer
import CofferArchive
import CofferDrawing
import Foundation

/// The time line of an archive, and what differs between two of its commits.
struct ArchivePages {
  let site: Site
  let archive: ArchiveStores
  let request: HTTPRequest

  private static let differenceLimit = 1_000

  func response(_ path: String) throws -> HTTPResponse? {
    switch path {
    case "", "archive": try timeline()
    case "open": request.method == "POST" ? try open() : .redirect(to: site.base + "archive")
    case "compare": try compare()
    default: nil
    }
  }

  private func page(_ title: String, @HTMLBuilder _ content: () throws -> HTML) rethrows
    -> HTTPResponse
  {
    .page(
      try site.document(
        title, name: archive.name, commit: nil, links: [(.archive, site.base + "archive")],
        section: .archive, isLive: false, content))
  }

  private func form(
    _ path: String, @HTMLBuilder _ content: () -> HTML
  ) -> HTML {
    HTML.element("form", ["method": "post", "action": site.base + path]) {
      HTML.element("input", ["type": "hidden", "name": "csrf", "value": site.formToken])
      content()
    }
  }

  private func link(_ commit: ArchiveCommit) -> HTML {
    HTML.element("a", ["href": "\(site.base)at/\(commit.number)/"]) { "Commit \(commit.number)" }
  }

  // MARK: Time line

  private func timeline() throws -> HTTPResponse {
    let summary = try archive.summary()
    let opened = archive.commits.sorted { $0.number < $1.number }
    return page("Time line") {
      if summary.ranges.isEmpty {
        HTML.element("p", ["class": "notice"]) { "No commit can be restored yet." }
      } else {
        Timeline.draw(
          summary.ranges.map { ($0.first.date, $0.last.date, title($0)) },
          points: opened.map {
            ($0.date, "Commit \($0.number) is open", "\(site.base)at/\($0.number)/")
          })
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
              link(commit)
              " of \(Numbers.date(commit.date))"
            }
          }
        }
        if opened.count > 1 { compareForm(opened) }
      }
      HTML.element("h2") { "What can be opened" }
      HTML.element("div", ["class": "scroll"]) {
        HTML.element("table", ["class": "rows"]) {
          HTML.element("caption") { "Commits that can be restored" }
          HTML.element("thead") {
            HTML.element("tr") {
              for name in ["First", "Date", "Last", "Date"] {
                HTML.element("th", ["scope": "col"]) { name }
              }
            }
          }
          HTML.element("tbody") {
            for range in summary.ranges.reversed().prefix(500) {
              HTML.element("tr") {
                for commit in [range.first, range.last] {
                  HTML.element("td", ["class": "number"]) { openButton(commit) }
                  HTML.element("td") { Numbers.date(commit.date) }
                }
              }
            }
          }
        }
      }
    }
  }

  private func title(_ range: ArchiveSummary.Range) -> String {
    let (first, last) = (range.first, range.last)
    return first.number == last.number
      ? "Commit \(first.number), \(Numbers.date(first.date))"
      : "Commits \(first.number) to \(last.number), until \(Numbers.date(last.date))"
  }

  private func openButton(_ commit: ArchiveCommit) -> HTML {
    form("open") {
      HTML.element("button", ["name": "number", "value": "\(commit.number)"]) { "\(commit.number)" }
    }
  }

  private func openForm(_ summary: ArchiveSummary) -> HTML {
    form("open") {
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
    let point: ArchivePoint
    if let number = request.form["number"].flatMap({ UInt64($0) }) {
      point = .commit(number)
    } else if let text = request.form["date"], !text.isEmpty {
      let whole = text.count == 16 ? text + ":00Z" : text + "Z"
      guard let date = try? Date(whole, strategy: .iso8601) else {
        throw BrowseError.refused("This is no date.")
      }
      point = .date(date)
    } else {
      point = .latest
    }
    do {
      let commit = try archive.open(point)
      return .redirect(to: "\(site.base)at/\(commit.number)/")
    } catch let error as ArchiveError {
      throw BrowseError.refused("\(error)")
    }
  }

  // MARK: Comparison

  private func compareForm(_ commits: [ArchiveCommit]) -> HTML {
    func choice(_ name: StaticString, _ label: String, _ selected: ArchiveCommit?) -> HTML {
      HTML.element("label") {
        label + " "
        HTML.element("select", ["name": name.description]) {
          for commit in commits {
            HTML.element(
              "option", ["value": "\(commit.number)", "selected": commit == selected ? "" : nil]
            ) { "\(commit.number)" }
          }
        }
      }
    }
    return HTML.element("form", ["action": site.base + "compare"]) {
      choice("from", "Compare", commits.first)
      choice("to", "with", commits.last)
      HTML.element("button") { "Compare" }
    }
  }

  private struct Enough: Error {}

  private func compare() throws -> HTTPResponse {
    guard let from = request["from"].flatMap({ UInt64($0) }),
      let to = request["to"].flatMap({ UInt64($0) })
    else { throw BrowseError.missing("Choose two commits in the time line.") }
    var differences: [BrowseServices.Difference] = []
    var isWhole = true
    let compare = site.services.compare
    try archive.withStore(of: from) { first in
      try archive.withStore(of: to) { second in
        // The same store twice would wait for its own reader.
        guard first !== second else { return }
        try first.read { old, _ in
          try second.read { new, _ in
            do {
              try compare(old, new) { difference in
                differences.append(difference)
                if differences.count >= Self.differenceLimit { throw Enough() }
              }
            } catch is Enough { isWhole = false }
          }
        }
      }
    }
    // In the order of the comparison: the schema, then each table.
    var groups: [(name: String, differences: ArraySlice<BrowseServices.Difference>)] = []
    for index in differences.indices {
      let name = differences[index].table ?? ""
      if groups.last?.name.isSame(as: name) == true {
        groups[groups.count - 1].differences.append(differences[index])
      } else {
        groups.append((name, differences[index...index]))
      }
    }
    return page("Commits \(from) and \(to)") {
      if differences.isEmpty {
        HTML.element("p", ["class": "notice"]) { "Nothing differs." }
      }
      for group in groups {
        HTML.element("section", ["class": "diff"]) {
          HTML.element("h2") { group.name.isEmpty ? "Schema" : group.name }
          HTML.element("ul") {
            for difference in group.differences {
              HTML.element("li") { line(difference) }
            }
          }
        }
      }
      if !isWhole {
        HTML.element("p", ["class": "notice"]) {
          "These are the first \(Numbers.count(Self.differenceLimit, "difference"))."
        }
      }
    }
  }

  private func line(_ difference: BrowseServices.Difference) -> HTML {
    let scalars = difference.text.unicodeScalars.prefix(2_000)
    let text = String(String.UnicodeScalarView(scalars))
    return switch difference.mark {
    case "-": HTML.element("del") { "− " + text }
    case "+": HTML.element("ins") { "+ " + text }
    default: HTML.element("span") { "\(difference.mark) " + text }
    }
  }
}
