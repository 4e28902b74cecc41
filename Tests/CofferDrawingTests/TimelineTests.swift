import Foundation
import Testing

@testable import CofferDrawing

struct TimelineTests {
  private static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }

  @Test func `spans, marks and points lie in the drawing, each with its words`() {
    for length in [0, 1, 60, 86_400, 86_400 * 365 * 20.0] {
      let html = Timeline.draw(
        [(Self.date(0), Self.date(length), "<span>")],
        marks: [(Self.date(0), "begin"), (Self.date(length / 2), "middle")],
        points: [(Self.date(length), "open", "/at/7/")]
      ).render()
      let places = html.matches(of: /\ (?:x|x1|x2|cx)="(-?[0-9.]+)"/).compactMap { Double($0.1) }
      #expect(places.count > 6 && places.allSatisfy { 0...960 ~= $0 }, "\(length)")
      for text in ["&lt;span&gt;", "begin", "middle", "open", "/at/7/"] {
        #expect(html.contains(text), "\(length)")
      }
    }
  }

  @Test func `nothing is drawn of nothing, and many spans and marks are some hundreds`() {
    #expect(Timeline.draw([], points: []).render() == "")
    let spans = (0..<5_000).map { (Self.date(Double($0)), Self.date(Double($0)), "\($0)") }
    let html = Timeline.draw(spans, marks: spans.map { ($0.0, $0.2) }, points: []).render()
    #expect(html.matches(of: /<title>/).count <= 600)
  }
}
