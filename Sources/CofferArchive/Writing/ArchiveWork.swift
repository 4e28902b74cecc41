import Coffer
import CofferCore
import FoundationEssentials
import Glibc

/// The work of a session.
// SAFETY: it is made before its session, which uses it on its queue alone; `capture` is Sendable.
final class ArchiveWork: @unchecked Sendable {
  let capture: CommitCapture
  private let database: ArchivedDatabase
  private let configuration: ArchiveConfiguration
  private let stateFile: ArchiveStateFile
  private var store: ArchiveStore
  private let seal: ArchiveSeal
  /// The layer that is being written.
  private var copy: LayerCopy?
  /// The first commit whose changes the next layer of each level has.
  private var levelFirst: [UInt64]
  /// When the last layer of each level ended.
  private var levelEnd: [Duration]
  private var leaseCheck: Duration
  /// When it was last looked for another writer.
  private var leaseLook: Duration
  private var pruning: Duration
  private var prunedCount = -1
  /// When the session has begun, by both clocks.
  private let start: Duration
  private let startDate: Date
  /// From the last commit that was archived before to the session's beginning, in milliseconds
  /// since 1970.
  private let pause: Range<UInt64>
  private var saving: Duration
  private var resting: Duration
  /// The date of the last commit in a segment, in milliseconds since 1970.
  private var lastDate: UInt64
  private var status = ArchiveStatus()
  private let progress: ArchiveProgress
  /// When the archive last had all commits.
  private var lastCurrent: Duration
  /// The last commit that can be restored; 0 if there is none.
  private var restorable: UInt64 = 0

  private struct LayerCopy {
    var layer: Manifest.Layer
    /// A part that isn't stored yet.
    var waiting: LayerPart?
    /// Whether that is the last part.
    var isLast = false
    var pageCount = 0
  }

  // MARK: Beginning

  init(
    _ database: ArchivedDatabase, _ destination: any ArchiveDestination,
    _ configuration: ArchiveConfiguration, _ progress: ArchiveProgress
  ) throws {
    self.database = database
    self.configuration = configuration
    self.progress = progress
    let fileKey = database.key
    guard let key = fileKey.derived else { throw DatabaseError.archiveNeedsLibCrypto }
    seal = try ArchiveSeal(key)
    guard
      let stateFile = try ArchiveStateFile(
        .writer, forDatabaseAt: database.path, makeNumber: ArchiveStore.newWriter)
    else { throw ArchiveError.archivedAlready(database.path) }
    self.stateFile = stateFile
    let slots = try Self.keySlots(of: database)
    var reader: ArchiveReader?
    do { reader = try ArchiveReader(destination, key: key) } catch ArchiveError.missing(
      ObjectName.manifests)
    {
      // A new archive begins behind the segments that are left.
    }
    if let reader {
      let manifest = reader.manifest
      guard configuration.admits(stateFile.number, manifest) else {
        throw ArchiveError.writerExists
      }
      guard manifest.header.pageSize == fileKey.settings.pageSize else {
        throw ArchiveError.changedKey
      }
      store = try ArchiveStore(reader, writer: stateFile.number)
    } else {
      store = try ArchiveStore(
        destination, key: key, pageSize: fileKey.settings.pageSize, slots: slots,
        writer: stateFile.number)
    }
    let tip: ArchiveReader.Tip?
    do {
      tip = try reader?.writersTip().tip
      lastDate = max(tip?.date ?? 0, store.manifest.layers.map(\.date).max() ?? 0)
      capture = try CommitCapture(
        path: PendingFile.resolved(database.path), key: fileKey,
        limits: configuration.captureLimits,
        levels: Manifest.snapshotLevel + 1, lastDate: lastDate, now: configuration.now)
    } catch {
      try? store.release()
      throw error
    }
    pause = lastDate..<max(lastDate, configuration.milliseconds)
    let now = configuration.elapsed()
    (start, startDate) = (now, configuration.now())
    levelFirst = Array(repeating: 1, count: Manifest.snapshotLevel)
    levelEnd = Array(repeating: now, count: Manifest.snapshotLevel)
    (leaseCheck, leaseLook, saving, resting, lastCurrent) = (now, now, now, now, now)
    pruning = now - configuration.levelIntervals[0]
    // A session may be shorter than the time of a level.
    for level in levelEnd.indices {
      let date = store.manifest.layers.filter { $0.level == level }.map(\.date).max() ?? 0
      let age = Int64(clamping: configuration.milliseconds) - Int64(clamping: date)
      let most = configuration.levelIntervals[level]
      levelEnd[level] -= min(most, .milliseconds(max(0, age)))
    }
    do {
      try begin(tip?.last, reader)
      if slots != store.manifest.slots { try store.putManifest { $0.slots = slots } }
      try database.pool?.add(capture)
    } catch {
      capture.close()
      try? store.release()
      throw error
    }
    updateStatus(nil)
  }

