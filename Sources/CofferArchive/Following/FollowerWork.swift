import Coffer
import CofferCore
import FoundationEssentials

/// The work of a follower.
// SAFETY: it is made before its follower, which uses it on its queue alone.
final class FollowerWork: @unchecked Sendable {
  private let database: FollowedDatabase
  private let stateFile: ArchiveStateFile
  private var reader: ArchiveReader
  /// What is noted, or will be with the next commit.
  private var note: FollowerNote
  /// Where the log ended at the last look.
  private var end: Manifest.LogPlace
  private var polls = 0
  /// The looks since the last new commit.
  private(set) var idleLooks = 0
  /// Whether the last attempt has failed, so that the next one looks at the whole archive.
  private var needsLook = false
  /// Whether the last call of ``work(isPolling:)`` has seen an object of the archive.
  private(set) var hasSeenArchive = false

  /// The last commit that the file has.
  var commit: ArchiveCommit { note.commit }

  /// The most bytes of segments that are kept for one commit.
  private static let mostBytes = 32 << 20

  private let minimums: [ArchiveMinimum]

  /// Opens the file, or restores it.
  init(
    _ archive: Archive, path: String, atLeast minimums: [ArchiveMinimum], key: DatabaseKey,
    cipher: CipherSettings, progress: ((Double) throws -> Void)?
  ) throws {
    // Before anything is written beside the path.
    reader = try ArchiveReader(archive.destination, key: key, settings: cipher, path: path)
    try reader.retrying { try minimums.check(archive, $0) }
    self.minimums = minimums
    guard
      let stateFile = try ArchiveStateFile(
        .follower, forDatabaseAt: path, makeNumber: ArchiveStore.newWriter)
    else {
      throw DatabaseError(
        resultCode: .SQLITE_BUSY, message: "another follower has the file: \(path)")
    }
    self.stateFile = stateFile
    if FollowedDatabase.exists(at: path) {
      guard let last = try FollowerNote.last(in: stateFile, reader) else {
        if stateFile.isNew { stateFile.remove() }
        throw ArchiveError.foreignFile(path)
      }
      note = last
    } else {
      do {
        note = try Self.restored(
          archive, path: path, key: key, cipher: cipher, reader, stateFile, progress)
      } catch {
        if stateFile.isNew, !FollowedDatabase.exists(at: path) { stateFile.remove() }
        throw error
      }
    }
    end = note.place
    guard note.manifest <= reader.manifest.number else { throw ArchiveError.otherHistory }
    guard try FollowedFileMark(ofFileAt: path).isSameFile(as: note.mark) else {
      throw ArchiveError.changedFile(path)
    }
    if !reader.manifest.slots.isEmpty {
      try FollowedDatabase.setKeySlots(reader.manifest.slots, forDatabaseAt: path)
    }
    database = try FollowedDatabase(path: path, key: reader.key, settings: cipher)
    guard try database.fits(note.mark) else {
      database.close()
      throw ArchiveError.changedFile(path)
    }
  }

  /// Restores the file, and notes its mark before it has its name: no other file is taken for it.
  private static func restored(
    _ archive: Archive, path: String, key: DatabaseKey, cipher: CipherSettings,
    _ reader: ArchiveReader, _ stateFile: ArchiveStateFile, _ progress: ((Double) throws -> Void)?
  ) throws -> FollowerNote {
    let plan = try archive.plan(to: .latest, reader)
    let tip = try reader.tip()
    let commit = try reader.commit(plan.commit, in: reader.run(to: tip))
    let base = plan.layers.last
    // A writer behind the commit knew of it, too.
    let last = tip.place.commit == plan.commit ? tip.last : nil
    var note: FollowerNote?
    _ = try archive.restore(
      to: path, at: .commit(plan.commit), atLeast: [], key: key, cipher: cipher,
      progress: progress
    ) { file in
      for number: UInt64 in 0...1 {
        let new = try FollowerNote(
          number: number, place: base?.place ?? reader.manifest.logStart, commit: commit,
          fence: last?.fence ?? base?.fence ?? 0, manifest: reader.manifest.number,
          mark: FollowedFileMark(ofFileAt: file))
        try new.save(in: stateFile, reader)
        note = new
      }
    }
    guard let note else { throw ArchiveError.noCommit(plan.commit) }
    return note
  }

  // MARK: Following

  /// Brings the file to the last commit that the archive has.
  ///
  /// - Parameter isPolling: Whether it will be called again soon.
  /// - Returns: False if the archive has later commits, which can't be reached yet.
  func work(isPolling: Bool) throws -> Bool {
    polls += 1
    hasSeenArchive = false
    // The next segment may be gone, and layers have taken its place. A list costs more than a look.
    let isLooking = try !isPolling || needsLook || polls % 20 == 1 || !isInFolder()
    let isIdle = isPolling && !needsLook && idleLooks >= 20
    needsLook = true
    let number = commit.number
    defer { idleLooks = commit.number == number ? idleLooks + 1 : 0 }
    if isLooking {
      let isNew = try refresh()
      hasSeenArchive = true
      // The other looks ask for the next segment: one request is enough.
      if isIdle, !isNew, !needsLayers, !(reader.destination is FolderDestination) {
        needsLook = false
        return true
      }
    }
    var isAtGap = try applySegments()
    if isAtGap { try refresh() }
    if needsLayers {
      guard try applyLayers() else {
        needsLook = false
        return false
      }
      isAtGap = try applySegments()
    }
    // A gap is in the manifest before there is a segment behind it.
    if isAtGap, !needsLayers { throw ArchiveError.brokenChain(ObjectName.segment(end.sequence)) }
    if isLooking, !needsLayers { try checkEnd() }
    database.checkpoint(from: 1_000)
    needsLook = false
    return !needsLayers
  }

