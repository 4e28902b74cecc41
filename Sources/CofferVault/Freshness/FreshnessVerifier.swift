import CofferSQLite
import Glibc

/// The files of a database as they are, to be compared with a state.
struct FreshnessVerifier {
  let path: String
  let settings: CipherSettings
  let keys: FreshnessKeys
  private let file: ReadOnlyFile
  let log: WriteAheadLog
  /// The pages in the file.
  private let filePages: Int

  /// Reads the log, and nothing of the file yet.
  init(path: String, settings: CipherSettings, keys: FreshnessKeys) throws {
    self.path = path
    self.settings = settings
    self.keys = keys
    file = try ReadOnlyFile(path: path)
    log = try WriteAheadLog(path: path + "-wal", settings: settings)
    filePages = try file.size() / settings.pageSize
  }

  // MARK: Pages

  /// Reads the tags of the first pages of the file. Pages that it lacks have an empty tag.
  private func fileTags(_ count: Int) throws -> [PageTag] {
    try Self.tags(of: file, pages: 1..<(count + 1), settings)
  }

  /// Reads the tags of pages of a file.
  static func tags(
    of file: ReadOnlyFile, pages: Range<Int>, _ settings: CipherSettings
  ) throws -> [PageTag] {
    let lockPage = SQLiteHeader.lockPage(ofSize: settings.pageSize)
    var tags = [PageTag](repeating: PageTag(), count: pages.count)
    try unsafe tags.withUnsafeMutableBytes { tags in
      for page in pages where page != lockPage {
        let start = (page - pages.lowerBound) * PageTag.byteCount
        let target = unsafe UnsafeMutableRawBufferPointer(
          rebasing: tags[start..<(start + PageTag.byteCount)])
        try file.read(into: target, at: (page - 1) * settings.pageSize + settings.tagOffset)
      }
    }
    return tags
  }

  /// The pages of the database with the log up to a frame.
  private func tags(
    over fileTags: [PageTag], upTo frame: Int, count: Int, commit: UInt32
  ) -> PageTags {
    var tags = fileTags
    if tags.count > count { tags.removeLast(tags.count - count) }
    var result = PageTags(tags, count: count, commit: commit)
    for (page, tag) in log.overlay(upTo: frame) where page <= count {
      result.set(page, tag, commit: commit)
    }
    return result
  }

  /// Whether the log names a number of pages that files of this size can't have.
  private func isImplausible(_ pageCount: Int) -> Bool {
    pageCount > filePages + 64 * log.frameCount + 65_536
  }

  // MARK: Comparison

  /// The pages of the database, and where its log is.
  struct Current {
    var tags: PageTags
    /// The state without seal, counter and links.
    var state: FreshnessState
    /// The pages in the log that the database no longer has, and that can come back.
    var cutPages: [Int: PageTag]
  }

  /// Returns the present pages, whatever they are, as the next state after `state`.
  func current(after state: FreshnessState, place: Int = 0) throws -> Current {
    let last = log.commits.last
    let count = last?.pageCount ?? filePages
    guard !isImplausible(count) else {
      throw FreshnessError.unsupported(reason: "the write-ahead log is damaged")
    }
    let fileTags = try fileTags(max(count, state.pageCount))
    return try current(after: state, over: fileTags, place: place)
  }

  private func current(
    after state: FreshnessState, over fileTags: [PageTag], place: Int
  ) throws -> Current {
    let isSameLog = place > 0 && log.salts == state.logSalts
    let count = log.commits.last?.pageCount ?? min(state.pageCount, fileTags.count)
    var next = state
    next.flags = []
    next.pageCount = count
    next.logFrameCount = log.frameCount
    if log.frameCount > 0 { next.logSalts = log.salts }
    if !isSameLog { next.logCommit = state.commit }
    let base = isSameLog ? place : 0
    var result = tags(over: fileTags, upTo: base, count: count, commit: state.commit)
    var frame = base
    for commit in log.commits where commit.frame > base {
      next.commit &+= 1
      while frame < commit.frame {
        let page = Int(log.pages[frame])
        if page <= count { result.set(page, log.tags[frame], commit: next.commit) }
        frame += 1
      }
    }
    if log.frameCount == 0 { next.logCommit = next.commit }
    let cutPages = log.overlay(upTo: log.frameCount).filter { $0.key > count }
    return Current(tags: result, state: next, cutPages: cutPages)
  }

