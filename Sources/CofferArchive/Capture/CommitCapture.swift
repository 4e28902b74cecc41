import CofferCore
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Reads the commits of a database from its write-ahead log, and copies pages as of a commit.
///
/// A ``LogHold`` keeps the log until its frames are read. Frames wait here as ``CommitPiece``s
/// until they are stored elsewhere. When these fill their memory, reading stops and the log grows,
/// up to a limit: then the hold is let go, and what follows needs a copy of the whole database.
///
/// The database's writer calls ``checkpoint(_:)`` on its thread. Everything here is local: no call
/// waits for an archive's store.
final class CommitCapture: Sendable {
  /// The sizes from which something happens.
  struct Limits: Sendable {
    /// The most bytes of a piece. All that comes in a second should have room in one, up to a rate
    /// that hardly any database has: each is an object.
    var pieceSize: Int
    /// The most pieces that wait.
    var pieceCount: Int
    /// The most bytes of the log that wait to be read.
    var logSize: Int

    init(pieceSize: Int = 15 << 20, pieceCount: Int = 3, logSize: Int = 1 << 30) {
      (self.pieceSize, self.pieceCount, self.logSize) = (pieceSize, pieceCount, logSize)
    }
  }

  /// Pages as of a commit.
  struct Pages: Sendable {
    /// Each a page's number, of 4 bytes, and the page as it is stored.
    var frames: [UInt8] = []
    /// The numbers of those that aren't authentic.
    var damagedPages: [Int] = []
    /// Whether none are left, so that all that were copied are those of the last commit.
    var isLast = false
    /// The last commit, its date, and the number of the database's pages after it.
    var commit: UInt64 = 0
    var date: UInt64 = 0
    var pageCount = 0
  }

  let path: String
  let pageSize: Int
  let limits: Limits
  let key: FileKey
  let verifier: PageVerifier
  let state: Mutex<State>
  /// Held while the log is shortened. Taken before the state's lock.
  let shortening = Mutex(())
  let reading: DispatchQueue
  /// The size of the log when it was last read ahead.
  let readAheadSize = Atomic(0)
  /// Called on the capture's queue when there is hardly room for more commits.
  let whenFull = Mutex<(@Sendable () -> Void)?>(nil)

  // SAFETY: only this object uses its connections and files, and only under the lock.
  struct State: @unchecked Sendable {
    var hold: LogHold
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
    var isClosed = false
    /// How often the log was let go.
    var lossCount = 0
    var unreadCommits = UnreadCommits()
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
    // Local work never waits for long: many captures share a few threads.
    reading = DispatchQueue(label: "Coffer.capture", qos: .utility, target: .global())
    pageSize = key.settings.pageSize
    guard let derived = key.derived,
      let cipher = CipherFile(
        file: nil, key: derived, settings: key.settings, newerPages: .nowhere)
    else {
      throw DatabaseError.archiveNeedsLibCrypto
    }
    verifier = try PageVerifier(key: derived, settings: key.settings)
    state = Mutex(
      State(
        hold: try LogHold(path: path, key: key), cipher: cipher, lastCommit: 0,
        lastDate: lastDate, now: now, changed: Array(repeating: PageSet(), count: levels)))
  }

  var layout: LogLayout { LogLayout(pageSize: pageSize) }

  /// Ends the capture. Later calls do nothing.
  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      state.hold.letGo()
      state.position = nil
      state.hold.close()
      state.log = nil
      // The pool may keep this object.
      (state.pieces, state.logFrames) = ([], [:])
      for level in state.changed.indices { state.changed[level].removeAll() }
    }
  }

  /// Closes what is only needed while commits are read, so that an idle database takes few
  /// descriptors.
  func rest() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.hold.rest()
      state.log = nil
    }
  }

  // MARK: Beginning

  /// Where an earlier capture ended.
  struct Beginning: Sendable {
    var position: LogPosition
    /// The last commit that it read as a whole.
    var lastCommit: UInt64
    /// Whether the position is inside a commit.
    var isInsideCommit: Bool
  }

  /// Begins to hold the log.
  ///
  /// - Parameter gap: The number of a commit after all that are known.
  /// - Returns: Nil if all frames behind the beginning are there. Otherwise the commits until now
  ///   are unknown: they count as one, which only a copy of all pages brings, and whose number this
  ///   is.
  func begin(at beginning: Beginning?, orAfterGap gap: UInt64) throws -> UInt64? {
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
    let frame = try frame(position.frame, of: log(&state))
    return frame.belongs(to: position.salts) && frame.checksumBytes == position.checksum
  }

  /// Returns the checksum of the last frame; empty if a writer has begun to overwrite it.
  private func checksum(ofFrame seen: LogHold.State, _ state: inout State) throws -> [UInt8] {
    guard seen.frame > 0,
      let frame = try? frame(seen.frame, of: log(&state)), frame.belongs(to: seen.salts)
    else { return [] }
    return frame.checksumBytes
  }

  // MARK: The log's file

  func log(_ state: inout State) throws -> RawFile {
    if let log = state.log, log.hasItsName { return log }
    let log = try RawFile(path: path + "-wal", flags: O_RDONLY)
    state.log = log
    return log
  }

  func frame(_ number: Int, of log: RawFile) throws -> LogFrame {
    let bytes = try log.read(count: LogLayout.frameHeaderSize, at: layout.offset(ofFrame: number))
    guard let frame = LogFrame(bytes) else { throw CommitCaptureError.logIsGone }
    return frame
  }

  /// Reads where the pages are in the log.
  private func noteFrames(upTo last: Int, _ state: inout State) throws {
    guard last > 0 else { return }
    let log = try log(&state)
    for number in 1...last { state.logFrames[try frame(number, of: log).page] = number }
  }
}

/// The reasons why commits can't be read.
enum CommitCaptureError: Error {
  /// The log doesn't have the frames any more.
  case logIsGone
  /// The database's key was changed.
  case otherKey
  /// The file is shorter than its database.
  case pageIsMissing(Int)
}
