import CofferCore
import FoundationEssentials

/// A part of a write-ahead log: some commits, or a part of a large one.
struct CommitPiece: Sendable {
  /// A commit, or the part of it that is in this piece.
  struct Commit: Sendable, Hashable {
    /// When the commit was read, in milliseconds since 1970; never earlier than the one before.
    var date: UInt64
    /// Its frames in this piece.
    var frameCount: Int
    /// The number of the database's pages after it; 0 if its other frames are in the next piece.
    var pageCount: Int

    init(date: UInt64, frameCount: Int, pageCount: Int) {
      (self.date, self.frameCount, self.pageCount) = (date, frameCount, pageCount)
    }
  }

  /// The number of the first commit.
  let firstCommit: UInt64
  /// The commits, whose numbers follow each other.
  var commits: [Commit] = []
  /// The frames: each a page's number, of 4 bytes, and the page as it is stored.
  var frames: [UInt8] = []
  /// The place in the log behind this piece.
  var end: LogPosition

  init(firstCommit: UInt64, end: LogPosition) {
    (self.firstCommit, self.end) = (firstCommit, end)
  }
}

extension Date {
  /// The milliseconds since 1970, as archives store dates: from 1970 on, and rounded.
  var archivedMilliseconds: UInt64 {
    UInt64(max(0, min((timeIntervalSince1970 * 1_000).rounded(), 4e15)))
  }

  /// The date of milliseconds since 1970.
  init(archivedMilliseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(archivedMilliseconds) / 1_000)
  }
}
