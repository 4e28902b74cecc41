import Foundation

/// Spans and points of time on an axis.
package enum Timeline {
  /// The most spans that are drawn, and the most marks; others are near them.
  private static let limit = 300
  private static let size = (width: 960.0, height: 84.0, margin: 12.0)

  /// - Parameters:
  ///   - spans: In ascending order.
  ///   - marks: Dates in the spans, in ascending order.
  package static func draw(
    _ spans: [(start: Date, end: Date, title: String)], marks: [(date: Date, title: String)] = [],
    points: [(date: Date, title: String, address: String)]
  ) -> HTML {
    guard let first = spans.first?.start, let last = spans.last?.end else { return HTML() }
    let axis = Axis(seconds: first.timeIntervalSince1970, last.timeIntervalSince1970)
    func place(_ seconds: Double) -> Double {
      size.margin + (size.width - 2 * size.margin) * axis.fraction(of: seconds)
    }
    func x(_ date: Date) -> Double { place(date.timeIntervalSince1970) }
    func line(_ name: String, from start: (x: Double, y: Double), to end: (x: Double, y: Double))
      -> KeyValuePairs<StaticString, String?>
    {
      [
        "class": name, "x1": Drawing.number(start.x), "y1": Drawing.number(start.y),
        "x2": Drawing.number(end.x), "y2": Drawing.number(end.y),
      ]
    }
    return HTML.element("figure", ["class": "chart timeline"]) {
      HTML.element("figcaption") { "From \(Numbers.date(first)) to \(Numbers.date(last))" }
      HTML.element(
        "svg",
        [
          "viewBox": "0 0 \(Drawing.number(size.width)) \(Drawing.number(size.height))",
          "role": "img", "aria-label": "Time line of \(Numbers.count(spans.count, "range"))",
        ]
      ) {
        HTML.element(
          "line", line("axis", from: (size.margin, 36), to: (size.width - size.margin, 36)))
        for mark in axis.marks {
          HTML.element(
            "line", line("grid", from: (place(mark.value), 52), to: (place(mark.value), 58)))
          // A label at an end would be cut.
          let end = min(max(place(mark.value), 36), size.width - 36)
          Drawing.label(mark.label, x: end, y: 68, class: "middle")
        }
        for span in some(of: spans) {
          HTML.element(
            "rect",
            [
              "class": "bar", "x": Drawing.number(x(span.start) - 1.5), "y": "24",
              "height": "24", "width": Drawing.number(max(3, x(span.end) - x(span.start) + 3)),
            ]
          ) {
            HTML.element("title") { span.title }
          }
        }
        for mark in some(of: marks) {
          HTML.element("line", line("mark", from: (x(mark.date), 24), to: (x(mark.date), 48))) {
            HTML.element("title") { mark.title }
          }
        }
        for point in points {
          HTML.element("a", ["href": point.address]) {
            HTML.element(
              "circle",
              ["class": "point", "cx": Drawing.number(x(point.date)), "cy": "12", "r": "5"]
            ) {
              HTML.element("title") { point.title }
            }
          }
        }
      }
    }
  }

  /// All of the items, or as many of them as are drawn.
  private static func some<Item>(of items: [Item]) -> [Item] {
    let step = max(1, (items.count + limit - 1) / limit)
    return stride(from: 0, to: items.count, by: step).map { items[$0] }
  }
}
