import Foundation

/// Spans and points of time on an axis.
package enum Timeline {
  /// The most spans that are drawn; others are near each other.
  private static let limit = 300
  private static let size = (width: 960.0, height: 72.0, margin: 12.0)

  /// - Parameter spans: In ascending order.
  package static func draw(
    _ spans: [(start: Date, end: Date, title: String)],
    points: [(date: Date, title: String, address: String)]
  ) -> HTML {
    guard let first = spans.first?.start, let last = spans.last?.end else { return HTML() }
    let span = max(1, last.timeIntervalSince(first))
    func x(_ date: Date) -> Double {
      size.margin + (size.width - 2 * size.margin) * date.timeIntervalSince(first) / span
    }
    let step = max(1, (spans.count + limit - 1) / limit)
    let drawn = stride(from: 0, to: spans.count, by: step).map { spans[$0] }
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
          "line",
          [
            "class": "axis", "x1": Drawing.number(size.margin),
            "x2": Drawing.number(size.width - size.margin), "y1": "36", "y2": "36",
          ])
        for span in drawn {
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
}
