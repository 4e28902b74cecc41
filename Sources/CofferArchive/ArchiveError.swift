import CofferCore

/// What is wrong with an archive, or with the use of one.
///
/// Objects are called by their names.
public enum ArchiveError: Error, Equatable, Sendable {
  /// There is no archive at the destination.
  case noArchive
  /// The key isn't that of the archive's database.
  case otherKey
  /// The database has got another key since the archive began.
  case changedKey
  /// An object was changed, or cut.
  case damaged(String)
  /// An object is missing.
  case missing(String)
  /// An object is intact, but belongs elsewhere: it was copied over another one.
  case misplaced(String)
  /// A link, a folder, a pipe or the like has the name of an object in the archive's folder.
  case notAFile(String)
  /// An object is of another archive.
  case otherArchive(String)
  /// An object doesn't follow the one before.
  case brokenChain(String)
  /// An object has a version of the format that isn't known.
  case unknownVersion(String, Int)
  /// The archive doesn't have that commit, or no longer.
  case noCommit(UInt64)
  /// The archive has no commit of that date or before.
  case noCommitBefore(String)
  /// The archive doesn't reach what it has to: the minimum, and its last commit, if it has any.
  case notReached(ArchiveMinimum.Value, last: ArchiveCommit?)
  /// The anchor knows no commit of this archive.
  case notInAnchor
  /// A session's archive isn't in its folder, which may be that of a disk that isn't mounted.
  case away(String)
  /// All manifests of an archive are gone from its destination, whose place this is: somebody has
  /// emptied it, or it leads elsewhere now.
  case gone(String)
  /// Another writer uses the archive.
  case writerExists
  /// Another session archives the same database, to this or another destination.
  case archivedAlready(String)
  /// Another writer has taken the archive over.
  case superseded
  /// The destination didn't answer before a session or a follower had to end. So many bytes of
  /// commits are left in the database's own log, from which the next session goes on.
  case notEnded(waitingByteCount: Int)
  /// The session of this process hasn't done in time what it was asked to.
  case notAnswered(process: Int32)
  /// The session has ended.
  case ended
  /// So much waited for the destination that the write-ahead log was let go.
  case logTooLong
  /// A file that Coffer didn't write is in the way.
  case foreignFile(String)
  /// A follower's file was replaced, or another program has written to it.
  case changedFile(String)
  /// The archive doesn't have the commits of a follower's file, or no longer shows that it does.
  case otherHistory
}

extension ArchiveError {
  /// Whether a follower can't go on after this: its file isn't the one that it left, or isn't of
  /// the archive's history. The file has to be deleted, so that it is restored.
  public var endsFollowing: Bool {
    switch self {
    case .foreignFile, .changedFile, .otherHistory: true
    default: false
    }
  }
}

extension ArchiveError: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .notAnswered(let process):
      "the process \(process), which archives the database, hasn't pruned in time: it has another target, "
        + "can't reach it, or its clock has jumped. Look at what it tells."
    case .noArchive: "there is no archive at the destination. Check its path or URL."
    case .otherKey: "the key isn't that of the archive's database."
    case .changedKey:
      "the database's key was changed. Start an archive at another destination, and keep this one for "
        + "its commits, with the old key."
    case .damaged(let name):
      "the archive's object \(name) is damaged. Fetch it from another copy, or restore an earlier commit."
    case .missing(let name):
      "the archive's object \(name) is missing. Fetch it from another copy, or restore an earlier commit."
    case .misplaced(let name):
      "the archive's object \(name) is another object under its name. Somebody has exchanged it."
    case .notAFile(let name):
      "the archive's object \(name) is no plain file, but a link, a folder, a pipe or the like. Put the "
        + "object back in its place."
    case .otherArchive(let name):
      "the archive's object \(name) belongs to another archive. Somebody has exchanged it."
    case .brokenChain(let name):
      "the archive's object \(name) doesn't follow the one before. Somebody has exchanged objects."
    case .unknownVersion(let name, let version):
      "the archive's object \(name) has version \(version) of the format, which this version of Coffer "
        + "doesn't know. Use a newer one."
    case .noCommit(let number):
      "the archive doesn't have commit \(number), or no longer. `coffer archive list` shows what it has."
    case .noCommitBefore(let date):
      "the archive has no commit of \(date) or before. `coffer archive list` shows what it has."
    case .notReached(let minimum, let last):
      "the archive reaches "
        + (last.map { "commit \($0.number) of \($0.dateText)" } ?? "no commit")
        + ", and not \(minimum). It may have lost its end: look for another copy of it."
    case .notInAnchor:
      "the anchor knows no commit of this archive. Give the commit or the date that it has to reach "
        + "(`atLeast`, --at-least)."
    case .away(let path):
      "the archive isn't in \(path) any more: its disk may not be mounted. Nothing is stored until it is "
        + "back."
    case .gone(let place):
      "the archive is gone: \(place) has none of its manifests any more. Put its objects back, or end this "
        + "and start again, which begins a new archive."
    case .writerExists:
      "another writer uses this archive. If it is gone for good, take the archive over by its number "
        + "(`takesOverWriter`, --take-over), which coffer archive status shows."
    case .archivedAlready(let path):
      "\(path) is archived by another session already, and a database has one archive at a time. End that "
        + "session first, or copy its archive to the second place."
    case .superseded:
      "another writer has taken this archive over. This one has ended; nothing was overwritten."
    case .notEnded(let byteCount):
      "the archive's destination didn't answer in time. "
        + (byteCount > 0
          ? "\(byteCount) bytes of commits are left in the database's own log, from which the next session "
            + "goes on: keep the log beside the database."
          : "What isn't stored yet is left in the database's own log.")
    case .ended: "the archive's session has ended. Start another one."
    case .logTooLong:
      "the destination was away for so long that the write-ahead log reached its limit. All pages are "
        + "archived again as soon as it is back."
    case .foreignFile(let path):
      "\(path) is no follower's file of this archive. Move it away, or name another file to follow the "
        + "archive with."
    case .changedFile(let path):
      "\(path) isn't the file that its follower left, or somebody else has written to it. Delete it and "
        + "the files beside it, so that the follower restores it."
    case .otherHistory:
      "the archive has other commits than the follower's file: it was put back to an earlier state, or a "
        + "writer went on from one. Delete the file, so that the follower restores it."
    }
  }
}
