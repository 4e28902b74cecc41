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
  /// - Throws: ``DatabaseError`` if it can't be read, is no regular file, or has more bytes than that.
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
    for name in try names(in: folder) where name.hasSuffix(PendingFile.suffix) {
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

  /// Returns the names of the regular files in a folder; none if it doesn't exist.
  package static func names(in folder: String) throws -> [String] {
    try CName.check(folder)
    guard let directory = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(RawFileError("list", folder))")
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      // SAFETY: the system ends the name with a NUL. The entry ends there, so it must not be copied.
      let name = unsafe String(
        cString: (UnsafeRawPointer(entry) + MemoryLayout.offset(of: \dirent.d_name)!)
          .assumingMemoryBound(to: CChar.self))
      var status = stat()
      if unsafe lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        names.append(name)
      }
    }
    guard errno == 0 else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(RawFileError("list", folder))")
    }
    return names
  }
}
