import FoundationEssentials
import Glibc

/// A file that is being written, and gets its name once it is complete.
///
/// It is beside its target as `NAME.coffer-partial`. A file that a killed process left there is
/// rewritten.
final class PendingFile {
  let path: String
  let target: String
  private var descriptor: CInt

  /// Creates the file, which only its owner can read.
  /// - Throws: An error if another process is writing the same file, or the folder isn't writable.
  init(for target: String) throws {
    self.target = target
    path = target + ".coffer-partial"
    descriptor = -1
    // Between opening and locking, another process may have finished with the file.
    while true {
      descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        throw PendingFile.failure("could not create \(path)")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let isBusy = errno == EWOULDBLOCK
        let error = PendingFile.failure("could not lock \(path)")
        Glibc.close(descriptor)
        descriptor = -1
        throw isBusy
          ? DatabaseError(
            resultCode: .SQLITE_BUSY, message: "\(target) is being written already",
            hint: "Another process or thread is writing this file.") : error
      }
      var opened = stat()
      var named = stat()
      if unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &named) == 0,
        opened.st_ino == named.st_ino,
        opened.st_dev == named.st_dev
      {
        break
      }
      Glibc.close(descriptor)
    }
    guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
      throw PendingFile.failure("could not empty \(path)")
    }
    removeCompanions()
  }

  deinit { discard() }

  /// Removes the file, unless it has been moved to its place.
  func discard() {
    guard descriptor >= 0 else { return }
    unsafe unlink(path)
    removeCompanions()
    Glibc.close(descriptor)
    descriptor = -1
  }

  private func removeCompanions() {
    for suffix in ["-journal", "-wal", "-shm"] { unsafe unlink(path + suffix) }
  }

  var size: Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies the owner and permissions of the file that is replaced.
  func takePermissions(from other: String) throws {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else {
      throw PendingFile.failure("could not read the permissions of \(other)")
    }
    // Only root can change the owner; others may still be able to set the group.
    if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
      _ = fchown(descriptor, uid_t.max, status.st_gid)
    }
    guard fchmod(descriptor, status.st_mode & 0o777) == 0 else {
      throw PendingFile.failure("could not set the permissions of \(path)")
    }
  }

  /// Syncs the file and renames it to its target.
  /// - Parameter replaces: Whether to overwrite an existing file of that name.
  func moveToTarget(replaces: Bool) throws {
    guard fsync(descriptor) == 0 else { throw PendingFile.failure("could not sync \(path)") }
    removeCompanions()
    if replaces {
      guard unsafe rename(path, target) == 0 else {
        throw PendingFile.failure("could not rename \(path) to \(target)")
      }
    } else if unsafe link(path, target) == 0 {
      unsafe unlink(path)
    } else {
      let isThere = unsafe errno == EEXIST || access(target, F_OK) == 0
      // Some file systems have no hard links.
      guard !isThere, unsafe rename(path, target) == 0 else {
        throw PendingFile.failure("could not move the new file to \(target)")
      }
    }
    // Close it now, since closing drops all the locks that this process has on the file.
    Glibc.close(descriptor)
    descriptor = -1
    try PendingFile.syncFolder(of: target)
  }

  private static func syncFolder(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) }
    let descriptor = unsafe open(folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("could not open the folder of \(path)") }
    defer { Glibc.close(descriptor) }
    // Some file systems can't sync folders, and return EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw failure("could not sync the folder of \(path)")
    }
  }

  private static func failure(_ message: String) -> DatabaseError {
    let reason = unsafe String(cString: strerror(errno))
    return DatabaseError(resultCode: .SQLITE_IOERR, message: "\(message): \(reason)", hint: nil)
  }

  // MARK: Names

  /// Returns the path without symbolic links, if the file exists.
  static func resolved(_ path: String) -> String {
    // SAFETY: `realpath` allocates the path that it returns.
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Returns the path that a symbolic link leads to, from the current folder; nil for anything else.
  static func destination(ofLink path: String) -> String? {
    guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
      return nil
    }
    guard !link.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return link }
    return path[...slash] + link
  }

  /// Whether both paths lead to the same file.
  static func areSame(_ first: String, _ second: String) -> Bool {
    var one = stat()
    var other = stat()
    return unsafe stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_ino == other.st_ino
      && one.st_dev == other.st_dev
  }

  static func size(of path: String) -> Int? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  static func remove(_ path: String) { unsafe unlink(path) }
}
