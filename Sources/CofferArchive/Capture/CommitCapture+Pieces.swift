import CofferCore
import FoundationEssentials

extension CommitCapture {
  // MARK: Pieces

  /// Returns the oldest piece, which gets no more commits from now on; nil if there is none.
  func nextPiece() -> CommitPiece? {
    state.withLock { state in
      // One was made for frames that then couldn't be read.
      while state.pieces.count > 1, state.pieces[0].commits.isEmpty { state.pieces.removeFirst() }
      guard let piece = state.pieces.first, !piece.commits.isEmpty else { return nil }
      state.isTaken = true
      return piece
    }
  }

  /// Forgets the oldest piece, which is stored.
  func dropPiece() {
    state.withLock { state in
      if !state.pieces.isEmpty { state.pieces.removeFirst() }
      state.isTaken = false
    }
  }

  /// What waits.
  struct Backlog: Sendable {
    /// Whether the commits are followed, and not lost since the log became too long.
    var isFollowing: Bool
    /// The bytes of the log that were not read, and those of the pieces.
    var byteCount: Int
    /// How often the log was let go.
    var lossCount: Int
  }

  func backlog() -> Backlog {
    state.withLock { state in
      let unread = (try? unreadCount(&state)) ?? 0
      return Backlog(
        isFollowing: state.position != nil,
        byteCount: unread * layout.frameSize + state.pieces.reduce(0) { $0 + $1.frames.count },
        lossCount: state.lossCount)
    }
  }

  private func unreadCount(_ state: inout State) throws -> Int {
    guard let position = state.position else { return 0 }
    let index = try state.hold.index()
    return index.salts == position.salts ? index.frameCount - position.frame : index.frameCount
  }

  /// Returns the number of commits that wait: in pieces, and in the log.
  ///
  /// Those in the log are counted by the headers of their frames, up to 20,000 frames at once.
  /// - Returns: Nil where some aren't counted yet, or the log was let go.
  func waitingCommitCount() -> Int? {
    state.withLock { state in
      guard !state.isClosed, let position = state.position, let index = try? state.hold.index()
      else { return nil }
      let first = index.salts == position.salts ? position.frame : 0
      var counted = state.unreadCommits
      if counted.salts != index.salts || counted.first != first || counted.last > index.frameCount {
        counted = UnreadCommits(salts: index.salts, first: first, last: first)
      }
      let last = min(index.frameCount, counted.last + 20_000)
      if counted.last < last {
        guard let log = try? log(&state) else { return nil }
        for number in (counted.last + 1)...last {
          guard let frame = try? frame(number, of: log), frame.belongs(to: index.salts) else {
            return nil
          }
          if frame.isCommit { counted.count += 1 }
        }
        counted.last = last
        state.unreadCommits = counted
      }
      guard last == index.frameCount else { return nil }
      return state.pieces.reduce(counted.count) { count, piece in
        count + piece.commits.count { $0.pageCount > 0 }
      }
    }
  }

  /// The commits in a part of the log that isn't read yet.
  struct UnreadCommits {
    var salts: [UInt8] = []
    /// The frame before the first one, and the last one that was counted.
    var first = 0
    var last = 0
    var count = 0
  }

  /// Whether no commits are read until a level's pages are copied.
  var isFrozen: Bool { state.withLock(\.isFrozen) }

  /// The number of pieces that wait.
  var pieceCount: Int { state.withLock(\.pieces.count) }

  /// Where the capture is, if all commits that were read are stored.
  var end: Beginning? {
    state.withLock { state in
      guard state.pieces.isEmpty, !state.isInsideCommit, let position = state.position else {
        return nil
      }
      return Beginning(position: position, lastCommit: state.lastCommit, isInsideCommit: false)
    }
  }

  /// Lets the log go: commits are lost until the capture begins again.
  func letGo() { state.withLock { letGo(&$0) } }

  /// Lets the log go if too much of it waits.
  ///
  /// - Returns: Whether it was let go.
  func letGoIfTooLong() -> Bool {
    state.withLock { state in (try? letGoIfTooLong(&state)) ?? false }
  }

  func letGoIfTooLong(_ state: inout State) throws -> Bool {
    guard try unreadCount(&state) * layout.frameSize > limits.logSize else { return false }
    letGo(&state)
    return true
  }

  private func letGo(_ state: inout State) {
    if state.position != nil { state.lossCount += 1 }
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
}