  /// The bytes of the database's key slots; empty if it has none.
  private static func keySlots(of database: ArchivedDatabase) throws -> [UInt8] {
    guard KeySlots.exist(forDatabaseAt: database.path) else { return [] }
    return try NewFile.read(KeySlots.path(forDatabaseAt: database.path), atMost: 1 << 20) ?? []
  }

  private func begin(_ last: Segment?, _ reader: ArchiveReader?) throws {
    let manifest = store.manifest
    let saved = store.hole == nil ? reader.flatMap { savedState($0) } : nil
    if let hole = store.hole {
      Database.logError?(
        .SQLITE_WARNING,
        "the archive has lost \(hole), or an object after it: all pages are archived again")
    }
    // A gap that no segment follows has used the next number.
    let known = max(
      store.tip.commit, manifest.gaps.max() ?? 0, manifest.layers.map(\.last).max() ?? 0)
    // Where the archive has lost its end, what is beside the database knows later numbers.
    let seen = max(known, reader.flatMap { storedState($0.manifest)?.end.lastCommit } ?? 0)
    var beginning: CommitCapture.Beginning?
    if let saved, saved.place.sequence == store.tip.sequence {
      beginning = saved.end
    } else if store.hole == nil, let last, !manifest.gaps.contains(where: { $0 > store.tip.commit })
    {
      beginning = CommitCapture.Beginning(
        position: last.end, lastCommit: store.tip.commit, isInsideCommit: last.isOpen)
    }
    if let gap = try capture.begin(at: beginning, orAfterGap: seen + 1) {
      return try beginAfterGap(gap)
    }
    // The first pages of a commit that goes on aren't known here.
    let isInside = beginning?.isInsideCommit == true
    levelFirst = levelFirst.map { _ in store.tip.commit + (isInside ? 2 : 1) }
    guard let reader, let saved, store.tip.sequence - saved.place.sequence < 600 else {
      // What the levels have to copy isn't known: the next layers begin here, after a copy of all.
      needsSnapshot = true
      return
    }
    levelFirst = saved.levelFirst
    capture.addChangedPages(saved.pages)
    try reader.forEachSegment(from: saved.place) { segment, _ in
      capture.addChangedPages(of: segment.frames)
      return true
    }
  }

  /// Whether all pages are to be archived, whatever the date of the last ones.
  private var needsSnapshot = false

  /// A gap that no manifest has yet.
  private var newGap: UInt64?

  /// Begins anew after commits that couldn't be read.
  private func beginAfterGap(_ gap: UInt64) throws {
    levelFirst = levelFirst.map { _ in gap + 1 }
    copy = nil
    newGap = gap
    try storeGap()
  }

  /// Stores a gap, before any segment behind it.
  private func storeGap() throws {
    guard let gap = newGap else { return }
    try store.putManifest { $0.gaps.append(gap) }
    newGap = nil
  }

  /// Whether commits are missing that only a copy of all pages brings.
  private var needsBase: Bool {
    guard newGap == nil, let gap = store.manifest.gaps.max() else {
      return newGap != nil || store.manifest.layers.isEmpty
    }
    return !LayerWays(store.manifest).ends.contains { $0 >= gap }
  }

  /// Whether all commits that were read can be restored.
  var isWhole: Bool { !needsBase && capture.backlog().isFollowing }

  // MARK: The state beside the database

  private func saveState() {
    // Pages that an unfinished layer has copied are in neither set; and where a copy of all pages
    // is needed, the next session has to know it.
    guard copy == nil || copy?.layer.level == Manifest.snapshotLevel, !needsSnapshot, newGap == nil,
      let end = capture.end, let changed = capture.changedPages()
    else { return }
    let state = WriterState(place: store.tip, end: end, levelFirst: levelFirst, pages: changed)
    let bytes = state.bytes(of: store.manifest.header.archive)
    guard let sealed = try? seal.sealed(bytes) else { return }
    try? stateFile.setState(sealed)
    saving = configuration.elapsed()
  }

