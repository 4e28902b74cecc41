import CofferCore

/// Commits, or parts of a large one, as an object. Segments are numbered, and each has the seal of
/// the one before.
struct Segment {
  var sequence: UInt64
  /// The fencing number of the writer.
  var fence: UInt64
  /// The seal of the segment before; zeros for the first.
  var previousSeal: [UInt8]
  /// The number of the first commit.
  var firstCommit: UInt64
  /// The commits; none in the segment with which a writer takes an archive over. The last one has
  /// no number of pages if it goes on in the next segment.
  var commits: [CommitPiece.Commit]
  /// The place in the log behind the segment.
  var end: LogPosition
  /// Each a page's number, of 4 bytes, and the page as it is stored.
  var frames: ArraySlice<UInt8>

  /// The last commit that ends here, or before.
  var lastWholeCommit: UInt64 { firstCommit + UInt64(commits.count) - (isOpen ? 2 : 1) }

  /// Whether the last commit goes on in the next segment.
  var isOpen: Bool { commits.last?.pageCount == 0 }

  /// Returns the object, without its seal.
  func bytes(_ header: ObjectHeader) -> [UInt8] {
    var bytes = header.bytes
    // With room for the seal.
    bytes.reserveCapacity(frames.count + 256 + 16 * commits.count)
    bytes.append(sequence)
    bytes.append(fence)
    bytes += previousSeal
    bytes.append(firstCommit)
    bytes += end.salts
    bytes += end.checksum.isEmpty ? [UInt8](repeating: 0, count: 8) : end.checksum
    bytes.append(UInt32(end.frame))
    bytes.append(UInt32(commits.count))
    for commit in commits {
      bytes.append(commit.date)
      bytes.append(UInt32(commit.frameCount))
      bytes.append(UInt32(commit.pageCount))
    }
    bytes += frames
    return bytes
  }

  /// Reads an object whose seal is right.
  init(_ bytes: [UInt8], name: String, in archive: ObjectHeader) throws(ArchiveError) {
    var reader = ByteReader(bytes)
    let header = try ObjectHeader(&reader, .segment, name: name)
    guard header.archive == archive.archive else { throw .otherArchive(name) }
    guard header.pageSize == archive.pageSize, let sequence = reader.uint64(),
      let fence = reader.uint64(), let previousSeal = reader.bytes(ArchiveSeal.size),
      let firstCommit = reader.uint64(), let salts = reader.bytes(8),
      let checksum = reader.bytes(8), let frame = reader.uint32(), let count = reader.uint32(),
      firstCommit >= 1, firstCommit < 1 << 62, Int(count) <= bytes.count / 16
    else { throw .damaged(name) }
    var commits: [CommitPiece.Commit] = []
    for index in 0..<count {
      guard let date = reader.uint64(), let frames = reader.uint32(), let pages = reader.uint32(),
        pages > 0 || index == count - 1, date <= 1 << 53
      else { throw .damaged(name) }
      commits.append(.init(date: date, frameCount: Int(frames), pageCount: Int(pages)))
    }
    let frameCount = commits.reduce(0) { $0 + $1.frameCount }
    guard let frames = reader.range(frameCount * (header.pageSize + 4)),
      reader.range(ArchiveSeal.size) != nil, reader.isAtEnd
    else { throw .damaged(name) }
    self.sequence = sequence
    self.fence = fence
    self.previousSeal = previousSeal
    self.firstCommit = firstCommit
    self.commits = commits
    end = LogPosition(salts: salts, frame: Int(frame), checksum: checksum)
    self.frames = bytes[frames]
  }

  init(_ piece: CommitPiece, sequence: UInt64, fence: UInt64, previousSeal: [UInt8]) {
    (self.sequence, self.fence, self.previousSeal) = (sequence, fence, previousSeal)
    (firstCommit, commits, end) = (piece.firstCommit, piece.commits, piece.end)
    frames = piece.frames[...]
  }
}
