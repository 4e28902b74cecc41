/// A picture of a run's ratios to C, as an SVG document.
///
/// It needs no fonts, scripts or other files, and follows the reader's light or dark mode.
package struct Chart {
  private struct Section {
    var title: String
    var rows: [(title: String, figure: Figure, grdb: Double?)]
  }

  // In SVG's units, which browsers show as pixels.
  private let width = 880.0
  private let plotStart = 350.0
  private let plotEnd = 740.0
  private let rowHeight = 28.0
  /// The ratio at the right end of the plot; longer bars are cut off there.
  private let limit = 3.0

  private let run: Run
  private let sections: [Section]

  package init(_ run: Run) {
    self.run = run
    sections = [
      (PublishedTable.main, "Time relative to the C API, the same file and process"),
      (PublishedTable.cipher, "Time relative to the C API on SQLCipher’s stock provider"),
    ].compactMap { table, title in
      let rows = table.rows.compactMap { row in
        run.benchmarks.first { $0.name == row.benchmark && $0.ratio != nil }
          .map { (row.title.replacing("`", with: ""), $0, row.grdb) }
      }
      return rows.isEmpty ? nil : Section(title: title, rows: rows)
    }
  }

  /// The SVG document.
  package var svg: String {
    var lines: [String] = []
    var y = 64.0
    for section in sections {
      lines.append(text(section.title, x: 16, y: y, class: "section"))
      let top = y + 12
      let bottom = top + rowHeight * Double(section.rows.count) + 4
      lines += axis(from: top, to: bottom)
      y = top + 4
      for row in section.rows {
        lines += bars(row.title, row.figure, grdb: row.grdb, y: y)
        y += rowHeight
      }
      y += 52
    }
    for note in notes {
      lines.append(text(note, x: 16, y: y - 22, class: "note"))
      y += 16
    }
    let height = y - 22
    return
      ([
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
        width="\(number(width))" height="\(number(height))" role="img" \
        aria-labelledby="title description">
        """,
        #"<title id="title">Coffer and GRDB compared with C</title>"#,
        #"<desc id="description">\#(Self.escaped(summary))</desc>"#,
        Self.style,
      ] + legend + lines + ["</svg>", ""]).joined(separator: "\n")
  }

  // MARK: Parts

  private static let style = """
    <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .section { font-weight: 600; }
    .note, .tick { font-size: 11px; fill: #59636e; }
    .end { text-anchor: end; }
    .middle { text-anchor: middle; }
    .coffer { fill: #2f6fdd; }
    .missed { fill: #c4600f; }
    .grdb { fill: #a9b1ba; }
    .grid { stroke: #d1d9e0; }
    .one { stroke: #59636e; stroke-dasharray: 3 2; }
    .goal { stroke: #1f2328; stroke-width: 2.5; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .note, .tick { fill: #9198a1; }
      .coffer { fill: #5b9bff; }
      .missed { fill: #f0883e; }
      .grdb { fill: #5d6670; }
      .grid { stroke: #3d444d; }
      .one { stroke: #9198a1; }
      .goal { stroke: #f0f6fc; }
    }
    </style>
    """

  private var legend: [String] {
    [
      rectangle("coffer", x: 16, y: 17, width: 14, height: 11),
      text("Coffer, goal met", x: 36, y: 27),
      rectangle("missed", x: 160, y: 17, width: 14, height: 11),
      text("goal missed", x: 180, y: 27),
      rectangle("grdb", x: 280, y: 20, width: 14, height: 6),
      text("GRDB 7.8", x: 300, y: 27),
      line("goal", x: 386, from: 15, to: 31),
      text("goal", x: 396, y: 27),
      line("one", x: 446, from: 15, to: 31),
      text("C", x: 456, y: 27),
      text("shorter is faster", x: width - 16, y: 27, class: "note end"),
    ]
  }

  private func axis(from top: Double, to bottom: Double) -> [String] {
    stride(from: 0, through: limit, by: 0.5).flatMap { value in
      [
        line(value == 1 ? "one" : "grid", x: position(value), from: top, to: bottom),
        text(
          value == 1 ? "1 = C" : number(value), x: position(value), y: bottom + 13,
          class: "tick middle"),
      ]
    }
  }

  private func bars(_ title: String, _ figure: Figure, grdb: Double?, y: Double) -> [String] {
    guard let ratio = figure.ratio else { return [] }
    let kind = figure.meetsGoal == false ? "missed" : "coffer"
    var lines = [
      text(title, x: plotStart - 10, y: y + 13, class: "end"),
      rectangle(kind, x: plotStart, y: y + 2, width: length(ratio), height: 11),
    ]
    var label = Format.ratio(ratio)
    if let grdb {
      lines.append(rectangle("grdb", x: plotStart, y: y + 15, width: length(grdb), height: 6))
      label += " (GRDB \(Format.ratio(grdb))\(grdb > limit ? " →" : ""))"
    }
    if let goal = figure.goal, goal <= limit {
      lines.append(line("goal", x: position(goal), from: y, to: y + 15))
    }
    lines.append(text(label, x: plotEnd + 10, y: y + 14, class: "note"))
    return lines
  }

  private var notes: [String] {
    let environment = run.environment
    return [
      "Recorded on \(environment.date), SQLCipher \(environment.sqlcipher), "
        + "\(environment.processor), \(environment.cores) cores",
      "GRDB 7.8 on SQLCipher 4.6.1, measured on 2026-11-22",
    ]
  }

  private var summary: String {
    sections.map { section in
      section.title + ": "
        + section.rows.map { row in
          row.title + " " + Format.ratio(row.figure.ratio ?? 0)
            + (row.figure.goal.map { ", goal \(Format.ratio($0))" } ?? "")
            + (row.grdb.map { ", GRDB \(Format.ratio($0))" } ?? "")
        }.joined(separator: "; ")
    }.joined(separator: ". ")
  }

  // MARK: Elements

  private func position(_ ratio: Double) -> Double { plotStart + length(ratio) }

  private func length(_ ratio: Double) -> Double {
    max(0, min(ratio, limit)) / limit * (plotEnd - plotStart)
  }

  private func rectangle(
    _ kind: String, x: Double, y: Double, width: Double, height: Double
  ) -> String {
    """
    <rect class="\(kind)" x="\(number(x))" y="\(number(y))" width="\(number(width))" \
    height="\(number(height))"/>
    """
  }

  private func line(_ kind: String, x: Double, from top: Double, to bottom: Double) -> String {
    """
    <line class="\(kind)" x1="\(number(x))" x2="\(number(x))" y1="\(number(top))" \
    y2="\(number(bottom))"/>
    """
  }

  private func text(_ content: String, x: Double, y: Double, class kind: String? = nil) -> String {
    let attribute = kind.map { " class=\"\($0)\"" } ?? ""
    return "<text\(attribute) x=\"\(number(x))\" y=\"\(number(y))\">\(Self.escaped(content))</text>"
  }

  /// Formats a coordinate with at most one decimal.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  /// Returns text as the content of an XML element, without characters that XML can't contain.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\t", "\n", "\r", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"...:
        result.unicodeScalars.append(scalar)
      default: break
      }
    }
    return result
  }
}