  /// Reads the state; nil if there is none that fits the archive.
  private func savedState(_ reader: ArchiveReader) -> WriterState? {
    let manifest = reader.manifest
    guard let state = storedState(manifest), state.place.sequence >= manifest.logStart.sequence,
      state.place.sequence <= store.tip.sequence,
      state.place.sequence < store.tip.sequence || state.place.seal == store.tip.seal,
      state.end.lastCommit >= manifest.logStart.commit,
      // What was known before a gap says nothing of what comes after it.
      !manifest.gaps.contains(where: { $0 > state.end.lastCommit })
    else { return nil }
    return state
  }

  /// Reads the state; nil if there is none of this archive.
  private func storedState(_ manifest: Manifest) -> WriterState? {
    guard let bytes = try? stateFile.state(), seal.isSealed(bytes) else { return nil }
    return WriterState(
      bytes.dropLast(ArchiveSeal.size), of: manifest.header.archive, levelCount: levelFirst.count)
  }

  // MARK: Working

  /// Archives what is new.
  ///
  /// - Parameters:
  ///   - served: The number of threads that wait for this.
  ///   - isStopping: Whether only commits are archived, since the session ends.
  func work(for served: Int = 0, isStopping: Bool = false) throws {
    let start = configuration.elapsed()
    do {
      _ = capture.letGoIfTooLong()
      tellLosses()
      try checkLease(start, isStopping)
      try follow()
      do {
        try storeCommits()
        if !isStopping { try copyLayers(for: served) }
      } catch CommitCaptureError.logIsGone {
        capture.letGo()
        tellLosses()
        try follow()
      }
      if !isStopping {
        try pruneIfDue()
        try pruneIfAsked()
        shortenLog()
      }
      if isStopping || configuration.elapsed() - saving > .seconds(30) { saveState() }
      if isWhole { lastCurrent = start }
      updateStatus(nil)
      noteEnd(isComplete: isWhole && hasStoredAll)
      // Where commits come all the time, connections aren't opened anew for each.
      if start - resting >= .seconds(1) {
        capture.rest()
        resting = start
      }
    } catch {
      let error = Self.named(error)
      updateStatus(error)
      throw error
    }
  }

  /// Names the errors after which a session can't go on.
  private static func named(_ error: any Error) -> any Error {
    switch error {
    case CommitCaptureError.otherKey: ArchiveError.changedKey
    case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB:
      ArchiveError.changedKey
    default: error
    }
  }

  private func checkLease(_ now: Duration, _ isStopping: Bool) throws {
    guard now - leaseCheck >= configuration.leaseInterval || isStopping else { return }
    // An idle database causes hardly any requests.
    if capture.backlog().byteCount > 0 || isStopping || store.destination is FolderDestination
      || now - leaseLook >= configuration.idleLeaseInterval
    {
      try store.checkLease()
      leaseLook = now
    }
    let slots = try Self.keySlots(of: database)
    if slots != store.manifest.slots { try store.putManifest { $0.slots = slots } }
    leaseCheck = now
  }

  /// Follows the log again, if it was let go.
  private func follow() throws {
    try storeGap()
    guard !capture.backlog().isFollowing else { return }
    // What was read before comes first.
    while let piece = capture.nextPiece() { try put(piece) }
    if let gap = try capture.begin(at: nil, orAfterGap: 0) { try beginAfterGap(gap) }
  }

  private func put(_ piece: CommitPiece) throws {
    try store.put(piece)
    capture.dropPiece()
    if let date = piece.commits.last(where: { $0.pageCount > 0 })?.date { lastDate = date }
    updateStatus(nil)
  }

  /// Whether ``storeCommits()`` has stored all commits that there were when it began.
  private(set) var hasStoredAll = false

  /// Stores the commits until now: those that come meanwhile only if there was no room for the
  /// others.
  private func storeCommits() throws {
    hasStoredAll = false
    var waiting = capture.backlog().byteCount
    while true {
      let isComplete = try capture.collect()
      var stored = 0
      // What begins meanwhile is the next object's.
      for _ in 0..<capture.pieceCount {
        guard let piece = capture.nextPiece() else { break }
        stored += piece.frames.count
        try put(piece)
      }
      waiting -= stored
      hasStoredAll = isComplete || waiting <= 0
      guard !hasStoredAll, stored > 0 else { return }
    }
  }

  // MARK: Layers

