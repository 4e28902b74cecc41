import CofferCore

/// What a writer keeps beside the database: where its capture was, and what the levels have to
/// copy.
///
/// See `Docs/Format.md`.
struct WriterState {
  /// The end of the archive's log.
  var place: Manifest.LogPlace
  /// The end of what was read of the database's log.
  var end: CommitCapture.Beginning
  /// The first commit whose changes the next layer of each level has.
  var levelFirst: [UInt64] = []
  /// The pages that each level has to copy, as bits.
  var pages: [[UInt64]] = []

  private static let magic = Array("levels 1".utf8)

  /// Returns the bytes, without their seal.
  func bytes(of archive: [UInt8]) -> [UInt8] {
    var bytes = Self.magic + archive
    bytes.append(place.sequence)
    bytes += place.seal
    bytes.append(place.commit)
    bytes += end.position.salts
    bytes.append(UInt32(end.position.frame))
    bytes.append(UInt8(end.position.checksum.count))
    bytes += end.position.checksum
    bytes.append(end.lastCommit)
    for (first, words) in zip(levelFirst, pages) {
      bytes.append(first)
      bytes.append(UInt32(words.count))
      for word in words { bytes.append(word) }
    }
    return bytes
  }

  init(
    place: Manifest.LogPlace, end: CommitCapture.Beginning, levelFirst: [UInt64],
    pages: [[UInt64]]
  ) {
    (self.place, self.end, self.levelFirst, self.pages) = (place, end, levelFirst, pages)
  }

  /// Reads bytes whose seal is right; nil for those of another archive.
  init?(_ bytes: [UInt8], of archive: [UInt8], levelCount: Int) {
    var input = ByteReader(bytes)
    guard input.bytes(Self.magic.count) == Self.magic, input.bytes(16) == archive,
      let sequence = input.uint64(), let seal = input.bytes(ArchiveSeal.size),
      let commit = input.uint64(), let salts = input.bytes(8), let frame = input.uint32(),
      let checksumSize = input.uint8(), let checksum = input.bytes(Int(checksumSize)),
      let lastCommit = input.uint64()
    else { return nil }
    place = Manifest.LogPlace(sequence: sequence, seal: seal, commit: commit)
    end = CommitCapture.Beginning(
      position: LogPosition(salts: salts, frame: Int(frame), checksum: checksum),
      lastCommit: lastCommit, isInsideCommit: false)
    for _ in 0..<levelCount {
      guard let first = input.uint64(), let count = input.uint32(), Int(count) <= bytes.count / 8
      else { return nil }
      levelFirst.append(first)
      pages.append((0..<count).compactMap { _ in input.uint64() })
    }
  }
}
