import Coffer
import CofferCore
import FoundationEssentials

/// The work of a follower.
// SAFETY: it is made before its follower, which uses it on its queue alone.
final class FollowerWork: @unchecked Sendable {
  private let database: FollowedDatabase
  private let stateFile: ArchiveStateFile
  private var reader: ArchiveReader
  /// The place of the next segment, which may begin with commits that the file has.
  private var place: Manifest.LogPlace
  /// The last commit that the file has.
  private(set) var commit: ArchiveCommit
  /// The number of the state that was noted last.
  private var stateNumber: UInt64
  private var polls = 0

  /// The most bytes of segments that are kept for one commit.
  private static let mostBytes = 32 << 20

  /// Opens the file, or restores it.
  init(
    _ archive: Archive, path: String, key: DatabaseKey, cipher: CipherSettings,
    progress: ((Double) throws -> Void)?
  ) throws {
    guard
      let stateFile = try ArchiveStateFile(
        .follower, forDatabaseAt: path, makeNumber: ArchiveStore.newWriter)
    else {
      throw DatabaseError(
        resultCode: .SQLITE_BUSY, message: "another follower has the file: \(path)")
    }
    self.stateFile = stateFile
    reader = try ArchiveReader(
      archive.destination, key: key, settings: cipher, path: path)
    if FollowedDatabase.exists(at: path) {
      guard let state = try Self.state(stateFile, reader) else {
        throw ArchiveError.foreignFile(path)
      }
      (stateNumber, place, commit) = state
    } else {
      let plan = try archive.plan(to: .latest, reader)
      commit = try archive.commit(plan.commit, reader, reader.tip())
      place = plan.layers.last?.place ?? reader.manifest.logStart
      // With a state but without a file, the next attempt restores it again.
      stateNumber = 1
      for number in 0...stateNumber { try Self.save(number, place, commit, reader, stateFile) }
      try archive.restore(
        to: path, at: .commit(plan.commit), key: key, cipher: cipher, progress: progress)
    }
    database = try FollowedDatabase(path: path, key: reader.key, settings: cipher)
  }

  // MARK: State

  private static let stateMagic = Array("commit 1".utf8)
  private static let stateSize = 88 + ArchiveSeal.size

  private static func save(
    _ stateNumber: UInt64, _ place: Manifest.LogPlace, _ commit: ArchiveCommit,
    _ reader: ArchiveReader, _ file: ArchiveStateFile
  ) throws {
    var bytes = stateMagic + reader.manifest.header.archive
    bytes.append(place.sequence)
    bytes += place.seal
    bytes.append(commit.number)
    bytes.append(commit.date.archivedMilliseconds)
    bytes.append(stateNumber)
    do {
      try file.setDurableState(reader.seal.sealed(bytes), number: stateNumber)
    } catch {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(error)")
    }
  }

  /// Returns the last state that is whole; nil if there is none.
  private static func state(
    _ file: ArchiveStateFile, _ reader: ArchiveReader
  ) throws -> (number: UInt64, Manifest.LogPlace, ArchiveCommit)? {
    let states: [[UInt8]]
    do { states = try file.durableStates(size: stateSize) } catch {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(error)")
    }
    return states.compactMap { state($0, reader) }.max { $0.number < $1.number }
  }

  private static func state(
    _ bytes: [UInt8], _ reader: ArchiveReader
  ) -> (number: UInt64, Manifest.LogPlace, ArchiveCommit)? {
    guard reader.seal.isSealed(bytes) else { return nil }
    var input = ByteReader(bytes.dropLast(ArchiveSeal.size))
    guard input.bytes(stateMagic.count) == stateMagic,
      input.bytes(16) == reader.manifest.header.archive, let sequence = input.uint64(),
      let seal = input.bytes(ArchiveSeal.size), let number = input.uint64(),
      let date = input.uint64(), let stateNumber = input.uint64(), input.isAtEnd
    else { return nil }
    return (
      stateNumber, Manifest.LogPlace(sequence: sequence, seal: seal, commit: number),
      ArchiveCommit(number: number, milliseconds: date)
    )
  }

