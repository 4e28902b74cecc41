extension ArchiveReader {
  /// A part of the log of which no segment is missing.
  struct LogRun {
    /// The numbers of its segments.
    var segments: Range<UInt64>
    /// The last commit that ends in it, or before.
    var lastCommit: UInt64
    /// The date of that commit, if the last segment has it.
    var lastDate: UInt64?
  }

  /// The whole log to its end.
  func run(to tip: Tip) -> LogRun {
    let start = manifest.logStart.sequence
    return LogRun(
      segments: start..<max(start, tip.place.sequence), lastCommit: tip.place.commit,
      lastDate: tip.date)
  }

  /// Returns the parts of the log that are there, in ascending order.
  ///
  /// Of each part, the last segments are read until one can be used.
  /// - Parameter names: Segments that count as missing.
  /// - Returns: What is missing or damaged, too: of each hole its first segment.
  func runs(without names: Set<String>) throws -> (runs: [LogRun], problems: [ArchiveError]) {
    let start = manifest.logStart.sequence
    let numbers = try destination.segmentNumbers().filter {
      $0 >= start && !names.contains(ObjectName.segment($0))
    }
    var ranges: [Range<UInt64>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound == number {
        ranges[ranges.count - 1] = last.lowerBound..<number + 1
      } else {
        ranges.append(number..<number + 1)
      }
    }
    var problems: [ArchiveError] = []
    var next = start
    var runs: [LogRun] = []
    for range in ranges {
      if range.lowerBound > next { problems.append(.missing(ObjectName.segment(next))) }
      next = range.upperBound
      var range = range
      while !range.isEmpty {
        let last = range.upperBound - 1
        do {
          let segment = try existingSegment(last)
          let index = segment.commits.count - (segment.isOpen ? 2 : 1)
          runs.append(
            LogRun(
              segments: range, lastCommit: segment.lastWholeCommit,
              lastDate: index < 0 ? nil : segment.commits[index].date))
          break
        } catch let error as ArchiveError where error.isFinding {
          problems.append(error)
          range = range.lowerBound..<last
        }
      }
    }
    if next < manifest.tip.sequence { problems.append(.missing(ObjectName.segment(next))) }
    return (runs, problems)
  }

  /// Returns a segment.
  ///
  /// - Throws: ``ArchiveError/missing(_:)`` if there is none.
  func existingSegment(_ sequence: UInt64) throws -> Segment {
    guard let (segment, _) = try segment(sequence) else {
      throw ArchiveError.missing(ObjectName.segment(sequence))
    }
    return segment
  }

  // MARK: Commits

  /// Returns the last number of a range for which a condition holds, if it holds for all before;
  /// nil for none.
  private func last(
    in range: Range<UInt64>, where holds: (UInt64) throws -> Bool
  ) rethrows -> UInt64? {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if try holds(middle) { low = middle + 1 } else { high = middle }
    }
    return low == range.lowerBound ? nil : low - 1
  }

  /// Returns the segment in which a commit ends; nil for none.
  private func segment(ofCommit number: UInt64, in segments: Range<UInt64>) throws -> Segment? {
    let found = try last(in: segments) { try existingSegment($0).firstCommit <= number }
    return try found.map(existingSegment)
  }

  /// Describes a commit that the log or a layer has.
  func commit(_ number: UInt64, in run: LogRun?) throws -> ArchiveCommit {
    if let layer = manifest.layers.first(where: { $0.last == number }) {
      return ArchiveCommit(number: number, milliseconds: layer.date)
    }
    guard let run else { throw ArchiveError.noCommit(number) }
    if number == run.lastCommit, let date = run.lastDate {
      return ArchiveCommit(number: number, milliseconds: date)
    }
    guard let segment = try segment(ofCommit: number, in: run.segments),
      case let index = Int(number - segment.firstCommit), segment.commits.indices.contains(index)
    else { throw ArchiveError.noCommit(number) }
    return ArchiveCommit(number: number, milliseconds: segment.commits[index].date)
  }

  /// Returns the date of a segment's first commit, or of one before.
  private func date(ofSegment sequence: UInt64) throws -> UInt64 {
    for sequence in (manifest.logStart.sequence...sequence).reversed() {
      if let date = try existingSegment(sequence).commits.first?.date { return date }
    }
    return 0
  }

  /// Whether dates around a commit don't tell commits apart: the clock was set back there, and
  /// commits have the date of the last one before that, until the clock has passed it.
  func hasStandingDates(around number: UInt64, in run: LogRun) throws -> Bool {
    guard let middle = try segment(ofCommit: number, in: run.segments)?.sequence else {
      return false
    }
    var dates: [UInt64] = []
    for sequence in run.segments where middle < sequence + 3 && sequence < middle + 4 {
      if let date = try existingSegment(sequence).commits.last?.date { dates.append(date) }
    }
    return zip(dates, dates.dropFirst(2)).contains { $0 == $1 }
  }

  /// Returns the last commit of a date or before, among those that the log has; nil if there is
  /// none.
  func lastCommit(upTo date: UInt64, in run: LogRun) throws -> UInt64? {
    // The last segment that begins in time, and those before: it may have no commit that ends.
    guard let last = try last(in: run.segments, where: { try self.date(ofSegment: $0) <= date })
    else { return nil }
    for sequence in (run.segments.lowerBound...last).reversed() {
      let segment = try existingSegment(sequence)
      let count = segment.commits.count { $0.date <= date && $0.pageCount > 0 }
      if count > 0 { return segment.firstCommit + UInt64(count) - 1 }
    }
    return nil
  }
}