  private func copyLayers(for served: Int) throws {
    var lastStore = configuration.elapsed()
    while true {
      if copy == nil {
        guard let level = dueLevel() else { return }
        try beginLayer(level)
      }
      if progress.isStopRequested { return }
      guard try copyPart() else { return }
      // Another who waits for commits needs no copy of pages, unless they can't be restored without
      // it, or aren't read before it ends.
      if progress.waiterCount > served, !needsBase, !capture.isFrozen { return }
      if configuration.elapsed() - lastStore >= configuration.interval {
        lastStore = configuration.elapsed()
        try storeCommits()
        shortenLog()
        updateStatus(nil)
      }
    }
  }

  private func dueLevel() -> Int? {
    if needsBase || needsSnapshot { return Manifest.snapshotLevel }
    let now = configuration.elapsed()
    for level in levelEnd.indices where now - levelEnd[level] >= configuration.levelIntervals[level]
    {
      if capture.hasChangedPages(level) { return level }
      levelEnd[level] = now
    }
    let snapshots = store.manifest.layers.filter { $0.level == Manifest.snapshotLevel }
    guard let last = snapshots.max(by: { $0.last < $1.last }), store.tip.commit > last.last else {
      return nil
    }
    let age = Int64(clamping: configuration.milliseconds) - Int64(clamping: last.date)
    return Duration.milliseconds(age) >= configuration.snapshotInterval
      ? Manifest.snapshotLevel : nil
  }

  private func beginLayer(_ level: Int) throws {
    let isSnapshot = level == Manifest.snapshotLevel
    if isSnapshot { try capture.addAllPages(to: level) }
    let layer = Manifest.Layer(
      number: store.newLayer(), level: level, first: isSnapshot ? 0 : levelFirst[level], last: 0,
      date: 0, pageCount: 0, partCount: 0, byteCount: 0, place: store.tip)
    copy = LayerCopy(layer: layer)
  }

  /// Stores the next part of the layer, and ends the layer with its last one.
  ///
  /// - Returns: False if nothing could be copied right now.
  private func copyPart() throws -> Bool {
    guard var copy else { return false }
    if copy.waiting == nil, !copy.isLast {
      guard
        let pages = try capture.copyPages(
          of: copy.layer.level, isEnding: copy.pageCount > 2 * copy.layer.pageCount)
      else { return false }
      // The log goes on from here: what waits has commits before and after this one.
      copy.layer.place = store.tip
      copy.layer.place.commit = pages.commit
      (copy.layer.last, copy.layer.date) = (pages.commit, pages.date)
      copy.layer.pageCount = pages.pageCount
      copy.isLast = pages.isLast
      copy.waiting = LayerPart(
        layer: copy.layer.number, index: copy.layer.partCount,
        damagedPages: pages.damagedPages, frames: pages.frames[...])
      tell(pages.damagedPages)
      self.copy = copy
    }
    if let part = copy.waiting {
      copy.layer.byteCount += try store.put(part)
      copy.layer.partCount += 1
      copy.waiting = nil
      copy.pageCount += part.frames.count / (capture.pageSize + 4)
      self.copy = copy
    }
    guard copy.isLast else { return true }
    // What the layer is said to follow has to be there.
    while store.tip.commit < copy.layer.last, let piece = capture.nextPiece() { try put(piece) }
    try store.putManifest(with: copy.layer)
    self.copy = nil
    if copy.layer.level == Manifest.snapshotLevel {
      needsSnapshot = false
    } else {
      levelFirst[copy.layer.level] = copy.layer.last + 1
      levelEnd[copy.layer.level] = configuration.elapsed()
    }
    saveState()
    return true
  }

  /// The number of gaps that were told.
  private var toldLosses = 0

  private func tellLosses() {
    let count = capture.backlog().lossCount
    guard count > toldLosses else { return }
    toldLosses = count
    Database.logError?(
      .SQLITE_WARNING,
      "the archive of \(database.path) gets a gap behind commit \(store.tip.commit): the write-ahead log became "
        + "too long, or was lost, before all of it was read. Commits until all pages are archived again "
        + "can't be restored one by one")
  }

  private func tell(_ damagedPages: [Int]) {
    guard !damagedPages.isEmpty else { return }
    Database.logError?(
      .SQLITE_CORRUPT,
      "the archive has found damaged pages in \(database.path): \(damagedPages.prefix(8)). Until they "
        + "are written anew, no commit that has them can be restored. DatabaseFile.salvage saves "
        + "the others.")
  }

  // MARK: Keeping house

