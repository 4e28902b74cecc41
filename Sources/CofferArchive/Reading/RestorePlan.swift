import CofferCore

/// The way to a commit: layers, and then the log.
struct RestorePlan {
  /// The layers, to be applied one after the other.
  private(set) var layers: [Manifest.Layer] = []
  /// The commit as of which the pages are after the layers.
  var base: UInt64 { layers.last?.last ?? 0 }
  /// The commit to reach.
  let commit: UInt64

  /// - Parameters:
  ///   - tip: The last commit of the log.
  ///   - start: A commit that is reached already; nil for none.
  /// - Returns: Nil if the archive doesn't have the commit.
  init?(to commit: UInt64, _ manifest: Manifest, tip: UInt64, from start: UInt64? = nil) {
    self.commit = commit
    let ways = LayerWays(manifest, from: start)
    if let way = ways.way(to: commit) {
      layers = way
      return
    }
    guard commit <= tip, let base = LayerWays.base(for: commit, manifest, ways),
      let way = ways.way(to: base)
    else { return nil }
    layers = way
  }
}

/// How the ends of layers are reached from each other, with the fewest bytes.
struct LayerWays {
  private struct Way {
    var byteCount: Int
    var layer: Manifest.Layer
    /// The end before it; nil for a layer of all pages.
    var previous: UInt64?
  }

  private var ways: [UInt64: Way] = [:]
  private let start: UInt64?
  /// The commits that are reached by layers alone, in ascending order.
  private(set) var ends: [UInt64] = []

  /// - Parameter start: A commit that is reached already; nil for none.
  init(_ manifest: Manifest, from start: UInt64? = nil) {
    self.start = start
    if let start { ends.append(start) }
    let layers = manifest.layers.filter { $0.last > start ?? 0 }
    for layer in layers.sorted(by: { ($0.last, $1.first) < ($1.last, $0.first) }) {
      var best: Way?
      if layer.first == 0 {
        best = Way(byteCount: layer.byteCount, layer: layer)
      } else {
        // Its pages are right on each state from the one before its first commit on.
        for end in ends.reversed() where end >= layer.first - 1 && end < layer.last {
          if manifest.gaps.contains(where: { $0 > end && $0 <= layer.last }) { continue }
          let byteCount = (ways[end]?.byteCount ?? 0) + layer.byteCount
          if byteCount < best?.byteCount ?? .max {
            best = Way(byteCount: byteCount, layer: layer, previous: end)
          }
        }
      }
      guard let best else { continue }
      guard let known = ways[layer.last] else {
        ways[layer.last] = best
        ends.append(layer.last)
        continue
      }
      if best.byteCount < known.byteCount { ways[layer.last] = best }
    }
  }

  /// Returns the layers to an end; nil if it isn't reached.
  func way(to end: UInt64) -> [Manifest.Layer]? {
    var layers: [Manifest.Layer] = []
    var next: UInt64? = end
    while let end = next, end != start {
      guard let way = ways[end] else { return nil }
      layers.append(way.layer)
      next = way.previous
    }
    return layers.reversed()
  }

  /// Returns the end from which the log reaches a commit; nil if there is none.
  static func base(for commit: UInt64, _ manifest: Manifest, _ ways: LayerWays) -> UInt64? {
    ways.ends.last { end in
      end <= commit && end >= manifest.logStart.commit
        && !manifest.gaps.contains { $0 > end && $0 <= commit }
    }
  }
}
