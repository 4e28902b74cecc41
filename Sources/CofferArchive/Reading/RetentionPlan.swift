import CofferCore
import FoundationEssentials

/// What an archive keeps.
struct RetentionPlan {
  /// The layers that are kept.
  private(set) var layers: [Manifest.Layer] = []
  /// Where the log begins from now on.
  private(set) var logStart: Manifest.LogPlace

  /// - Parameters:
  ///   - date: The current date, in milliseconds since 1970.
  ///   - pause: A time that makes nothing older.
  init(
    _ manifest: Manifest, _ retention: ArchiveRetention, at date: UInt64,
    pause: Range<UInt64> = 0..<0
  ) {
    func isOld(_ layer: Manifest.Layer, _ time: Duration) -> Bool {
      var age = Int64(clamping: date) - Int64(clamping: layer.date)
      if layer.date <= pause.lowerBound {
        age -= Int64(clamping: pause.upperBound - pause.lowerBound)
      }
      return Duration.milliseconds(age) > time
    }
    let ways = LayerWays(manifest)
    let reached = Set(ways.ends)
    // The log can begin at a state that layers alone reach, and that is older than each commit to
    // keep.
    let start = manifest.layers.filter {
      reached.contains($0.last) && isOld($0, retention.commits)
        && $0.place.sequence >= manifest.logStart.sequence
        && $0.last > manifest.logStart.commit
    }.max { $0.last < $1.last }
    logStart = manifest.logStart
    if let start {
      logStart = start.place
      logStart.commit = max(start.last, manifest.logStart.commit)
    }
    // A state is kept while the level of one of its layers is, and where the log needs it.
    var kept = Set<UInt64>()
    for layer in manifest.layers where !isOld(layer, retention.time(ofLevel: layer.level)) {
      kept.insert(layer.last)
    }
    kept.formUnion(ways.ends.filter { $0 >= logStart.commit })
    if let base = ways.ends.last(where: { $0 <= logStart.commit }) { kept.insert(base) }
    if let last = ways.ends.last { kept.insert(last) }
    var marked = Set<UInt64>()
    for end in kept {
      for layer in ways.way(to: end) ?? [] { marked.insert(layer.number) }
    }
    layers = manifest.layers.filter { marked.contains($0.number) }
  }
}
