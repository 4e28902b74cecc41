import CofferSQLite
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Keeps the record and the anchor of a database up to date while a connection can write to it.
///
/// The connection's commits only count frames. A queue of its own reads the log, at most once a
/// second, and stores the anchor. What has to be done before a checkpoint and at closing is done by
/// the connection.
package final class FreshnessSession: LogFollower, Sendable {
  let path: String
  let anchor: any FreshnessAnchor
  private let settings: CipherSettings
  private let layout: LogLayout
  private let progress: Mutex<Progress>
  /// The end of the log as of the last commit.
  private let logEnd = Atomic<UInt64>(0)
  private let isScheduled = Atomic(false)
  /// Whether SQLite may have started the log again since the last commit.
  private let mayHaveRestarted = Atomic(false)
  private let queue = DispatchQueue(label: "Coffer.freshness", qos: .utility)
  private let minimumInterval: Duration

  /// A commit's last frame, in one number.
  private struct LogEnd {
    /// Counts the logs of this session.
    var generation: UInt32
    var frame: Int

    init(generation: UInt32, frame: Int) {
      self.generation = generation
      self.frame = frame
    }

    init(_ number: UInt64) {
      generation = UInt32(number >> 32)
      frame = Int(number & 0xFFFF_FFFF)
    }

    var number: UInt64 { UInt64(generation) << 32 | UInt64(frame) }
  }

  // SAFETY: only this session uses its files, and only under the lock.
  private struct Progress: @unchecked Sendable {
    var keys: FreshnessKeys
    let tagFile: TagFile
    let mainFile: ReadOnlyFile
    var logFile: RawFile?
    var state: FreshnessState
    var tags: PageTags
    var cutPages: [Int: PageTag]
    /// The pages whose entries in the tag file are outdated.
    var changedPages: Set<Int> = []
    /// The generation of the log to which the state belongs.
    var generation: UInt32 = 0
    /// The last record.
    var record: SealedState
    /// Whether another one may be in the file, whose writing has failed.
    var isRecordUncertain = false
    /// Whether the state has changed since the last record.
    var isChanged = false
    /// The anchor that was last stored.
    var stored: (counter: UInt64?, digest: [UInt8])
    /// The digest of the anchor's state under the next key, while the key is being changed.
    var nextDigest: [UInt8]?
    /// The anchor that is being stored, or was tried to be.
    var attempt: SealedState?
    /// The end of the archive, and the one in the anchor that was last stored or tried.
    var archived: (newest: ArchivedEnd?, anchored: ArchivedEnd?)
    var failure: FreshnessError?
    /// Whether the queue has nothing more to do.
    var isClosed = false

    mutating func endAttempt(isStored: Bool) {
      if isStored, let attempt {
        stored = (attempt.state.counter, attempt.digest)
        failure = nil
      }
      attempt = nil
    }
  }

  /// Begins a session with a record.
  ///
  /// - Parameters:
  ///   - path: The path of the database, without symbolic links.
  ///   - current: The pages and the state of the files, which are verified.
  ///   - known: The tags in the tag file, and their commit.
  ///   - stored: The anchor that the state follows; nil for none.
  /// - Throws: ``FreshnessError``
  init(
    path: String, freshness: Freshness, settings: CipherSettings, keys: FreshnessKeys,
    tagFile: TagFile, current: FreshnessVerifier.Current,
    known: (tags: PageTags, commit: UInt32)?, stored: SealedState?, counter: UInt64
  ) throws {
    self.path = path
    anchor = freshness.anchor
    minimumInterval = freshness.minimumInterval
    self.settings = settings
    layout = LogLayout(pageSize: settings.pageSize)
    var state = current.state
    var tags = current.tags
    state.flags = []
    state.counter = counter
    state.base = stored?.digest ?? state.base
    state.pending = [UInt8](repeating: 0, count: 16)
    if let (knownTags, _) = known { tags.takeCommits(from: knownTags) }
    state.root = try tags.root(keys)
    // A killed process has not synced the tail that the record claims from now on.
    if state.logFrameCount > 0 { try RawFile(path: path + "-wal", flags: O_RDONLY).sync() }
    let record = try SealedState(state, keys: keys)
    try tagFile.write(record)
    let archived = try stored.flatMap { try ArchivedEnd(after: $0, with: keys) }
    progress = Mutex(
      Progress(
        keys: keys, tagFile: tagFile, mainFile: try ReadOnlyFile(path: path), state: state,
        tags: tags, cutPages: current.cutPages, record: record,
        stored: (stored?.state.counter, stored?.digest ?? state.base),
        archived: (archived, archived)))
    logEnd.store(
      LogEnd(generation: 0, frame: state.logFrameCount).number, ordering: .releasing)
    guard known?.commit != state.commit else { return }
    // They only serve to name differences.
    try? progress.withLock { try tagFile.write($0.tags, pages: 1..<($0.tags.count + 1)) }
  }

  // MARK: Commits

  /// Takes note of a commit. Called by the connection, inside the commit.
  package func didCommit(frameCount: Int, isCheckpointDue: Bool) {
    var end = LogEnd(logEnd.load(ordering: .relaxed))
    if mayHaveRestarted.load(ordering: .relaxed), hasRestarted() {
      mayHaveRestarted.store(false, ordering: .relaxed)
      end.generation += 1
    }
    end.frame = frameCount
    logEnd.store(end.number, ordering: .releasing)
    schedule()
  }

  /// Takes note of what an archive has, for the next anchor.
  ///
  /// - Parameter isComplete: Whether the archive has all commits. Otherwise it may have lost its
  ///   end, of which the anchor goes on to know.
  package func noteArchived(_ end: ArchivedEnd, isComplete: Bool) {
    let isNew = progress.withLock { progress in
      if let newest = progress.archived.newest {
        let isLower = newest.archive == end.archive && newest.commit > end.commit
        guard newest != end, isComplete || !isLower else { return false }
      }
      progress.archived.newest = end
      return !progress.isClosed
    }
    if isNew { schedule() }
  }

  private func schedule() {
    guard !isScheduled.load(ordering: .relaxed) else { return }
    isScheduled.store(true, ordering: .relaxed)
    let milliseconds = Int(minimumInterval / .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.followCommits()
    }
  }

  /// Whether the log has other salts than in the state.
  private func hasRestarted() -> Bool {
    progress.withLock { progress in
      guard let salts = try? logHeader(&progress)?.salts ?? [] else { return false }
      return salts != progress.state.logSalts
    }
  }

  /// Records and anchors the commits until now.
  private func followCommits() {
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    do {
      let isNew = try progress.withLock { progress in
        guard !progress.isClosed else { return false }
        let isNew = try record(&progress)
        try? writeTable(&progress)
        return isNew
      }
      if isNew { try storeAnchor() }
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: any Error) {
    let failure = Self.failure(error)
    progress.withLock { $0.failure = failure }
    ErrorLog.write(.SQLITE_WARNING, "freshness of \(path): \(failure)")
  }

  private static func failure(_ error: any Error) -> FreshnessError {
    error as? FreshnessError ?? .recordUnavailable(reason: "\(error)")
  }

  // MARK: The log

  /// The log's file, which is opened when it first has a commit.
  private func logFile(_ progress: inout Progress) throws -> RawFile {
    if let file = progress.logFile, file.hasItsName { return file }
    let file = try RawFile(path: path + "-wal", flags: O_RDONLY)
    progress.logFile = file
    return file
  }

  /// The log's header; nil if there is none.
  private func logHeader(_ progress: inout Progress) throws -> LogHeader? {
    LogHeader(try logFile(&progress).read(count: LogLayout.headerSize, at: 0))
  }

  /// Reads the frames that the commits have added, up to the end that the connection has reported.
  ///
  /// - Precondition: All of these frames belong to commits.
  private func follow(_ progress: inout Progress, to end: LogEnd) throws {
    let last = end.frame
    if end.generation != progress.generation || (progress.state.logFrameCount == 0 && last > 0) {
      progress.state.logSalts = try logHeader(&progress)?.salts ?? []
      progress.state.logFrameCount = 0
      progress.state.logCommit = progress.state.commit
      progress.generation = end.generation
    }
    guard last > progress.state.logFrameCount else { return }
    let file = try logFile(&progress)
    var frames: [(page: Int, tag: PageTag)] = []
    let headerSize = LogLayout.frameHeaderSize
    // The end of a page from its tag on, and the header of the next frame.
    var bytes = [UInt8](repeating: 0, count: layout.pageSize - settings.tagOffset + headerSize)
    let first = progress.state.logFrameCount + 1
    var header = LogFrame(try file.read(count: headerSize, at: layout.offset(ofFrame: first)))
    for frame in first...last {
      guard let current = header, current.belongs(to: progress.state.logSalts) else {
        throw FreshnessError.recordUnavailable(reason: "the write-ahead log has other frames")
      }
      let offset = layout.offset(ofFrame: frame) + headerSize + settings.tagOffset
      let count = try unsafe bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
      let tag = unsafe bytes.withUnsafeBytes { unsafe PageTag($0) }
      frames.append((Int(current.page), tag))
      header = count == bytes.count ? LogFrame(bytes.suffix(headerSize)) : nil
      if current.isCommit {
        try apply(frames, pageCount: current.pageCount, &progress)
        frames.removeAll(keepingCapacity: true)
        progress.state.logFrameCount = frame
        progress.isChanged = true
      }
    }
  }

  /// Takes over the pages of a commit.
  private func apply(
    _ frames: [(page: Int, tag: PageTag)], pageCount: Int, _ progress: inout Progress
  ) throws {
    progress.state.commit &+= 1
    let commit = progress.state.commit
    for (page, tag) in frames where page > progress.tags.storedCount {
      progress.cutPages[page] = tag
    }
    let old = progress.tags.storedCount
    let (file, cutPages, settings) = (progress.mainFile, progress.cutPages, settings)
    try progress.tags.resize(to: pageCount, commit: commit) { page in
      // A page that isn't in the log is in the file, or was never written.
      try cutPages[page] ?? FreshnessVerifier.tags(of: file, pages: page..<(page + 1), settings)[0]
    }
    if pageCount > old { progress.changedPages.formUnion((old + 1)...pageCount) }
    for (page, tag) in frames where page <= progress.tags.storedCount {
      progress.tags.set(page, tag, commit: commit)
      progress.changedPages.insert(page)
    }
    progress.state.pageCount = pageCount
  }

  /// Looks for commits that no statement has reported, such as those of a backup to this database.
  ///
  /// - Precondition: The caller has the connection, which has no transaction.
  private func findEnd(_ progress: inout Progress) throws {
    guard unsafe access(path + "-wal", F_OK) == 0 else { return }
    guard let header = try logHeader(&progress) else { return }
    var end = LogEnd(logEnd.load(ordering: .acquiring))
    if mayHaveRestarted.load(ordering: .relaxed), header.salts != progress.state.logSalts {
      mayHaveRestarted.store(false, ordering: .relaxed)
      end = LogEnd(generation: end.generation + 1, frame: 0)
    }
    // What follows can be left over from a transaction that was rolled back or killed.
    var reader = try LogReader(logFile(&progress), header, layout, after: end.frame)
    try unsafe reader.readAll { number, frame, _ in if frame.isCommit { end.frame = number } }
    logEnd.store(end.number, ordering: .releasing)
  }

  /// Whether it is certain that the log is missing or has no byte.
  var isLogEmpty: Bool {
    do { return try RawFile.existing(path + "-wal")?.size() ?? 0 == 0 } catch { return false }
  }

  // MARK: Records

  /// Writes a record of all commits that were reported.
  ///
  /// - Returns: Whether there is a record that the anchor doesn't have.
  @discardableResult
  private func record(_ progress: inout Progress) throws -> Bool {
    try follow(&progress, to: LogEnd(logEnd.load(ordering: .acquiring)))
    guard progress.isChanged || progress.archived.newest != progress.archived.anchored else {
      return progress.record.digest != progress.stored.digest
    }
    // What a record claims has to survive a power cut.
    if progress.state.logFrameCount > 0 { try logFile(&progress).sync() }
    try writeRecord(&progress)
    return true
  }

  private func writeRecord(_ progress: inout Progress, flags: FreshnessState.Flags = []) throws {
    var state = progress.state
    state.flags = flags
    state.counter = progress.record.state.counter + 1
    state.base = progress.stored.digest
    state.pending = progress.attempt?.digest ?? [UInt8](repeating: 0, count: 16)
    state.root = try progress.tags.root(progress.keys)
    let record = try SealedState(state, keys: progress.keys)
    progress.isRecordUncertain = true
    try progress.tagFile.write(record)
    progress.isRecordUncertain = false
    progress.record = record
    progress.state = state
    progress.isChanged = false
  }

  private func writeTable(_ progress: inout Progress) throws {
    let pages = progress.changedPages.sorted()
    progress.changedPages.removeAll(keepingCapacity: true)
    var index = 0
    while index < pages.count {
      var next = index + 1
      while next < pages.count, pages[next] == pages[next - 1] + 1 { next += 1 }
      let end = min(pages[next - 1], progress.tags.storedCount)
      if pages[index] <= end {
        try progress.tagFile.write(progress.tags, pages: pages[index]..<(end + 1))
      }
      index = next
    }
  }

  // MARK: Checkpoints

  /// Records all commits and runs a checkpoint.
  ///
  /// - Returns: Nil if the record can't be written, so that the checkpoint must not run.
  package func checkpoint(
    mode: CInt, frameCount: Int?, _ run: (_ mode: CInt) -> CheckpointResult?
  ) -> CheckpointResult? {
    guard willCheckpoint() else { return nil }
    // Truncating an empty log would change its salts a second time, and the next log would be no
    // successor of the recorded one.
    if mode == SQLite.truncatingCheckpoint, isLogEmpty { return (SQLite.ok, 0, 0) }
    guard let result = run(mode) else { return nil }
    didCheckpoint(
      hasFailed: result.code != SQLite.ok,
      isComplete: result.code == SQLite.ok && result.walFrames == result.checkpointedFrames)
    return result
  }

  /// Prepares for a checkpoint: records all commits.
  ///
  /// - Precondition: The caller has the connection.
  /// - Returns: False if the checkpoint must not run, since the record can't be written.
  func willCheckpoint() -> Bool {
    do {
      try progress.withLock { progress in
        try findEnd(&progress)
        try record(&progress)
      }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  /// - Parameters:
  ///   - hasFailed: Whether SQLite has reported an error. The log begins again nevertheless if only
  ///     its truncation has failed.
  ///   - isComplete: Whether the file now has all frames of the log.
  func didCheckpoint(hasFailed: Bool, isComplete: Bool) {
    if hasFailed || isComplete { mayHaveRestarted.store(true, ordering: .relaxed) }
    guard isComplete else { return }
    progress.withLock { progress in
      progress.tags.cut()
      progress.cutPages = [:]
    }
  }

  // MARK: The anchor

  /// Stores the last record in the anchor. Runs on the queue, without holding up the connection.
  private func storeAnchor() throws {
    try settleAttempt()
    let next = try progress.withLock { progress -> (record: SealedState, previous: UInt64?)? in
      // The one in the file would not know of this anchor.
      guard !progress.isRecordUncertain else {
        throw progress.failure ?? .recordUnavailable(reason: "unknown")
      }
      guard progress.record.digest != progress.stored.digest else { return nil }
      var next = progress.record
      // While the key is being changed, the record has another block.
      if let end = progress.archived.newest, next.bytes.count == FreshnessState.byteCount {
        next = try SealedState(next, and: end, keys: progress.keys)
      }
      progress.archived.anchored = progress.archived.newest
      progress.attempt = next
      return (next, progress.stored.counter)
    }
    guard let next else { return }
    let isStored = try Freshness.store(
      next.record, in: anchor, replacing: next.previous, forDatabaseAt: path)
    progress.withLock { $0.endAttempt(isStored: isStored) }
    guard isStored else { throw FreshnessError.anchorTaken }
  }

  /// Stores the anchor of a database that had none.
  func storeFirstAnchor() throws { try queue.sync { try storeAnchor() } }

  /// Finds out whether an anchor was stored although that has failed.
  private func settleAttempt() throws {
    guard let attempt = progress.withLock({ $0.attempt }) else { return }
    let bytes = try Freshness.load(anchor, forDatabaseAt: path)
    progress.withLock { $0.endAttempt(isStored: bytes == attempt.bytes) }
  }

  // MARK: Checks

  /// Compares the files and an anchor with what this session knows, and brings its anchor up to
  /// date.
  ///
  /// - Precondition: The caller has the connection, which has no transaction.
  package func check(_ other: any FreshnessAnchor) throws {
    guard willCheckpoint() else { throw failure }
    try queue.sync { try storeAnchor() }
    let bytes = try Freshness.load(other, forDatabaseAt: path)
    let keys = progress.withLock { $0.keys }
    guard let bytes else { throw FreshnessError.anchorMissing }
    guard let stored = try SealedState(bytes, keys: keys) else {
      throw FreshnessError.anchorDamaged
    }
    let verifier = try FreshnessVerifier(path: path, settings: settings, keys: keys)
    try progress.withLock { progress in
      try? writeTable(&progress)
      guard stored.digest == progress.stored.digest else {
        throw stored.state.identity == progress.state.identity
          ? FreshnessError.anchorOlder : FreshnessError.anchorTaken
      }
      var state = progress.state
      state.root = try progress.tags.root(progress.keys)
      guard try verifier.verify(state) != nil else {
        throw try verifier.difference(from: state, expected: progress.tags, others: []).error
      }
    }
  }

  /// The last failure to write the record or the anchor.
  package var failure: FreshnessError {
    progress.withLock { $0.failure } ?? .recordUnavailable(reason: "unknown")
  }

  // MARK: Changing the key

  /// Allows for the present content under another key, before the key is changed.
  package func willChangeKey(to key: DerivedKey) throws {
    guard willCheckpoint() else { throw failure }
    let next = try FreshnessKeys(key)
    try progress.withLock { progress in
      // Until the key has changed, nothing else is recorded.
      progress.isClosed = true
      try writeRecord(&progress)
      var state = progress.state
      state.flags = .changesKey
      state.salt = key.salt
      let second = try SealedState(state, keys: next)
      progress.nextDigest = second.digest
      progress.record = SealedState(progress.record, and: second)
      try progress.tagFile.write(progress.record)
    }
    try queue.sync { try storeAnchor() }
  }

  /// Goes on with the present key.
  package func didNotChangeKey() throws {
    try progress.withLock { progress in
      progress.isClosed = false
      try writeRecord(&progress)
    }
    try queue.sync { try storeAnchor() }
  }

  /// Begins again with the pages that the new key has encrypted.
  ///
  /// - Precondition: The caller has the connection, which has no transaction.
  package func didChangeKey(to key: DerivedKey) throws {
    let keys = try FreshnessKeys(key)
    let verifier = try FreshnessVerifier(path: path, settings: settings, keys: keys)
    try progress.withLock { progress in
      let current = try verifier.current(after: progress.state)
      progress.keys = keys
      progress.tags = current.tags
      progress.cutPages = current.cutPages
      progress.changedPages = Set(1...max(1, current.tags.count))
      progress.state = current.state
      progress.state.salt = key.salt
      // The next record follows what this key sees in the anchor.
      if let digest = progress.nextDigest { progress.stored.digest = digest }
      progress.nextDigest = nil
      // The archive has the pages of the old key.
      progress.archived = (nil, nil)
      try logFile(&progress).sync()
      try writeRecord(&progress)
      progress.generation = LogEnd(logEnd.load(ordering: .relaxed)).generation
      let end = LogEnd(generation: progress.generation, frame: progress.state.logFrameCount)
      logEnd.store(end.number, ordering: .releasing)
      progress.isClosed = false
      try? writeTable(&progress)
    }
    mayHaveRestarted.store(false, ordering: .relaxed)
    // The record follows the anchor, which can be stored later.
    do { try queue.sync { try storeAnchor() } } catch { fail(error) }
  }

  // MARK: Closing

  /// Ends the session without a statement about what follows, as if the process were killed.
  package func abandon() { progress.withLock { $0.isClosed = true } }

  /// Lets another connection open the database with freshness, once this one has closed it.
  package func unlock() { progress.withLock { $0.tagFile.unlock() } }

  /// Waits for what the queue does, after which nothing but its owner holds this session and its
  /// lock.
  package func finishWork() {
    abandon()
    queue.sync {}
  }

  /// Records that the database is closed, and stores the anchor.
  ///
  /// - Parameter checkpoint: Empties the log if nothing prevents that.
  /// - Precondition: The caller has the connection, which has no transaction.
  /// - Throws: ``FreshnessError`` if the anchor or the record couldn't be written.
  package func close(checkpoint: () -> Void) throws {
    let isPrepared = willCheckpoint()
    if isPrepared { checkpoint() }
    defer { abandon() }
    guard isPrepared else { throw failure }
    do {
      try progress.withLock { progress in
        guard !progress.isClosed else { return }
        if isLogEmpty {
          // SQLite doesn't: a power cut would bring back a log that the record below rules out.
          try RawFile.existing(path + "-wal")?.sync()
          progress.state.logFrameCount = 0
          progress.state.logCommit = progress.state.commit
        }
        try? writeTable(&progress)
        try writeRecord(&progress, flags: .closed)
      }
      try queue.sync { try storeAnchor() }
    } catch {
      fail(error)
      throw Self.failure(error)
    }
  }
}