  private func pruneIfDue() throws {
    let now = configuration.elapsed()
    guard now - pruning >= configuration.levelIntervals[0], store.objectCount != prunedCount,
      copy == nil
    else { return }
    (pruning, prunedCount) = (now, store.objectCount)
    // After a jump of the clock, the age of objects isn't known.
    guard isClockSteady else { return }
    // Nor how long nothing was archived before.
    _ = try store.prune(configuration.retention, at: configuration.milliseconds, pause: pause)
    prunedCount = store.objectCount
  }

  private var isClockSteady: Bool {
    let passed = configuration.now().timeIntervalSince(startDate)
    return abs(passed - (configuration.elapsed() - start) / .seconds(1)) < 3_600
  }

  /// The request of another process that was done last, and the number of deleted objects.
  private var pruned: (request: PruneRequest, count: Int)?

  /// Does what another process asks for, once.
  private func pruneIfAsked() throws {
    guard copy == nil, let bytes = try? stateFile.request(size: PruneRequest.size),
      let request = PruneRequest(bytes, seal), request != pruned?.request,
      request.archive == store.manifest.header.archive, request.fence == store.manifest.fence,
      isClockSteady
    else { return }
    let count = try store.prune(request.retention, at: configuration.milliseconds, pause: pause)
    pruned = (request, count)
  }

  /// Shortens a log that other processes write.
  private func shortenLog() {
    let policy = database.checkpoints
    guard !database.hasFreshness, policy.automaticPageCount < .max else { return }
    // Others may use the log right now: then the next time.
    try? capture.shortenLog(from: policy.automaticPageCount, maximum: policy.maximumPageCount)
  }

  // MARK: Status

  private func updateStatus(_ error: (any Error)?) {
    var status = status
    if !needsBase {
      restorable = max(restorable, store.tip.commit, store.manifest.layers.map(\.last).max() ?? 0)
      let layer = store.manifest.layers.first { $0.last == restorable }
      status.archived = ArchiveCommit(
        number: restorable, milliseconds: layer?.date ?? lastDate)
    }
    status.takenOverWriter = store.takenOver
    status.prunedObjectCount = store.prunedCount
    status.storedByteCount = store.byteCount
    status.storedObjectCount = store.objectCount
    status.lastError = error
    status.progress = copy.flatMap { copy in
      guard copy.layer.level == Manifest.snapshotLevel, copy.layer.pageCount > 0 else { return nil }
      return min(1, Double(copy.pageCount) / Double(copy.layer.pageCount))
    }
    self.status = status
    noteEnd(isComplete: false)
    progress.set(status, lastCurrent: lastCurrent, isWhole: !needsBase)
    report()
  }

  private var lastReport: ArchiverReport?

  /// Tells other processes how far the archive is.
  private func report() {
    let (now, elapsed) = (configuration.now(), configuration.elapsed())
    let current = progress.status(capture.backlog(), at: elapsed)
    var report = ArchiverReport(
      process: getpid(), target: store.destination.place, date: now,
      lastCurrent: now - current.lag / .seconds(1), commit: status.archived?.number,
      waitingByteCount: current.waitingByteCount, gapCount: current.gapCount, isWhole: !needsBase,
      error: status.lastError.map { String("\($0)".prefix(500)) })
    report.prunedRequest = pruned?.request.number
    report.prunedObjectCount = pruned?.count
    if let last = lastReport, last.isSame(as: report),
      (0..<10).contains(now.timeIntervalSince(last.date))
    {
      return
    }
    report.waitingCommitCount = capture.waitingCommitCount()
    guard let bytes = try? JSONEncoder().encode(report) else { return }
    try? stateFile.setNote(Array(bytes))
    lastReport = report
  }

  /// Notes the last commit that can be restored in the database's anchor.
  private func noteEnd(isComplete: Bool) {
    guard let archived = status.archived else { return }
    database.noteInAnchor?(
      ArchivedEnd(
        archive: store.manifest.header.archive, commit: archived.number,
        date: archived.date.archivedMilliseconds), isComplete)
  }

  /// Ends the work.
  ///
  /// - Throws: An error if the next writer has to take the archive over.
  func end() throws {
    capture.close()
    progress.end()
    defer { stateFile.unlock() }
    try store.release()
  }

  /// Lets the next session use what is beside the database, after an end that wasn't waited for.
  func leave() { stateFile.unlock() }

  /// Ends the work of a session that can't go on: the archive has another writer, or another key.
  func abandon(_ error: any Error) {
    capture.close()
    progress.end(error)
    stateFile.unlock()
  }
}

extension ArchiveConfiguration {
  fileprivate var captureLimits: CommitCapture.Limits {
    var limits = limits
    limits.logSize = maximumLogSize
    return limits
  }
}
