/// A database to which an archive's commits are written, and which others only read.
package final class FollowedDatabase {
  private let appender: LogAppender
  package let path: String

  /// Opens the file, whose key is that of the archive.
  package init(path: String, key: DerivedKey, settings: CipherSettings) throws {
    self.path = PendingFile.resolved(path)
    let raw = DatabaseKey(form: .rawWithSalt(key.salt), bytes: key.key)
    appender = try LogAppender(
      path: self.path,
      key: FileKey(raw, settings: settings, salt: key.salt, derived: key))
  }

  /// Writes pages as one commit: readers see all of them or none.
  ///
  /// - Parameter body: Calls its argument with frames, each a page's number, of 4 bytes, and the page as
  ///   it is stored. Returns the number of the database's pages.
  package func commit(_ body: (_ write: (ArraySlice<UInt8>) throws -> Void) throws -> Int) throws {
    do {
      try appender.commit(body)
    } catch let error as RawFileError {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

  /// Moves the log's frames to the file from a number of pages on, if no reader needs them.
  package func checkpoint(from pageCount: Int) { appender.checkpoint(from: pageCount) }

  package func close() { appender.close() }

  /// Whether there is a file.
  package static func exists(at path: String) -> Bool { PendingFile.size(of: path) != nil }
}
