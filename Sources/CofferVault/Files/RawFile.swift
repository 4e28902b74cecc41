import CofferSQLite
import Glibc

/// A file that is read and written by its descriptor.
///
/// Not for database files, whose locks the process would lose: see ``ReadOnlyFile``.
package final class RawFile: Sendable {
  let path: String
  private let descriptor: CInt

  /// - Throws: ``RawFileError`` with the system's code.
  package init(path: String, flags: CInt, mode: mode_t = 0o600) throws(RawFileError) {
    self.path = path
    guard CName.isWhole(path) else {
      errno = EINVAL
      throw RawFileError("open", path)
    }
    descriptor = SystemCalls.retrying { unsafe open(path, flags | O_CLOEXEC, mode) }
    guard descriptor >= 0 else { throw RawFileError("open", path) }
  }

  deinit {
    // Closing would leave the lock to a process that is being started: until its `exec`, it has a
    // copy of the descriptor.
    unlock()
    close(descriptor)
  }

  /// Opens a file for reading; nil if there is none.
  package static func existing(_ path: String) throws(RawFileError) -> RawFile? {
    do {
      // Doesn't wait for the writer of a pipe.
      return try RawFile(path: path, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Fills the buffer from `offset` on, and returns the number of bytes, which is lower at the end.
  ///
  /// - Throws: ``RawFileError``
  @safe package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int
  {
    var count = 0
    while count < buffer.count {
      // SAFETY: the address is passed with the length that is left.
      let read = try call("read") {
        unsafe pread(
          descriptor, buffer.baseAddress! + count, buffer.count - count, offset + count)
      }
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// Returns up to `count` bytes; fewer at the end of the file.
  package func read(count: Int, at offset: Int) throws -> [UInt8] {
    // SAFETY: as many bytes are initialized as were read.
    try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, readCount in
      readCount = try self.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }

  /// - Throws: ``RawFileError``
  package func write(_ bytes: [UInt8], at offset: Int) throws {
    try unsafe bytes.withUnsafeBytes { buffer in
      var count = 0
      while count < buffer.count {
        // SAFETY: the address is passed with the length that is left.
        count += try call("write") {
          unsafe pwrite(
            descriptor, buffer.baseAddress! + count, buffer.count - count, offset + count)
        }
      }
    }
  }

  /// Makes the file so many bytes long.
  package func setSize(_ size: Int) throws(RawFileError) {
    try call("cut") { ftruncate(descriptor, off_t(size)) }
  }

  /// Waits until the content is on the disk.
  package func sync() throws(RawFileError) {
    try call("sync") { fdatasync(descriptor) }
  }

  @discardableResult
  private func call<Result: SignedInteger>(
    _ action: String, _ body: () -> Result
  ) throws(RawFileError) -> Result {
    let result = SystemCalls.retrying(body)
    guard result >= 0 else { throw RawFileError(action, path) }
    return result
  }

  /// Takes a lock that ends with this object.
  ///
  /// - Returns: False if another object has locked the file.
  package func lock(exclusively: Bool) throws(RawFileError) -> Bool {
    if flock(descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw RawFileError("lock", path) }
    return false
  }

  package func unlock() { flock(descriptor, LOCK_UN) }

  /// Whether the path still names this file.
  package var hasItsName: Bool {
    var own = stat()
    var named = stat()
    return unsafe fstat(descriptor, &own) == 0 && stat(path, &named) == 0
      && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  /// The reason not to write to this file beside a database; nil if there is none.
  ///
  /// Its owner is this user or the database's, or anybody where others may write to the database.
  /// - Parameter database: Nil if there is no database yet.
  package func objection(besideDatabaseAt database: String?) -> String? {
    var own = stat()
    var main = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { return "it can't be examined" }
    guard let database else {
      return PendingFile.objection(to: own, isOwnerRight: own.st_uid == geteuid())
    }
    guard unsafe stat(database, &main) == 0 else {
      return "it can't be compared with the database"
    }
    return PendingFile.objection(
      to: own,
      isOwnerRight: own.st_uid == geteuid() || own.st_uid == main.st_uid
        || main.st_mode & (S_IWGRP | S_IWOTH) != 0)
  }

  /// Returns the file's size in bytes.
  package func size() throws(RawFileError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw RawFileError("examine", path) }
    return Int(status.st_size)
  }

  var isRegular: Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Gives the file the permissions of another one.
  func takePermissions(from other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    fchmod(descriptor, status.st_mode & 0o666)
  }
}

/// A failed call of the system.
package struct RawFileError: Error, CustomStringConvertible {
  let code: CInt
  package let description: String

  /// Describes `errno`.
  init(_ action: String, _ path: String) {
    code = errno
    description = unsafe "could not \(action) \(path): \(String(cString: strerror(code)))"
  }
}