  /// Compares the files with a state.
  ///
  /// - Returns: The present pages, with those of commits after the state; nil if the state isn't
  ///   there, or if there is more than it allows.
  func verify(_ state: FreshnessState) throws -> Current? {
    guard !log.isForeign, state.pageSize == settings.pageSize else { return nil }
    if state.flags.contains(.changesKey) { return try currentAfterKeyChange(state) }
    guard let place = place(of: state) else { return nil }
    let last = log.commits.last?.pageCount ?? 0
    guard !isImplausible(last) else { return nil }
    let fileTags = try fileTags(max(state.pageCount, last))
    var expected = tags(
      over: fileTags, upTo: place, count: state.pageCount, commit: state.commit)
    guard try expected.root(keys) == state.root else { return nil }
    return try current(after: state, over: fileTags, place: place)
  }

  private func currentAfterKeyChange(_ state: FreshnessState) throws -> Current {
    var start = state
    start.pageCount = filePages
    return try current(after: start)
  }

  /// The frame of the log up to which the database has to be as in the state; nil if the log isn't
  /// the right one.
  private func place(of state: FreshnessState) -> Int? {
    let isSameLog =
      state.logFrameCount > 0 && log.frameCount > 0 && log.salts == state.logSalts
    if state.isClosed {
      if isSameLog { return log.frameCount == state.logFrameCount ? log.frameCount : nil }
      return log.frameCount == 0 ? 0 : nil
    }
    guard state.logFrameCount > 0 else { return 0 }
    if isSameLog {
      let count = log.pageCount(afterFrame: state.logFrameCount)
      return count == state.pageCount ? state.logFrameCount : nil
    }
    let isRestarted = LogHeader.isSuccessor(log.salts, of: state.logSalts)
    return log.frameCount == 0 || isRestarted ? 0 : nil
  }

  /// Whether a journal is beside the database, which SQLite would play back when it opens it.
  var hasJournal: Bool {
    let journal = try? RawFile.existing(path + "-journal")
    return (try? journal?.read(count: 8, at: 0))?.contains { $0 != 0 } == true
  }

  // MARK: Naming what differs

  /// Determines how files that aren't in the state differ from it.
  ///
  /// - Parameters:
  ///   - expected: The pages of the state, if they are known.
  ///   - others: Other states that the database has had.
  func difference(
    from state: FreshnessState, expected: PageTags?, others: [FreshnessState]
  ) throws -> FreshnessDifference {
    if others.contains(where: { $0.identity != state.identity && $0.counter > 0 }) {
      return FreshnessDifference(.otherDatabase)
    }
    // The place in the log, if all of it is there.
    let found = log.isForeign ? nil : place(of: state)
    let place = found == state.logFrameCount ? found : nil
    let fileTags = try fileTags(state.pageCount)
    if place == nil {
      var alone = PageTags(fileTags, count: state.pageCount, commit: 0)
      if try alone.root(keys) == state.root { return FreshnessDifference(.cutLog) }
    }
    for other in others where other.counter < state.counter {
      // Commits that follow the other state can be what differs.
      guard try verify(other)?.state.commit == other.commit else { continue }
      // Since the log began, the file has changed only by the log.
      let lacksLog = place == nil && state.logFrameCount > 0 && other.commit >= state.logCommit
      return FreshnessDifference(lacksLog ? .cutLog : .olderFile)
    }
    // Without the tags, only the file as a whole can be compared.
    guard let expected else { return FreshnessDifference(.olderFile) }
    var differences: (pages: [Int], areLatest: Bool)
    if let place {
      let overlay = log.overlay(upTo: place)
      let actual = { overlay[$0] ?? fileTags[$0 - 1] }
      differences = expected.differences(actual, where: { _ in true })
      if !differences.pages.contains(where: { overlay[$0] != nil }) {
        // The log is right, and says nothing about the age of the file.
        differences = expected.differences(actual, where: { overlay[$0] == nil })
      }
    } else {
      // What was in the log can be in the file or not.
      differences = expected.differences(
        { fileTags[$0 - 1] },
        where: { state.logFrameCount == 0 || expected.commit(of: $0) <= state.logCommit })
      if differences.pages.isEmpty { return FreshnessDifference(.cutLog) }
    }
    return FreshnessDifference(
      differences.areLatest ? .olderFile : .olderPage, pages: differences.pages)
  }
}

/// How files differ from the state that they should have.
package struct FreshnessDifference {
  let kind: CipherDiagnosis.Replacement
  /// The pages that differ, if they are known.
  let pages: [Int]

  package init(_ kind: CipherDiagnosis.Replacement, pages: [Int] = []) {
    self.kind = kind
    self.pages = pages
  }

  /// The error of a database that differs.
  package var error: DatabaseError {
    let failure = DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "the database was replaced by an older or other one")
    let diagnosis = CipherDiagnosis.replaced(kind)
    let detail =
      kind == .olderPage && !pages.isEmpty
      ? " It concerns \(CipherDiagnosis.listing(pages))." : ""
    return DatabaseError(failure, diagnosis: diagnosis, hint: diagnosis.message + detail)
  }
}
