import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDrawing

struct ChartTests {
  private static func rows(_ values: [[(any DatabaseValueConvertible)?]]) -> [[DatabaseValue]] {
    values.map { $0.map { $0?.databaseValue ?? .null } }
  }

  private static func suggestion(_ values: [[(any DatabaseValueConvertible)?]]) -> Chart? {
    let names = (0..<(values.first?.count ?? 0)).map { "column\($0)" }
    return Chart.suggestion(columns: names, rows: rows(values))
  }

  @Test func `texts with a number are bars`() {
    let chart = Self.suggestion([["Tea", 3], ["Coffee", nil], [nil, 2.5]])
    #expect(chart?.kind == .bars && chart?.x == 0 && chart?.y == 1)
  }

  @Test func `dates or numbers with a number are a line, and points where they repeat`() {
    let days = Self.suggestion([["2026-01-02", 3], ["2026-01-01", 1]])
    #expect(days?.kind == .line && days?.x == 0)
    #expect(Self.suggestion([["2026-01-02", 3], ["2026-01-02", 1]])?.kind == .points)
    #expect(Self.suggestion([[1, 3], [2, 1]])?.kind == .line)
    #expect(Self.suggestion([[1, 3], [1, 1]])?.kind == .points)
  }

  @Test func `a number alone is a line over the rows`() {
    let chart = Self.suggestion([[1], [5], [nil]])
    #expect(chart?.kind == .line && chart?.x == nil)
  }

  @Test func `the last number counts`() {
    let chart = Self.suggestion([[1, "Tea", 100], [2, "Coffee", 200]])
    #expect(chart?.y == 2 && chart?.x == 1)
  }

  @Test func `without a number there is no chart`() {
    #expect(Self.suggestion([]) == nil)
    #expect(Self.suggestion([["a", "b"], [nil, nil]]) == nil)
    #expect(Self.suggestion([[Data([1, 2])]]) == nil)
    #expect(Self.suggestion([[Double.infinity], [nil]]) == nil)
  }

  @Test func `what is drawn is finite and bounded, for all kinds and any values`() throws {
    var generator = SeededGenerator()
    let odd: [(any DatabaseValueConvertible)?] = [
      nil, 0, -1, 1, Int64.max, Int64.min, Double.greatestFiniteMagnitude,
      -Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, Double.infinity, "Tea",
      "<script>", "2026-01-01", "9999-12-31", "0000-01-01", "-300", Data([0, 255]), 1e15, 1e-9,
    ]
    for _ in 0..<trialCount(100) {
      let values = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
        (0..<3).map { _ in odd[Int.random(in: 0..<odd.count, using: &generator)] }
          + [Double.random(in: -10...10, using: &generator)]
      }
      guard var chart = Self.suggestion(values) else { continue }
      for kind in Chart.Kind.allCases {
        chart.kind = kind
        let text = Chart.draw(chart).render()
        try SchemaDiagramTests.expectMarkup(text)
        #expect(!text.contains("nan") && !text.contains("\"inf") && !text.contains("<script"))
      }
    }
  }

  @Test func `lines, points and bars of many rows are bounded`() {
    let many = (0..<50_000).map { [$0, $0 % 97] as [(any DatabaseValueConvertible)?] }
    guard var chart = Self.suggestion(many) else { return #expect(Bool(false)) }
    let line = Chart.draw(chart).render()
    #expect(line.utf8.count < 60_000 && line.contains("of 50000 values are drawn"))
    chart.kind = .points
    let points = Chart.draw(chart).render()
    #expect(points.components(separatedBy: "<circle").count == Chart.limit.points + 1)
    chart.kind = .bars
    #expect(Chart.draw(chart).render().contains("\(Chart.limit.bars) of 50000 are drawn"))
  }

  @Test func `the smallest and the largest value of a long line are drawn`() {
    var values = (0..<50_000).map { [$0, 5] as [(any DatabaseValueConvertible)?] }
    values[31_234][1] = 100
    values[31_235][1] = -100
    guard let chart = Self.suggestion(values) else { return #expect(Bool(false)) }
    let text = Chart.draw(chart).render()
    // The axis is from -100 to 100, from y = 266 to 12.
    #expect(text.contains(" 266L") && text.contains(" 12L"))
  }

  @Test func `negative bars begin at the same line`() throws {
    let bars = [-2.0, 0, 4].map { Chart.Bar(label: "\($0)", value: $0, text: "\($0)") }
    let text = Chart.draw(bars: bars, title: "title").render()
    #expect(text.components(separatedBy: "negative").count == 2)
    let rects = text.matches(of: /<rect x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"/)
      .map { (Double($0.1) ?? 0, Double($0.2) ?? 0) }
    try #require(rects.count == 3)
    #expect(abs(rects[0].0 + rects[0].1 - rects[2].0) < 0.11)
    #expect(abs(rects[0].1 * 2 - rects[2].1) < 0.21 && rects[1].1 == 0)
  }

  private static let ranges: [(Double, Double, [Double])] = [
    (0, 10, [0, 2, 4, 6, 8, 10]), (-3, 7, [-4, -2, 0, 2, 4, 6, 8]),
    (0, 0, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0.001, 0.0042, [0.001, 0.002, 0.003, 0.004, 0.005]),
  ]

  @Test(arguments: ranges)
  func `marks are round numbers that cover the values`(low: Double, high: Double, marks: [Double]) {
    let axis = Axis(numbers: low, high)
    #expect(axis.marks.count == marks.count)
    for (mark, expected) in zip(axis.marks, marks) { #expect(abs(mark.value - expected) < 1e-9) }
    #expect(axis.lower <= low && axis.upper >= high)
  }

  @Test func `axes of any numbers are finite and cover them`() {
    var generator = SeededGenerator()
    for _ in 0..<trialCount(2000) {
      var ends = (0..<2).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)
      guard ends.count == 2 else { continue }
      ends.sort()
      let axis = Axis(numbers: ends[0], ends[1])
      let places = ends.map(axis.fraction)
      #expect(axis.marks.count <= 101 && axis.marks.count >= 2)
      #expect(places.allSatisfy { -0.001...1.001 ~= $0 })
      let near = Axis(numbers: ends[0], ends[0].nextUp)
      #expect(near.fraction(of: ends[0]).isFinite)
    }
  }

  private static let times: [(Double, Double, String)] = [
    (0, 50, "00:00:15"), (0, 7200, "00:30"), (0, 500_000, "1970-01-02"),
    (0, 86_400 * 200, "1970-03"),
    (0, 86_400 * 365 * 40, "1980"), (-62_167_219_200, 253_402_300_799, "4000"),
  ]

  @Test(arguments: times)
  func `marks of times are round`(low: Double, high: Double, label: String) {
    let axis = Axis(seconds: low, high)
    #expect(axis.marks.map(\.label).contains(label))
    #expect(axis.marks.count <= 24)
    #expect(axis.marks.allSatisfy { low...high ~= $0.value })
  }
}
