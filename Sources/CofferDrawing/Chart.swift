import Coffer
import Foundation

/// Rows of a query as bars, a line or points.
///
/// NULL, text among numbers, and numbers without a place on an axis are left out. What is drawn is
/// bounded, however many rows there are.
package struct Chart: Sendable {
  package enum Kind: String, CaseIterable, Sendable { case bars, line, points }

  /// A bar of a bar chart.
  package struct Bar: Sendable {
    var label: String
    var value: Double
    /// The value as it is shown.
    var text: String
    /// Where the label leads.
    var address: String?

    package init(label: String, value: Double, text: String, address: String? = nil) {
      (self.label, self.value, self.text, self.address) = (label, value, text, address)
    }
  }

  /// The most bars, and the most points of a line, that are drawn.
  static let limit = (bars: 40, points: 2000)

  package var kind: Kind
  /// The columns of the values, and of what they belong to; nil for the numbers of rows.
  private(set) var y: Int
  private(set) var x: Int?
  private var isDate = false
  private let columns: [String]
  private let rows: [[DatabaseValue]]

  /// The chart that suits the types of the rows: bars for texts with a number, a line or points for
  /// dates or numbers with a number; nil where no column has numbers alone.
  ///
  /// Of several columns the last number is drawn, over the first date, text or number.
  package static func suggestion(columns: [String], rows: [[DatabaseValue]]) -> Chart? {
    let contents = columns.indices.map { Content(of: rows, column: $0) }
    guard let y = contents.lastIndex(of: .numbers) else { return nil }
    var chart = Chart(kind: .line, y: y, x: nil, columns: columns, rows: rows)
    let others = contents.indices.filter { $0 != y }
    for content in [Content.dates, .texts, .numbers] {
      guard let x = others.first(where: { contents[$0] == content }) else { continue }
      chart.x = x
      chart.isDate = content == .dates
      if content == .texts {
        chart.kind = .bars
      } else {
        let places = chart.values().map(\.x)
        chart.kind = Set(places).count == places.count ? .line : .points
      }
      break
    }
    return chart
  }

  private enum Content {
    case numbers, dates, texts, others

    init(of rows: [[DatabaseValue]], column: Int) {
      var (numbers, dates, texts) = (0, 0, 0)
      for row in rows where column < row.count {
        switch row[column].storage {
        case .null: break
        case .int64: numbers += 1
        case .double(let value): numbers += value.isFinite ? 1 : 0
        case .string: if seconds(row[column]) != nil { dates += 1 } else { texts += 1 }
        case .blob:
          self = .others
          return
        }
      }
      if texts > 0 || (numbers > 0 && dates > 0) {
        self = .texts
      } else if dates > 0 {
        self = .dates
      } else {
        self = numbers > 0 ? .numbers : .others
      }
    }
  }

  /// Seconds since 1970 of a text that begins with a year.
  private static func seconds(_ value: DatabaseValue) -> Double? {
    guard case .string(let text) = value.storage, text.utf8.count < 40,
      text.utf8.prefix(4).allSatisfy({ 48...57 ~= $0 }), text.utf8.dropFirst(4).first == 45
    else { return nil }
    return Date.fromDatabaseValue(value)?.timeIntervalSince1970
  }

  private static func number(_ value: DatabaseValue) -> Double? {
    switch value.storage {
    case .int64(let number): Double(number)
    case .double(let number) where number.isFinite: number
    default: nil
    }
  }

  /// What has a place on both axes; for a line in the order of x.
  private func values() -> [(x: Double, y: Double)] {
    var values: [(x: Double, y: Double)] = []
    for (index, row) in rows.enumerated() {
      guard y < row.count, let height = Self.number(row[y]) else { continue }
      if let x {
        let place = isDate ? Self.seconds(row[x]) : Self.number(row[x])
        values.append((place ?? .nan, height))
      } else {
        values.append((Double(index + 1), height))
      }
    }
    values.removeAll { !$0.x.isFinite }
    if kind == .line { values.sort { $0.x < $1.x } }
    return values
  }

  // MARK: Drawing

  /// The chart as an image, with a sentence where not all is drawn.
  package static func draw(_ chart: Chart) -> HTML {
    let yTitle = chart.columns[chart.y]
    let xTitle = chart.x.map { chart.columns[$0] } ?? "row"
    let title = "\(yTitle) by \(xTitle)"
    if chart.kind == .bars {
      let bars = chart.rows.enumerated().compactMap { index, row -> Bar? in
        guard chart.y < row.count, let value = number(row[chart.y]) else { return nil }
        let label = chart.x.map { text(row[$0]) } ?? "\(index + 1)"
        return Bar(label: label, value: value, text: text(row[chart.y]))
      }
      return draw(bars: bars, title: title)
    }
    let values = chart.values()
    let drawn = reduced(values, isLine: chart.kind == .line)
    return figure(
      title: title,
      note: drawn.count < values.count
        ? "\(drawn.count) of \(values.count) values are drawn." : nil
    ) {
      plot(drawn, of: chart, title: title)
    }
  }

  /// A bar chart, of which the first bars are drawn.
  package static func draw(bars all: [Bar], title: String) -> HTML {
    let bars = all.filter(\.value.isFinite).prefix(limit.bars)
    let hidden = all.count - bars.count
    return figure(title: title, note: hidden > 0 ? "\(bars.count) of \(all.count) are drawn." : nil)
    {
      draw(bars)
    }
  }

  private static func figure(
    title: String, note: String?, @HTMLBuilder content: () -> HTML
  ) -> HTML {
    HTML.element("figure", ["class": "chart"]) {
      HTML.element("figcaption") { title }
      content()
      if let note { HTML.element("p", ["class": "note"]) { note } }
    }
  }

  /// A value in few characters.
  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): number.formatted(.number.precision(.significantDigits(1...6)))
    case .string(let text): Drawing.cut(text, 80)
    case .blob(let data): "\(data.count) bytes"
    }
  }

  private static let width = 720.0

  private static func draw(_ bars: ArraySlice<Bar>) -> HTML {
    let row = 24.0
    let longest = bars.map { Drawing.cut($0.label, 32).count }.max() ?? 0
    let left = min(260, max(60, Double(longest) * 7.2 + 12))
    let right = width - Double(bars.map(\.text.count).max() ?? 0) * 7.2 - 14
    let (low, high) = (min(0, bars.map(\.value).min() ?? 0), max(0, bars.map(\.value).max() ?? 0))
    let scale = Axis(exactly: low, high == low ? low + 1 : high)
    func place(_ value: Double) -> Double {
      left + max(40, right - left) * scale.fraction(of: value)
    }
    let zero = place(0)
    let height = max(row, Double(bars.count) * row)
    return HTML.element(
      "svg", ["viewBox": "0 0 \(Drawing.number(width)) \(Drawing.number(height))", "role": "list"]
    ) {
      for (index, bar) in bars.enumerated() {
        let y = Double(index) * row
        let end = place(bar.value)
        let label = Drawing.label(
          Drawing.cut(bar.label, 32), x: left - 10, y: y + row / 2, class: "label")
        HTML.element(
          "g", ["role": "listitem", "aria-label": "\(bar.label): \(bar.text)", "class": "bar"]
        ) {
          HTML.element("title") { "\(bar.label): \(bar.text)" }
          if let address = bar.address {
            HTML.element("a", ["href": address]) { label }
          } else {
            label
          }
          HTML.element(
            "rect",
            [
              "x": Drawing.number(min(zero, end)), "y": Drawing.number(y + 4),
              "width": Drawing.number(max(abs(end - zero), bar.value == 0 ? 0 : 1)),
              "height": Drawing.number(row - 8), "rx": "2",
              "class": bar.value < 0 ? "negative" : nil,
            ])
          Drawing.label(bar.text, x: width, y: y + row / 2, class: "value")
        }
      }
      if low < 0 {
        HTML.element(
          "path", ["class": "axis", "d": "M\(Drawing.number(zero)) 0V\(Drawing.number(height))"])
      }
    }
  }

  /// The first and last, the smallest and largest of each piece of a line, which looks the same;
  /// every so many of points.
  private static func reduced(
    _ values: [(x: Double, y: Double)], isLine: Bool
  ) -> [(x: Double, y: Double)] {
    guard values.count > limit.points else { return values }
    let pieces = isLine ? limit.points / 4 : limit.points
    return (0..<pieces).flatMap { piece -> [(x: Double, y: Double)] in
      let range = values.count * piece / pieces..<values.count * (piece + 1) / pieces
      guard isLine else { return [values[range.lowerBound]] }
      let low = range.min { values[$0].y < values[$1].y } ?? range.lowerBound
      let high = range.max { values[$0].y < values[$1].y } ?? range.lowerBound
      return Set([range.lowerBound, low, high, range.upperBound - 1]).sorted().map { values[$0] }
    }
  }

  private static func plot(
    _ values: [(x: Double, y: Double)], of chart: Chart, title: String
  ) -> HTML {
    let (xs, ys) = (values.map(\.x), values.map(\.y))
    let yAxis = Axis(numbers: ys.min() ?? 0, ys.max() ?? 0)
    let xAxis =
      chart.isDate
      ? Axis(seconds: xs.min() ?? 0, xs.max() ?? 0)
      : Axis(numbers: xs.min() ?? 0, xs.max() ?? 0, count: 7)
    let height = 300.0
    let left = 20 + 7.2 * Double(yAxis.marks.map(\.label.count).max() ?? 0)
    let (right, top, bottom) = (width - 24, 12.0, height - 34)
    func place(_ value: (x: Double, y: Double)) -> (x: String, y: String) {
      (
        Drawing.number(left + (right - left) * xAxis.fraction(of: value.x)),
        Drawing.number(bottom - (bottom - top) * yAxis.fraction(of: value.y))
      )
    }
    let places = values.map(place)
    return HTML.element(
      "svg",
      [
        "viewBox": "0 0 \(Drawing.number(width)) \(Drawing.number(height))", "role": "img",
        "aria-label": "\(title): \(values.count) values",
      ]
    ) {
      for mark in yAxis.marks {
        let y = bottom - (bottom - top) * yAxis.fraction(of: mark.value)
        HTML.element(
          "path",
          [
            "class": mark.value == 0 ? "axis" : "grid",
            "d": "M\(Drawing.number(left)) \(Drawing.number(y))H\(Drawing.number(right))",
          ])
        Drawing.label(mark.label, x: left - 8, y: y, class: "label")
      }
      for mark in xAxis.marks {
        let x = left + (right - left) * xAxis.fraction(of: mark.value)
        HTML.element(
          "path", ["class": "axis", "d": "M\(Drawing.number(x)) \(Drawing.number(bottom))v5"])
        Drawing.label(mark.label, x: x, y: bottom + 18, class: "middle")
      }
      if chart.kind == .line, places.count > 1 {
        HTML.element(
          "path",
          ["class": "line", "d": "M" + places.map { "\($0.x) \($0.y)" }.joined(separator: "L")])
      }
      if chart.kind == .points || places.count <= 60 {
        for place in places {
          HTML.element(
            "circle",
            [
              "cx": place.x, "cy": place.y, "r": chart.kind == .line ? "2.5" : "3",
              "class": "point",
            ])
        }
      }
    }
  }
}