  // MARK: Following

  /// Brings the file to the last commit that the archive has.
  ///
  /// - Parameter isPolling: Whether it will be called again soon.
  func work(isPolling: Bool) throws {
    polls += 1
    // The next segment may be gone, and layers have taken its place. A list costs more than a look.
    if !isPolling || polls % 20 == 1 { _ = try reader.refresh() }
    do {
      while try applySegments() {}
    } catch let error as ArchiveError where error.isCutOff {
      guard try reader.refresh() || needsLayers else { throw error }
      try applyLayers()
    }
    if needsLayers { try applyLayers() }
    database.checkpoint(from: 1_000)
  }

  /// Whether the log doesn't lead from the file's commit to the last one.
  private var needsLayers: Bool {
    reader.manifest.logStart.sequence > place.sequence
      || reader.manifest.gaps.contains { $0 > commit.number }
  }

  /// Applies the segments that are there, as one commit.
  ///
  /// - Returns: Whether there may be more.
  private func applySegments() throws -> Bool {
    var segments: [Segment] = []
    var byteCount = 0
    var next = place
    var last = commit
    var lastPlace = place
    while byteCount < Self.mostBytes || last.number == commit.number {
      guard let (segment, seal) = try reader.segment(at: next) else { break }
      // A commit larger than that is read twice.
      if byteCount < Self.mostBytes { segments.append(segment) }
      byteCount += segment.frames.count
      if segment.lastWholeCommit >= segment.firstCommit, segment.lastWholeCommit > last.number {
        let index = Int(segment.lastWholeCommit - segment.firstCommit)
        last = ArchiveCommit(
          number: segment.lastWholeCommit, milliseconds: segment.commits[index].date)
        // A commit that goes on in the next segment begins in this one.
        lastPlace = next
      }
      next = Manifest.LogPlace(
        sequence: next.sequence + 1, seal: seal, commit: segment.lastWholeCommit)
      if !segment.isOpen, segment.lastWholeCommit == last.number { lastPlace = next }
    }
    guard last.number > commit.number else { return false }
    var changes = CommitChanges(after: commit.number, upTo: last.number)
    try database.commit { write in
      for segment in segments {
        try write(changes.frames(of: segment, pageSize: reader.manifest.header.pageSize))
      }
      var further = segments.last.map(\.sequence).map { $0 + 1 } ?? place.sequence
      while changes.last < last.number {
        guard let (segment, _) = try reader.segment(further) else {
          throw ArchiveError.missing(ObjectName.segment(further))
        }
        try write(changes.frames(of: segment, pageSize: reader.manifest.header.pageSize))
        further += 1
      }
      return changes.pageCount ?? 0
    }
    try didReach(last, lastPlace)
    return true
  }

  /// Applies layers to a file that the log no longer reaches, as one commit.
  private func applyLayers() throws {
    let ways = LayerWays(reader.manifest, from: commit.number)
    // All pages may still be on their way.
    guard let end = ways.ends.last, end > commit.number, let layers = ways.way(to: end),
      let last = layers.last
    else { return }
    try database.commit { write in
      for layer in layers {
        for index in 0..<layer.partCount { try write(reader.part(index, of: layer).frames) }
      }
      return last.pageCount
    }
    try didReach(ArchiveCommit(number: last.last, milliseconds: last.date), last.place)
    while try applySegments() {}
  }

  private func didReach(_ commit: ArchiveCommit, _ place: Manifest.LogPlace) throws {
    // The file is ahead of its state after a crash: what comes next is applied to both alike.
    (self.commit, self.place) = (commit, place)
    stateNumber += 1
    try Self.save(stateNumber, place, commit, reader, stateFile)
  }

  func end() {
    database.close()
    stateFile.unlock()
  }
}

extension ArchiveError {
  /// Whether a follower has to go on with layers.
  fileprivate var isCutOff: Bool {
    switch self {
    case .missing, .brokenChain: true
    default: false
    }
  }
}
