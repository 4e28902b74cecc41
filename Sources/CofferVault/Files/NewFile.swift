import CofferSQLite
import Glibc

/// Whole files, for modules that keep some beside databases.
package enum NewFile {
  /// Writes a file, unless there is one of that name: synced and whole before it has the name.
  ///
  /// - Returns: False if the name is taken; its folder is synced then, too.
  package static func create(_ path: String, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try CName.check(path)
    if isTaken(path) {
      try PendingFile.syncFolder(of: path)
      return false
    }
    let file = try PendingFile(for: path)
    do {
      try unsafe file.write(bytes)
      try file.moveToTarget(replaces: false, isExclusive: true)
      return true
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CANTOPEN && isTaken(path)
    {
      try PendingFile.syncFolder(of: path)
      return false
    }
  }

  private static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Reads a file.
  ///
  /// - Returns: Nil if there is none.
  /// - Throws: ``DatabaseError`` if it can't be read, is no regular file, or has more bytes than
  ///   that.
  package static func read(_ path: String, atMost byteCount: Int) throws -> [UInt8]? {
    do {
      let file = try RawFile(path: path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      let size = try file.size()
      guard file.isRegular, size <= byteCount else {
        throw DatabaseError(
          resultCode: .SQLITE_IOERR,
          message: "\(path) is not a regular file of at most \(byteCount) bytes")
      }
      return try file.read(count: size, at: 0)
    } catch let error as RawFileError {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: error.description)
    }
  }

  /// Whether something is at a path that is no regular file: a link, a folder, a pipe.
  package static func isOther(_ path: String) -> Bool {
    var status = stat()
    guard (try? CName.check(path)) != nil else { return false }
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Returns what distinguishes a file from another one of its name; nil if there is no regular
  /// file.
  ///
  /// A file that was written to is another one, too.
  package static func identity(_ path: String) -> [Int]? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return [
      Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)),
      Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
      status.st_ctim.tv_nsec,
    ]
  }

  /// Deletes a file; that there is none is no error.
  package static func delete(_ path: String) throws {
    try CName.check(path)
    guard unsafe unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(RawFileError("delete", path))")
    }
  }

  /// Makes a folder, unless it exists, and syncs the one above, which has to exist.
  package static func makeFolder(_ path: String) throws {
    try CName.check(path)
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "\(RawFileError("make", path))")
    }
    try PendingFile.syncFolder(of: path)
  }

  /// Deletes what killed processes left in a folder of files that they were writing.
  ///
  /// - Parameter age: For how many seconds nothing was written to them.
  /// - Returns: The number of deleted files.
  package static func deleteLeftovers(in folder: String, olderThan age: Int) throws -> Int {
    var count = 0
    for (name, isRegular) in try entries(of: folder)
    where isRegular && name.hasSuffix(PendingFile.suffix) {
      let path = folder + "/" + name
      var status = stat()
      guard unsafe lstat(path, &status) == 0, time(nil) - Int(status.st_mtim.tv_sec) > age else {
        continue
      }
      try delete(path)
      count += 1
    }
    return count
  }

  /// Returns the names in a folder, and which of them are regular files; none if it doesn't exist.
  package static func entries(
    of folder: String
  ) throws -> [(name: String, isRegular: Bool)] {
    try CName.check(folder)
    guard let directory = unsafe opendir(folder) else {
      var status = stat()
      // A link to nowhere is there.
      if errno == ENOENT, unsafe lstat(folder, &status) != 0 { return [] }
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(RawFileError("list", folder))")
    }
    defer { unsafe closedir(directory) }
    var entries: [(name: String, isRegular: Bool)] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      // SAFETY: the system ends the name with a NUL. The entry ends there, so it must not be
      // copied.
      let name = unsafe String(
        cString: (UnsafeRawPointer(entry) + MemoryLayout.offset(of: \dirent.d_name)!)
          .assumingMemoryBound(to: CChar.self))
      var status = stat()
      if name != ".", name != "..", unsafe lstat(folder + "/" + name, &status) == 0 {
        entries.append((name, status.st_mode & S_IFMT == S_IFREG))
      }
    }
    guard errno == 0 else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(RawFileError("list", folder))")
    }
    return entries
  }
}
