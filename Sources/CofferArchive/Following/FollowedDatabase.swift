import CofferCore

/// A database to which an archive's commits are written, and which others only read.
final class FollowedDatabase {
  private let appender: LogAppender
  let path: String

  /// Opens the file, whose key is that of the archive.
  init(path: String, key: DerivedKey, settings: CipherSettings) throws {
    self.path = PendingFile.resolved(path)
    let raw = DatabaseKey(form: .rawWithSalt(key.salt), bytes: key.key)
    appender = try LogAppender(
      path: self.path,
      key: FileKey(raw, settings: settings, salt: key.salt, derived: key))
  }

  /// Writes pages as one commit: readers see all of them or none.
  ///
  /// - Parameter body: Calls its argument with frames, each a page's number, of 4 bytes, and the
  ///   page as it is stored. Returns the number of the database's pages.
  func commit(_ body: (_ write: (ArraySlice<UInt8>) throws -> Void) throws -> Int) throws {
    try named { try appender.commit(body) }
  }

  /// Moves the log's frames to the file from a number of pages on, if no reader needs them.
  func checkpoint(from pageCount: Int) { appender.checkpoint(from: pageCount) }

  func close() { appender.close() }

  /// Whether there is a file.
  static func exists(at path: String) -> Bool { PendingFile.size(of: path) != nil }

  // MARK: Marks

  /// What distinguishes the file from another one, and from one that others have changed.
  ///
  /// - Throws: ``ArchiveError/changedFile(_:)`` if another program has written to it.
  func mark() throws -> FollowedFileMark {
    try named {
      try appender.requireOwn()
      var mark = try FollowedFileMark(ofFileAt: path)
      mark.log = try appender.position()
      return mark
    }
  }

  /// Moves all frames to the file, if no reader needs them.
  ///
  /// - Returns: What tells that nobody writes to it from now on; nil if frames are left, or if
  ///   somebody else has written to it.
  func finalMark() throws -> FollowedFileMark? {
    try named {
      guard (try? appender.requireOwn()) != nil else { return nil }
      appender.checkpoint(from: 1)
      guard try appender.position().frame == 0 else { return nil }
      // A power cut, or a failed call, would bring the frames back.
      if let log = try RawFile.existing(path + "-wal") {
        guard try log.size() == 0 else { return nil }
        try log.sync()
      }
      return try FollowedFileMark(ofFileAt: path)
    }
  }

  /// Whether the file is as a follower left it, or killed in the middle of a commit.
  func fits(_ mark: FollowedFileMark) throws -> Bool {
    try named {
      let now = try FollowedFileMark(ofFileAt: path)
      guard now.isSameFile(as: mark) else { return false }
      guard let log = mark.log else {
        return try appender.position().frame == 0 && now.isUnchanged(since: mark)
      }
      return try appender.hasAtMostOneCommit(after: log)
    }
  }

  private func named<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as RawFileError {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

  // MARK: Key slots

  /// Replaces the key slots of a database, if they are others.
  static func setKeySlots(_ bytes: [UInt8], forDatabaseAt path: String) throws {
    let target = KeySlots.path(forDatabaseAt: path)
    if let present = try? NewFile.read(target, atMost: 1 << 20), present == bytes { return }
    let file = try PendingFile(for: target)
    try file.write(bytes)
    try file.moveToTarget(replaces: true)
  }
}
