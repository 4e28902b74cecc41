import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Reads the commits of a database from its write-ahead log, and copies pages as of a commit.
///
/// A ``LogHold`` keeps the log until its frames are read. Frames wait here as ``CommitPiece``s until they
/// are stored elsewhere. When these fill their memory, reading stops and the log grows, up to a limit:
/// then the hold is let go, and what follows needs a copy of the whole database.
///
/// The database's writer calls ``checkpoint(_:)`` on its thread. Everything here is local: no call waits
/// for an archive's store.
package final class CommitCapture: Sendable {
  /// The sizes from which something happens.
  package struct Limits: Sendable {
    /// The most bytes of a piece. All that comes in a second should have room in one, up to a rate that
    /// hardly any database has: each is an object.
    var pieceSize: Int
    /// The most pieces that wait.
    var pieceCount: Int
    /// The most bytes of the log that wait to be read.
    package var logSize: Int

    package init(pieceSize: Int = 15 << 20, pieceCount: Int = 3, logSize: Int = 1 << 30) {
      (self.pieceSize, self.pieceCount, self.logSize) = (pieceSize, pieceCount, logSize)
    }
  }

  /// Pages as of a commit.
  package struct Pages: Sendable {
    /// Each a page's number, of 4 bytes, and the page as it is stored.
    package var frames: [UInt8] = []
    /// Whether none are left, so that all that were copied are those of the last commit.
    package var isLast = false
    /// The last commit, its date, and the number of the database's pages after it.
    package var commit: UInt64 = 0
    package var date: UInt64 = 0
    package var pageCount = 0
  }

  package let path: String
  package let pageSize: Int
  let limits: Limits
  let key: FileKey
  let state: Mutex<State>
  private let reading: DispatchQueue
  /// Called on the capture's queue when there is hardly room for more commits.
  private let whenFull = Mutex<(@Sendable () -> Void)?>(nil)

  // SAFETY: its connections and files are used by nobody else, and only under the lock.
  struct State: @unchecked Sendable {
    var hold: LogHold
    let main: ReadOnlyFile
    let cipher: CipherFile
    var log: RawFile?
    /// The frames that were read; nil before the first, and after the hold was let go.
    var position: LogPosition?
    /// The frames of the current log that are the last of their pages.
    var logFrames: [UInt32: Int] = [:]
    var pieces: [CommitPiece] = []
    /// Whether the oldest piece is being stored.
    var isTaken = false
    /// The last commit that was read as a whole.
    var lastCommit: UInt64
    /// Whether the position is inside a commit.
    var isInsideCommit = false
    var lastDate: UInt64
    var now: @Sendable () -> Date
    /// The pages that were changed since each level's last copy.
    var changed: [PageSet]
    /// Whether nothing is read until a level's pages are copied.
    var isFrozen = false
    /// The frames in the log when it was last tried to move them all.
    var triedFrame = 0
    /// Moves frames to the file, and can keep other processes from committing.
    var writer: FileConnection?
    var isClosed = false
  }

  /// - Parameters:
  ///   - levels: The number of sets of changed pages.
  ///   - lastDate: The date of the last commit that is known, in milliseconds since 1970.
  init(
    path: String, key: FileKey, limits: Limits, levels: Int, lastDate: UInt64,
    now: @escaping @Sendable () -> Date
  ) throws {
    self.path = path
    self.key = key
    self.limits = limits
    reading = DispatchQueue(label: "Coffer.capture", qos: .utility)
    pageSize = key.settings.pageSize
    let main: ReadOnlyFile
    do { main = try ReadOnlyFile(path: path) } catch { throw error.databaseError(path) }
    guard let derived = key.derived,
      let cipher = CipherFile(
        file: main, key: derived, settings: key.settings, newerPages: .nowhere)
    else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
    }
    state = Mutex(
      State(
        hold: try LogHold(path: path, key: key), main: main, cipher: cipher, lastCommit: 0,
        lastDate: lastDate, now: now, changed: Array(repeating: PageSet(), count: levels)))
  }

  var frameSize: Int { pageSize + WriteAheadLog.Layout.frameHeaderSize }

  // MARK: Beginning

  /// Where an earlier capture ended.
  package struct Beginning: Sendable {
    package var position: LogPosition
    /// The last commit that it read as a whole.
    package var lastCommit: UInt64
    /// Whether the position is inside a commit.
    package var isInsideCommit: Bool

    package init(position: LogPosition, lastCommit: UInt64, isInsideCommit: Bool) {
      self.position = position
      self.lastCommit = lastCommit
      self.isInsideCommit = isInsideCommit
    }
  }

  /// Begins to hold the log.
  ///
  /// - Parameter gap: The number of a commit after all that are known.
  /// - Returns: Nil if all frames behind the beginning are there. Otherwise the commits until now are
  ///   unknown: they count as one, which only a copy of all pages brings, and whose number this is.
  package func begin(at beginning: Beginning?, orAfterGap gap: UInt64) throws -> UInt64? {
    try state.withLock { state in
      guard !state.isClosed else { throw CommitCaptureError.logIsGone }
      state.isFrozen = false
      state.hold.letGo()
      state.position = nil
      state.logFrames = [:]
      let seen = try state.hold.beginNext()
      do {
        if let beginning, try isContinued(beginning.position, seen, &state) {
          // Where the file has all frames, pages are read there.
          if !seen.isFinal { try noteFrames(upTo: beginning.position.frame, &state) }
          state.lastCommit = beginning.lastCommit
          state.isInsideCommit = beginning.isInsideCommit
          state.position = beginning.position
          // As soon as this is held, a writer can start the log again.
          _ = try read(from: beginning.position, to: seen, &state)
          try state.hold.advance(to: seen)
          return nil
        }
        if !seen.isFinal { try noteFrames(upTo: seen.frame, &state) }
        let position = LogPosition(
          salts: seen.salts, frame: seen.frame, checksum: try checksum(ofFrame: seen, &state))
        try state.hold.advance(to: seen)
        state.position = position
        state.isInsideCommit = false
        state.lastCommit = max(gap, state.lastCommit + 1)
        state.lastDate = date(&state)
        for level in state.changed.indices { state.changed[level].removeAll() }
        return state.lastCommit
      } catch {
        state.position = nil
        state.hold.endNext()
        throw error
      }
    }
  }

  /// Whether the log still has the frame at a position.
  private func isContinued(
    _ position: LogPosition, _ seen: LogHold.State, _ state: inout State
  ) throws -> Bool {
    guard position.salts == seen.salts, position.frame <= seen.frame,
      position.salts.contains(where: { $0 != 0 })
    else { return false }
    if position.frame == 0 { return true }
    let header = try frameHeader(position.frame, &state)
    return header[FrameHeader.salts].elementsEqual(position.salts)
      && header[FrameHeader.checksum].elementsEqual(position.checksum)
  }

  /// Returns the checksum of the last frame; empty if a writer has begun to overwrite it.
  private func checksum(ofFrame seen: LogHold.State, _ state: inout State) throws -> [UInt8] {
    guard seen.frame > 0,
      let header = try? frameHeader(seen.frame, &state),
      header[FrameHeader.salts].elementsEqual(seen.salts)
    else { return [] }
    return Array(header[FrameHeader.checksum])
  }

  // MARK: The log's file

  func log(_ state: inout State) throws -> RawFile {
    if let log = state.log, log.hasItsName { return log }
    let log = try RawFile(path: path + "-wal", flags: O_RDONLY)
    state.log = log
    return log
  }

  /// Where the values are in a frame's header.
  enum FrameHeader {
    static let size = WriteAheadLog.Layout.frameHeaderSize
    static let pageCount = 4
    static let salts = 8..<16
    static let checksum = 16..<24
  }

  private func frameHeader(_ frame: Int, _ state: inout State) throws -> [UInt8] {
    let bytes = try log(&state).read(count: FrameHeader.size, at: offset(ofFrame: frame))
    guard bytes.count == FrameHeader.size else { throw CommitCaptureError.logIsGone }
    return bytes
  }

  func offset(ofFrame frame: Int) -> Int {
    WriteAheadLog.Layout.headerSize + (frame - 1) * frameSize
  }

  /// Reads where the pages are in the log.
  private func noteFrames(upTo last: Int, _ state: inout State) throws {
    guard last > 0 else { return }
    for frame in 1...last {
      state.logFrames[UInt32(try frameHeader(frame, &state).integer32(at: 0))] = frame
    }
  }

  // MARK: Reading commits

  /// Reads commits on a thread of its own. Called by the database's writer, which doesn't wait.
  func readAhead() {
    reading.async { [weak self] in
      // An error is met again, and told, by whoever needs these commits.
      guard let self, (try? collect()) != nil else { return }
      if isNearlyFull, let call = whenFull.withLock({ $0 }) { call() }
    }
  }

  /// Whether there is hardly room for more commits.
  package var isNearlyFull: Bool { state.withLock { $0.pieces.count >= limits.pieceCount - 1 } }

  /// Sets what is called, on a thread of its own, when there is hardly room for more commits.
  package func onFull(_ call: @escaping @Sendable () -> Void) { whenFull.withLock { $0 = call } }

  /// Reads the commits until now, as far as there is room for them.
  ///
  /// - Throws: ``CommitCaptureError/otherKey`` if they have another key.
  ///
  /// - Returns: Whether there was room for all.
  package func collect() throws -> Bool {
    try state.withLock { state in try collect(&state) }
  }

  /// - Returns: Whether the hold sees exactly the commits that were read.
  @discardableResult
  func collect(_ state: inout State) throws -> Bool {
    guard !state.isClosed, !state.isFrozen, let position = state.position,
      let held = state.hold.state
    else { return false }
    let index = try state.hold.index()
    let isCurrent = index.salts == position.salts && index.frameCount == position.frame
    let isHeld = held.salts == position.salts && held.frame == position.frame
    if isCurrent, isHeld, held.isFinal || index.movedCount < index.frameCount { return true }
    let seen = try state.hold.beginNext()
    do {
      var start = position
      if seen.salts != position.salts {
        // SQLite can have started the log again if its frames were all read and in the file.
        guard held.isFinal, isHeld else { throw CommitCaptureError.logIsGone }
        start = LogPosition(salts: seen.salts, frame: 0, checksum: [])
      }
      guard seen.frame >= start.frame else { throw CommitCaptureError.logIsGone }
      guard try read(from: start, to: seen, &state) else {
        state.hold.endNext()
        return false
      }
      try state.hold.advance(to: seen)
      return true
    } catch {
      state.hold.endNext()
      throw error
    }
  }

  /// Reads frames into pieces.
  ///
  /// - Returns: False if there was no room for all.
  private func read(
    from start: LogPosition, to seen: LogHold.State, _ state: inout State
  ) throws -> Bool {
    var frame = start.frame
    // A writer starts the log again before its first frame is there.
    if state.position?.salts != start.salts { state.logFrames = [:] }
    while frame < seen.frame {
      guard let room = room(&state) else { return false }
      let count = min(room, seen.frame - frame, max(1, 262_144 / frameSize))
      let bytes = try log(&state).read(count: count * frameSize, at: offset(ofFrame: frame + 1))
      guard bytes.count == count * frameSize else { throw CommitCaptureError.logIsGone }
      let starts = stride(from: 0, to: bytes.count, by: frameSize)
      for start in starts {
        guard bytes[start + 8..<start + 16].elementsEqual(seen.salts) else {
          throw CommitCaptureError.logIsGone
        }
        if bytes.integer32(at: start) == 1, !isReadable(bytes[start..<(start + frameSize)], state) {
          throw CommitCaptureError.otherKey
        }
      }
      let date = date(&state)
      for start in starts {
        frame += 1
        append(bytes[start..<(start + frameSize)], date: date, &state)
        state.logFrames[UInt32(bytes.integer32(at: start))] = frame
      }
      let end = LogPosition(
        salts: seen.salts, frame: frame,
        checksum: Array(bytes[(bytes.count - frameSize + 16)..<(bytes.count - frameSize + 24)]))
      state.pieces[state.pieces.count - 1].end = end
      state.position = end
    }
    if state.position?.salts != seen.salts {
      state.position = LogPosition(salts: seen.salts, frame: seen.frame, checksum: [])
    }
    return true
  }

  /// The frames for which the last piece has room; nil for none.
  private func room(_ state: inout State) -> Int? {
    let most = pagesInPiece
    if let last = state.pieces.last, !state.isTaken || state.pieces.count > 1,
      state.isInsideCommit || last.firstCommit + UInt64(last.commits.count) == state.lastCommit + 1
    {
      let room = most - last.frames.count / (pageSize + 4)
      if room > 0 { return room }
    }
    guard state.pieces.count < limits.pieceCount, let position = state.position else { return nil }
    state.pieces.append(CommitPiece(firstCommit: state.lastCommit + 1, end: position))
    return most
  }

  private var pagesInPiece: Int { max(1, limits.pieceSize / (pageSize + 4)) }

  private func append(_ frame: ArraySlice<UInt8>, date: UInt64, _ state: inout State) {
    func word(_ offset: Int) -> Int {
      let start = frame.startIndex + offset
      return frame[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let (page, pageCount) = (word(0), word(FrameHeader.pageCount))
    let last = state.pieces.count - 1
    if !state.isInsideCommit || state.pieces[last].commits.isEmpty {
      state.pieces[last].commits.append(.init(date: date, frameCount: 0, pageCount: 0))
    }
    let commit = state.pieces[last].commits.count - 1
    state.pieces[last].commits[commit].frameCount += 1
    state.pieces[last].frames.append(UInt32(page))
    state.pieces[last].frames += frame.dropFirst(FrameHeader.size)
    state.isInsideCommit = pageCount == 0
    for level in state.changed.indices { state.changed[level].insert(page) }
    guard pageCount > 0 else { return }
    state.pieces[last].commits[commit].pageCount = pageCount
    state.lastCommit += 1
    state.lastDate = date
  }

  /// The time, never before that of the last commit: a clock can be set back.
  private func date(_ state: inout State) -> UInt64 {
    max(state.lastDate, state.now().archivedMilliseconds)
  }

  /// Whether the frame of a first page has this key: another process can have changed it.
  private func isReadable(_ frame: ArraySlice<UInt8>, _ state: State) -> Bool {
    var page = Array(frame.dropFirst(FrameHeader.size))
    let settings = key.settings
    let isDecrypted = unsafe page.withUnsafeMutableBytes {
      state.cipher.decrypt($0, number: 1, isAuthenticated: settings.usesHMAC)
    }
    return isDecrypted && SQLiteHeader(page)?.hasFixedFields(pageSize: pageSize) == true
  }

  // MARK: Pieces

  /// Returns the oldest piece, which gets no more commits from now on; nil if there is none.
  package func nextPiece() -> CommitPiece? {
    state.withLock { state in
      // One was made for frames that then couldn't be read.
      while state.pieces.count > 1, state.pieces[0].commits.isEmpty { state.pieces.removeFirst() }
      guard let piece = state.pieces.first, !piece.commits.isEmpty else { return nil }
      state.isTaken = true
      return piece
    }
  }

  /// Forgets the oldest piece, which is stored.
  package func dropPiece() {
    state.withLock { state in
      if !state.pieces.isEmpty { state.pieces.removeFirst() }
      state.isTaken = false
    }
  }

  /// What waits.
  package struct Backlog: Sendable {
    /// Whether the commits are followed, and not lost since the log became too long.
    package var isFollowing: Bool
    /// The last commit that was read.
    package var lastCommit: UInt64
    /// The bytes of the log that were not read, and those of the pieces.
    package var byteCount: Int
    /// The date of the oldest commit that waits; nil if there is none.
    package var date: Date?
  }

  package func backlog() -> Backlog {
    state.withLock { state in
      let unread = (try? unreadCount(&state)) ?? 0
      let date = state.pieces.first?.commits.first?.date
      return Backlog(
        isFollowing: state.position != nil, lastCommit: state.lastCommit,
        byteCount: unread * frameSize + state.pieces.reduce(0) { $0 + $1.frames.count },
        date: date.map { Date(archivedMilliseconds: $0) })
    }
  }

  private func unreadCount(_ state: inout State) throws -> Int {
    guard let position = state.position else { return 0 }
    let index = try state.hold.index()
    return index.salts == position.salts ? index.frameCount - position.frame : index.frameCount
  }

  /// Whether no commits are read until a level's pages are copied.
  package var isFrozen: Bool { state.withLock(\.isFrozen) }

  /// The number of pieces that wait.
  package var pieceCount: Int { state.withLock(\.pieces.count) }

  /// Where the capture is, if all commits that were read are stored.
  package var end: Beginning? {
    state.withLock { state in
      guard state.pieces.isEmpty, !state.isInsideCommit, let position = state.position else {
        return nil
      }
      return Beginning(position: position, lastCommit: state.lastCommit, isInsideCommit: false)
    }
  }

  /// Lets the log go: commits are lost until the capture begins again.
  package func letGo() { state.withLock { letGo(&$0) } }

  /// Lets the log go if too much of it waits.
  ///
  /// - Returns: Whether it was let go.
  package func letGoIfTooLong() -> Bool {
    state.withLock { state in (try? letGoIfTooLong(&state)) ?? false }
  }

  func letGoIfTooLong(_ state: inout State) throws -> Bool {
    guard try unreadCount(&state) * frameSize > limits.logSize else { return false }
    letGo(&state)
    return true
  }

  private func letGo(_ state: inout State) {
    state.isFrozen = false
    state.hold.letGo()
    state.position = nil
    // The pages of a commit whose end is missing are of no use.
    guard state.isInsideCommit else { return }
    state.isInsideCommit = false
    // A piece that is being stored may be stored already.
    guard let last = state.pieces.indices.last, last > 0 || !state.isTaken else { return }
    guard let part = state.pieces[last].commits.popLast() else { return }
    state.pieces[last].frames.removeLast(part.frameCount * (pageSize + 4))
    if state.pieces[last].commits.isEmpty { state.pieces.removeLast() }
  }

  /// Ends the capture. Later calls do nothing.
  package func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      state.hold.letGo()
      state.position = nil
      state.hold.close()
      state.writer?.close()
      state.log = nil
    }
  }
}

/// The result of a checkpoint.
typealias CheckpointResult = (code: CInt, walFrames: Int, checkpointedFrames: Int)

/// The reasons why commits can't be read.
package enum CommitCaptureError: Error {
  /// The log doesn't have the frames any more.
  case logIsGone
  /// The database's key was changed.
  case otherKey
  /// The file is shorter than its database.
  case pageIsMissing(Int)
}
