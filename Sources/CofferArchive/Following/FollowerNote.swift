import CofferCore

/// What a follower notes beside its file: which commits the file has, in which history, and by what
/// the file is known.
struct FollowerNote {
  /// Counts the notes.
  var number: UInt64
  /// The place of the next segment, which may begin with commits that the file has.
  var place: Manifest.LogPlace
  /// A commit that the file has.
  var commit: ArchiveCommit
  /// The last commit that the file may have: it was about to be written when this was noted.
  var intended: UInt64
  /// The fence of a writer that knew of that commit.
  var fence: UInt64
  /// The number of the newest manifest that was seen.
  var manifest: UInt64
  var mark: FollowedFileMark

  private static let magic = Array("commit 2".utf8)
  private static let size = 112 + FollowedFileMark.size + ArchiveSeal.size

  /// Stores this in place of the note before the last one.
  func save(in file: ArchiveStateFile, _ reader: ArchiveReader) throws {
    var bytes = Self.magic + reader.manifest.header.archive
    bytes.append(place.sequence)
    bytes += place.seal
    bytes.append(commit.number)
    bytes.append(commit.date.archivedMilliseconds)
    for field in [intended, fence, manifest, number] { bytes.append(field) }
    bytes += mark.bytes
    do {
      try file.setDurableState(reader.seal.sealed(bytes), number: number)
    } catch {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(error)")
    }
  }

  /// Returns the last note that is whole; nil if there is none.
  static func last(in file: ArchiveStateFile, _ reader: ArchiveReader) throws -> FollowerNote? {
    let states: [[UInt8]]
    do { states = try file.durableStates(size: size) } catch {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(error)")
    }
    return states.compactMap { FollowerNote($0, reader) }.max { $0.number < $1.number }
  }

  init(
    number: UInt64, place: Manifest.LogPlace, commit: ArchiveCommit, fence: UInt64,
    manifest: UInt64, mark: FollowedFileMark
  ) {
    (self.number, self.place, self.commit, intended) = (number, place, commit, commit.number)
    (self.fence, self.manifest, self.mark) = (fence, manifest, mark)
  }

  private init?(_ bytes: [UInt8], _ reader: ArchiveReader) {
    guard reader.seal.isSealed(bytes) else { return nil }
    var input = ByteReader(bytes.dropLast(ArchiveSeal.size))
    guard input.bytes(Self.magic.count) == Self.magic,
      input.bytes(16) == reader.manifest.header.archive, let sequence = input.uint64(),
      let seal = input.bytes(ArchiveSeal.size), let commit = input.uint64(),
      let date = input.uint64(), let intended = input.uint64(), let fence = input.uint64(),
      let manifest = input.uint64(), let number = input.uint64(),
      let mark = FollowedFileMark(&input), input.isAtEnd
    else { return nil }
    self.init(
      number: number,
      place: Manifest.LogPlace(sequence: sequence, seal: seal, commit: commit),
      commit: ArchiveCommit(number: commit, milliseconds: date), fence: fence, manifest: manifest,
      mark: mark)
    self.intended = intended
  }
}
