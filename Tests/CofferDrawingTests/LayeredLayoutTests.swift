import CofferTestSupport
import Testing

@testable import CofferDrawing

struct LayeredLayoutTests {
  private typealias Size = LayeredLayout.Size

  @Test func `boxes don't overlap, whatever the edges are`() {
    var generator = SeededGenerator()
    for _ in 0..<trialCount(60) {
      let count = Int.random(in: 0...40, using: &generator)
      let sizes = (0..<count).map { _ in
        Size(
          width: Double.random(in: 20...300, using: &generator),
          height: Double.random(in: 20...300, using: &generator))
      }
      let edges = (0..<(count == 0 ? 0 : Int.random(in: 0...80, using: &generator))).map { _ in
        (
          from: Int.random(in: 0..<count, using: &generator),
          to: Int.random(in: 0..<count, using: &generator)
        )
      }
      let layout = LayeredLayout(sizes: sizes, edges: edges)
      #expect(layout.origins.count == count && layout.bends.count == edges.count)
      var overlaps = 0
      for a in 0..<count {
        let (origin, size) = (layout.origins[a], sizes[a])
        #expect(origin.x >= 0 && origin.y >= 0)
        #expect(origin.x + size.width <= layout.size.width + 0.01)
        #expect(origin.y + size.height <= layout.size.height + 0.01)
        for b in 0..<a {
          let (other, otherSize) = (layout.origins[b], sizes[b])
          let isBeside =
            origin.x + size.width <= other.x + 0.01 || other.x + otherSize.width <= origin.x + 0.01
            || origin.y + size.height <= other.y + 0.01
            || other.y + otherSize.height <= origin.y + 0.01
          overlaps += isBeside ? 0 : 1
        }
      }
      #expect(overlaps == 0)
      let bends = layout.bends.joined()
      #expect(bends.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.x >= 0 && $0.y >= 0 })
    }
  }

  @Test func `edges without cycles go from left to right`() {
    var generator = SeededGenerator()
    let edges = (0..<60).map { _ in
      let from = Int.random(in: 0..<39, using: &generator)
      return (from: from, to: Int.random(in: from + 1..<40, using: &generator))
    }
    let layout = LayeredLayout(
      sizes: Array(repeating: Size(width: 50, height: 50), count: 40), edges: edges)
    let wrong = edges.filter { layout.origins[$0.from].x >= layout.origins[$0.to].x }
    #expect(wrong.isEmpty)
  }

  @Test func `edges of a tree don't cross`() {
    var generator = SeededGenerator()
    for _ in 0..<trialCount(20) {
      // Boxes in random order, each of which leads to one of those before it.
      let names = Array(0..<30).shuffled(using: &generator)
      let edges = (1..<30).map { box in
        (from: names[box], to: names[max(0, (box - 1) / 2)])
      }
      let layout = LayeredLayout(
        sizes: Array(repeating: Size(width: 50, height: 50), count: 30), edges: edges)
      #expect(layout.crossings == 0)
    }
  }

  @Test func `cycles, loops and repeated edges end`() {
    let ring = (0..<50).map { (from: $0, to: ($0 + 1) % 50) }
    let loops = (0..<50).map { (from: $0, to: $0) }
    let layout = LayeredLayout(
      sizes: Array(repeating: Size(width: 50, height: 50), count: 50), edges: ring + loops + ring)
    #expect(layout.origins.allSatisfy { $0.x.isFinite && $0.y.isFinite })
  }

  @Test func `a chain of 200 boxes, with an edge between each two neighbors' neighbors`() {
    let edges =
      (0..<199).map { (from: $0, to: $0 + 1) } + (0..<150).map { (from: $0, to: $0 + 50) }
      + (0..<190).map { (from: $0, to: $0 + 9) }
    let layout = LayeredLayout(
      sizes: Array(repeating: Size(width: 50, height: 50), count: 200), edges: edges)
    #expect(Set(layout.origins.map(\.x)).count == 200)
  }
}
