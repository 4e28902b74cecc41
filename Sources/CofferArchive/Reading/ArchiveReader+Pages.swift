import CofferCore

extension ArchiveReader {
  /// Writes the pages of a plan to a file, the older versions first.
  ///
  /// - Parameter progress: Called with the number of objects that were read, and of those that are
  ///   known.
  /// - Returns: The number of the database's pages, and the commit's date.
  func restore(
    _ plan: RestorePlan, to file: RestoredFile, settings: CipherSettings,
    progress: (Int, Int) throws -> Void
  ) throws -> (pageCount: Int, date: UInt64) {
    var result = (pageCount: 0, date: UInt64(0))
    let count = plan.layers.reduce(0) { $0 + $1.partCount }
    var done = 0
    for layer in plan.layers {
      try readInOrder(0..<UInt64(layer.partCount)) { index in
        try part(Int(index), of: layer)
      } use: { _, part in
        try file.write(part.frames) { number, _ in part.damagedPages.contains(number) }
        done += 1
        try progress(done, count)
        return true
      }
      result = (layer.pageCount, layer.date)
    }
    guard plan.commit > plan.base, var place = plan.layers.last?.place else { return result }
    // Of two layers with the same end, one may have begun earlier in the log.
    if place.sequence < manifest.logStart.sequence { place = manifest.logStart }
    // Segments of earlier writers come before the place.
    let fence = plan.layers.last?.fence ?? 0
    var changes = CommitChanges(after: plan.base, upTo: plan.commit, fence: fence)
    let verifier = try PageVerifier(key: key, settings: settings)
    try forEachSegment(from: place, verifier: verifier) { segment, damagedPages in
      let frames = try changes.frames(of: segment, pageSize: manifest.header.pageSize)
      try file.write(frames) { _, index in damagedPages.contains { $0.index == index } }
      done += 1
      try progress(done, max(done, count))
      return changes.last < plan.commit
    }
    guard changes.last == plan.commit else { throw ArchiveError.noCommit(plan.commit) }
    return (changes.pageCount ?? result.pageCount, changes.date ?? result.date)
  }
}

/// Takes the commits of a range out of segments, and checks that none is missing.
struct CommitChanges {
  /// The last commit that was taken as a whole.
  private(set) var last: UInt64
  /// The number of pages after it; nil before the first.
  private(set) var pageCount: Int?
  /// Its date; nil before the first.
  private(set) var date: UInt64?
  private let end: UInt64
  private var fence: UInt64

  /// - Parameter fence: That of the writer of the state at which the range begins.
  init(after last: UInt64, upTo end: UInt64, fence: UInt64 = 0) {
    (self.last, self.end, self.fence) = (last, end, fence)
  }

  /// Returns the frames of a segment that belong to the range.
  mutating func frames(of segment: Segment, pageSize: Int) throws -> ArraySlice<UInt8> {
    let name = ObjectName.segment(segment.sequence)
    // A writer that was taken over may have gone on for a moment.
    guard segment.fence >= fence else { throw ArchiveError.brokenChain(name) }
    fence = segment.fence
    let size = pageSize + 4
    var start = segment.frames.startIndex
    var offset = start
    for (number, commit) in zip(segment.firstCommit..., segment.commits) {
      if number > end { break }
      let next = offset + commit.frameCount * size
      if number <= last {
        start = next
      } else {
        guard number == last + 1 else { throw ArchiveError.brokenChain(name) }
        if commit.pageCount > 0 {
          (last, pageCount, date) = (number, commit.pageCount, commit.date)
        }
      }
      offset = next
    }
    return segment.frames[start..<offset]
  }
}