  /// Whether the folder of the archive still has the newest manifest, which costs no request; true
  /// for other destinations.
  private func isInFolder() throws -> Bool {
    guard let folder = reader.destination as? FolderDestination else { return true }
    hasSeenArchive = try folder.identity(ObjectName.manifest(reader.newestNumber)) != nil
    return hasSeenArchive
  }

  /// Throws if the file hasn't got as far as the archive has to reach.
  func checkMinimums() throws { try minimums.check(commit, reader) }

  /// Reads the newest manifest.
  ///
  /// - Returns: Whether it is another one.
  @discardableResult
  private func refresh() throws -> Bool {
    guard try reader.refresh() else { return false }
    if !reader.manifest.slots.isEmpty {
      try FollowedDatabase.setKeySlots(reader.manifest.slots, forDatabaseAt: database.path)
    }
    return true
  }

  /// Whether the log doesn't lead from the file's commit to the last one.
  private var needsLayers: Bool {
    reader.manifest.logStart.sequence > note.place.sequence
      || reader.manifest.gaps.contains { $0 > commit.number }
  }

  /// Throws if the log that the file has isn't the archive's any more.
  private func checkEnd() throws {
    let numbers = try reader.destination.segmentNumbers()
    let stored = max(
      numbers.max().map { $0 + 1 } ?? 0, reader.manifest.tip.sequence,
      reader.manifest.logStart.sequence)
    guard stored >= end.sequence else { throw ArchiveError.otherHistory }
    guard stored == end.sequence else {
      // It may have been stored since it was asked for.
      if try reader.segment(at: end) == nil {
        throw ArchiveError.missing(ObjectName.segment(end.sequence))
      }
      return
    }
    for known in [reader.manifest.tip, reader.manifest.logStart]
    where known.sequence == end.sequence && known.seal != end.seal {
      throw ArchiveError.otherHistory
    }
    guard end.sequence > reader.manifest.logStart.sequence else { return }
    guard let (_, seal) = try reader.segment(end.sequence - 1) else {
      throw ArchiveError.missing(ObjectName.segment(end.sequence - 1))
    }
    guard seal == end.seal else { throw ArchiveError.otherHistory }
  }

  // MARK: Segments

  /// Applies the segments that are there.
  ///
  /// - Returns: Whether commits are missing before the next one.
  private func applySegments() throws -> Bool {
    while true {
      let batch: Batch
      do { batch = try nextBatch() } catch ArchiveError.missing(let name) {
        // A writer may have deleted it, and layers have what it had.
        try refresh()
        guard needsLayers else { throw ArchiveError.missing(name) }
        return false
      }
      guard batch.last.number > commit.number else {
        // Nothing new, but it needs no second look.
        (note.place, note.fence) = (batch.place, batch.fence)
        return batch.isAtGap
      }
      try apply(batch)
    }
  }

  /// Segments that are applied as one commit.
  private struct Batch {
    /// Those that are in memory. More may be needed.
    var segments: [Segment] = []
    var last: ArchiveCommit
    /// The place behind the last commit.
    var place: Manifest.LogPlace
    var fence: UInt64
    var isAtGap = false
  }

  /// Reads segments to the end of the log, or as many as fit.
  private func nextBatch() throws -> Batch {
    var batch = Batch(last: commit, place: note.place, fence: note.fence)
    var byteCount = 0
    var next = note.place
    // What the file may have is written again as a whole, or it would be a mixture.
    let least = max(commit.number + 1, note.intended)
    while byteCount < Self.mostBytes || batch.last.number < least {
      let found: (segment: Segment, seal: [UInt8])?
      do { found = try reader.segment(at: next) } catch ArchiveError.brokenChain(let name) {
        throw next == note.place ? ArchiveError.otherHistory : .brokenChain(name)
      }
      guard let (segment, seal) = found else {
        // The manifest says how far the log goes at least.
        guard next.sequence >= reader.manifest.tip.sequence,
          commit.number == batch.last.number || batch.last.number >= least
        else { throw ArchiveError.missing(ObjectName.segment(next.sequence)) }
        break
      }
      hasSeenArchive = true
      batch.isAtGap = segment.firstCommit > batch.last.number + 1
      if batch.isAtGap {
        guard batch.last.number < note.intended else { break }
        return Batch(last: commit, place: note.place, fence: note.fence, isAtGap: true)
      }
      // A commit larger than that is read twice.
      if byteCount < Self.mostBytes { batch.segments.append(segment) }
      byteCount += segment.frames.count
      if segment.lastWholeCommit >= segment.firstCommit,
        segment.lastWholeCommit > batch.last.number
      {
        let index = Int(segment.lastWholeCommit - segment.firstCommit)
        batch.last = ArchiveCommit(
          number: segment.lastWholeCommit, milliseconds: segment.commits[index].date)
        // A commit that goes on in the next segment begins in this one.
        batch.place = next
      }
      batch.fence = segment.fence
      next = Manifest.LogPlace(
        sequence: next.sequence + 1, seal: seal, commit: segment.lastWholeCommit)
      let lastBegun = segment.lastWholeCommit + (segment.isOpen ? 1 : 0)
      if lastBegun <= batch.last.number { batch.place = next }
    }
    end = next
    return batch
  }

  private func apply(_ batch: Batch) throws {
    try prepare(batch.last.number, batch.fence)
    var changes = CommitChanges(after: commit.number, upTo: batch.last.number)
    let pageSize = reader.manifest.header.pageSize
    try database.commit { write in
      for segment in batch.segments { try write(changes.frames(of: segment, pageSize: pageSize)) }
      var further = batch.segments.last.map(\.sequence).map { $0 + 1 } ?? note.place.sequence
      while changes.last < batch.last.number {
        guard let (segment, _) = try reader.segment(further) else {
          throw ArchiveError.missing(ObjectName.segment(further))
        }
        try write(changes.frames(of: segment, pageSize: pageSize))
        further += 1
      }
      return changes.pageCount ?? 0
    }
    (note.commit, note.place) = (batch.last, batch.place)
  }

  // MARK: Layers

  /// Applies layers to a file that the log no longer reaches, as one commit.
  ///
  /// - Returns: False if there are none yet: all pages may still be on their way.
  private func applyLayers() throws -> Bool {
    let manifest = reader.manifest
    let isShown = showsHistory
    let ways = LayerWays(manifest, from: isShown ? commit.number : nil)
    guard let end = ways.ends.last, end > commit.number, end >= note.intended,
      let layers = ways.way(to: end), let last = layers.last
    else {
      // Where the log still has the file's commits, there will be layers.
      guard isShown || manifest.logStart.sequence <= note.place.sequence else {
        throw ArchiveError.otherHistory
      }
      return false
    }
    try prepare(end, last.fence)
    try database.commit { write in
      for layer in layers {
        for index in 0..<layer.partCount { try write(reader.part(index, of: layer).frames) }
      }
      return last.pageCount
    }
    note.commit = ArchiveCommit(number: last.last, milliseconds: last.date)
    // Of two layers with the same end, one may have begun earlier in the log.
    note.place =
      last.place.sequence < manifest.logStart.sequence ? manifest.logStart : last.place
    self.end = note.place
    return true
  }

  /// Whether the manifest shows that the archive has the file's commits.
  ///
  /// Layers for changed pages are right on these alone. The writer that stored the last of them, or
  /// knew of it, has then stored a layer: it would have ended if another one had gone on from an
  /// earlier state. Numbers show nothing, since both histories have them.
  private var showsHistory: Bool {
    reader.manifest.layers.contains { $0.fence == note.fence && $0.last >= note.intended }
  }

  // MARK: Promoting

  /// Takes the archive over, brings the file to its end, and leaves the file to others.
  func promote() throws -> ArchiveCommit {
    _ = try work(isPolling: false)
    guard
      let writerFile = try ArchiveStateFile(
        .writer, forDatabaseAt: database.path, makeNumber: ArchiveStore.newWriter)
    else { throw ArchiveError.archivedAlready(database.path) }
    defer { writerFile.unlock() }
    // From here on, the writer before finds each next name taken.
    let store = try ArchiveStore(reader, writer: writerFile.number, binds: true)
    guard store.hole == nil, try work(isPolling: false) else {
      throw ArchiveError.noCommit(store.tip.commit)
    }
    guard commit.number >= store.tip.commit else { throw ArchiveError.noCommit(store.tip.commit) }
    guard try database.finalMark() != nil else {
      throw DatabaseError(
        resultCode: .SQLITE_BUSY, message: "somebody still reads \(database.path)",
        hint: "End the programs that have it open, and promote it again.")
    }
    database.close()
    stateFile.remove()
    return commit
  }

  // MARK: Notes

  /// Notes the commit that is about to be written.
  ///
  /// After a crash, it isn't known whether the file has it.
  private func prepare(_ intended: UInt64, _ fence: UInt64) throws {
    var next = note
    next.number += 1
    next.intended = max(intended, note.intended)
    (next.fence, next.manifest) = (fence, reader.manifest.number)
    next.mark = try database.mark()
    try next.save(in: stateFile, reader)
    note = next
  }

  func close() {
    if note.intended == commit.number, let mark = try? database.finalMark() {
      note.number += 1
      (note.mark, note.manifest) = (mark, reader.manifest.number)
      try? note.save(in: stateFile, reader)
    }
    database.close()
    stateFile.unlock()
  }
}
