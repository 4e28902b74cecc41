import CofferSQLite
import FoundationEssentials
import Glibc

/// A file that is being written, and gets its name once it is complete.
///
/// It is beside its target as `NAME.coffer-partial`, locked by its writer. What a killed process
/// left there is removed, never written to: it could be a link to another file. A file of another
/// user is an error, and so is one with a second name.
package final class PendingFile {
  static let suffix = ".coffer-partial"

  package let path: String
  package let target: String
  private var descriptor: CInt

  /// Creates the file, which only its owner can read.
  /// - Throws: An error if another process is writing the same file, or the folder isn't writable.
  package init(for target: String) throws {
    try CName.check(target)
    self.target = target
    path = target + Self.suffix
    descriptor = -1
    while true {
      descriptor = SystemCalls.retrying { [path] in
        unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      if descriptor < 0 {
        guard errno == EEXIST else { throw PendingFile.failure("could not create \(path)") }
        try removeLeftover()
        continue
      }
      // Until it is locked, others take it for what a killed process left.
      guard try lock(descriptor) else { throw busy }
      if try isNamed(path) { break }
      close()
    }
    try setPermissions(0o600)
    try removeCompanions()
  }

  /// Removes the file that a killed process left at the path.
  /// - Throws: An error if its writer lives, or if it isn't certain that this user left it.
  private func removeLeftover() throws {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw PendingFile.failure("could not read \(path)")
    }
    if let reason = PendingFile.objection(to: status, isOwnerRight: status.st_uid == geteuid()) {
      throw DatabaseError(
        resultCode: .SQLITE_PERM, message: "\(path) is not used: \(reason)",
        hint: "Another user may have put it there. Delete it, and check who can write to its "
          + "folder.")
    }
    // The file of a process that lives must not be removed: its lock shows that.
    func opened(_ access: CInt) -> CInt {
      SystemCalls.retrying {
        unsafe open(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      }
    }
    var other = opened(O_RDWR)
    if other < 0, errno == EACCES { other = opened(O_RDONLY) }
    guard other >= 0 else {
      if errno == ENOENT { return }
      throw PendingFile.failure("could not open \(path)")
    }
    defer { PendingFile.unlockAndClose(other) }
    guard try lock(other) else { throw busy }
    // Whoever removes or renames a file has its lock, so that the name stays what it is here.
    guard try PendingFile.isName(path, of: other) else { return }
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw PendingFile.failure("could not remove \(path)")
    }
  }

  /// Locks the file.
  /// - Returns: False if another process or thread has locked it.
  private func lock(_ descriptor: CInt) throws -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw PendingFile.failure("could not lock \(path)") }
    return false
  }

  private var busy: DatabaseError {
    close()
    return DatabaseError(
      resultCode: .SQLITE_BUSY, message: "\(target) is being written already",
      hint: "Another process or thread is writing this file.")
  }

  /// Creates the file as soon as no other process or thread is writing it.
  /// - Throws: An error after five seconds.
  static func waiting(for target: String) throws -> PendingFile {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try PendingFile(for: target)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
      {
        usleep(2000)
      }
    }
  }

  deinit { discard() }

  /// Writes the bytes to the file.
  package func write(_ bytes: [UInt8], at start: Int = 0) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0, at: start) }
  }

  /// Writes the bytes to the file.
  func write(_ bytes: UnsafeRawBufferPointer, at start: Int = 0) throws {
    var offset = 0
    while offset < bytes.count {
      // SAFETY: `pwrite` gets the rest of the bytes and its length.
      let count = SystemCalls.retrying {
        unsafe pwrite(
          descriptor, bytes.baseAddress.map { unsafe $0 + offset }, bytes.count - offset,
          off_t(start + offset))
      }
      guard count > 0 else { throw PendingFile.failure("could not write \(path)") }
      offset += count
    }
  }

  /// Begins to write to the disk what was written to the file, so that its end waits for less.
  package func beginSyncing() { SystemCalls.beginSync(of: descriptor) }

  /// Makes the file so many bytes long.
  package func setSize(_ size: Int) throws {
    guard SystemCalls.retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else {
      throw PendingFile.failure("could not set the size of \(path)")
    }
  }

  /// Removes the file, unless it has been moved to its place.
  package func discard() {
    guard descriptor >= 0 else { return }
    if (try? isNamed(path)) == true {
      unsafe unlink(path)
      try? removeCompanions()
    }
    close()
  }

  /// Removes the files that SQLite would take for those of this database.
  private func removeCompanions() throws {
    for suffix in ["-journal", "-wal", "-shm"] {
      guard unsafe unlink(path + suffix) == 0 || errno == ENOENT else {
        throw PendingFile.failure("could not remove \(path)\(suffix)")
      }
    }
  }

  private func close() {
    if descriptor >= 0 { PendingFile.unlockAndClose(descriptor) }
    descriptor = -1
  }

  /// Closing alone would leave the lock to a process that is being started: until its `exec`, it
  /// has a copy of the descriptor.
  private static func unlockAndClose(_ descriptor: CInt) {
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  private func isNamed(_ name: String) throws -> Bool {
    try PendingFile.isName(name, of: descriptor)
  }

  /// Whether the path, which is no symbolic link, names the file.
  private static func isName(_ path: String, of descriptor: CInt) throws -> Bool {
    var own = stat()
    var named = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { throw failure("could not examine \(path)") }
    guard unsafe lstat(path, &named) == 0 else {
      if errno == ENOENT { return false }
      throw failure("could not examine \(path)")
    }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  package var size: Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies the owner and permissions of the file that is replaced.
  /// - Parameter allowed: The permissions that the new file may have.
  package func takePermissions(from other: String, allowed: mode_t = 0o777) throws {
    let status = try PendingFile.status(of: other)
    // Only root can change the owner; others may still be able to set the group.
    if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
      _ = fchown(descriptor, uid_t.max, status.st_gid)
    }
    try setPermissions(status.st_mode & allowed)
  }

  /// Lets others than the owner do what they can do with another file.
  /// - Parameter allowed: The permissions that the new file may have.
  func addPermissions(from other: String, allowed: mode_t) throws {
    try setPermissions(PendingFile.status(of: other).st_mode & allowed | 0o600)
  }

  private func setPermissions(_ mode: mode_t) throws {
    guard fchmod(descriptor, mode & 0o777) == 0 else {
      throw PendingFile.failure("could not set the permissions of \(path)")
    }
  }

  private static func status(of path: String) throws -> stat {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw failure("could not read the permissions of \(path)")
    }
    return status
  }

  /// Syncs the file, renames it to its target, and syncs the folder.
  ///
  /// - Parameters:
  ///   - replaces: Whether to overwrite an existing file of that name.
  ///   - isExclusive: Whether it is an error if the file system can't tell that a name is taken
  ///     while it gives it. Otherwise a file that another process makes at that moment is
  ///     overwritten there.
  ///   - finish: Called once the file has its name, whatever comes after.
  /// - Throws: An error with nothing changed; or, after `finish`, one with the code
  ///   `SQLITE_IOERR_DIR_FSYNC`, which says that the new file is in place.
  package func moveToTarget(
    replaces: Bool, isExclusive: Bool = false, then finish: () -> Void = {}
  ) throws {
    // What can fail comes before the file has its name.
    let folder = try Folder(of: target)
    guard SystemCalls.retrying({ fsync(descriptor) }) == 0 else {
      throw PendingFile.failure("could not sync \(path)")
    }
    try removeCompanions()
    try rename(replaces: replaces, isExclusive: isExclusive)
    finish()
    let isSynced = folder.sync(with: descriptor)
    let reason = PendingFile.systemError
    // Close it now, since closing drops all the locks that this process has on the file.
    close()
    guard isSynced else {
      throw DatabaseError(
        resultCode: .SQLITE_IOERR_DIR_FSYNC,
        message: "the new file is in place at \(target), but its folder could not be synced: "
          + reason,
        hint: "A power cut can still undo that: keep the keys of both the old and the new file, "
          + "and check the disk.")
    }
  }

  private func rename(replaces: Bool, isExclusive: Bool) throws {
    var code: CInt
    if replaces {
      code = moving { unsafe Glibc.rename(path, target) }
    } else {
      code = moving { FileCalls.current.renameToNew(path, target) }
      // Some file systems don't know that flag, and some have no hard links.
      if code != 0, code != EEXIST {
        code = moving { FileCalls.current.link(path, target) }
        if code == 0 {
          unsafe unlink(path)
        } else if isExclusive, [EINVAL, ENOSYS, EOPNOTSUPP, EPERM].contains(code) {
          throw DatabaseError(
            resultCode: .SQLITE_IOERR,
            message: "the file system of \(target) can't keep two writers apart",
            hint:
              "It knows neither renameat2 with RENAME_NOREPLACE nor hard links: use another folder."
          )
        } else if code != EEXIST, !isExclusive, PendingFile.size(of: target) == nil {
          code = moving { unsafe Glibc.rename(path, target) }
        }
      }
      guard code != EEXIST else { throw PendingFile.existing(target) }
    }
    guard code == 0 else {
      errno = code
      throw PendingFile.failure("could not move \(path) to \(target)")
    }
  }

  /// Calls what gives the file its name.
  /// - Returns: 0 once the file has it, whatever the call returned, or the system's code.
  private func moving(_ call: () -> CInt) -> CInt {
    guard SystemCalls.retrying(call) != 0 else { return 0 }
    let code = errno
    return (try? isNamed(target)) == true ? 0 : code
  }

  /// The folder of a file, open before the file gets its name there.
  private struct Folder: ~Copyable {
    /// Negative where the folder's content can't be read.
    private let descriptor: CInt

    init(of path: String) throws {
      let folder = path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) }
      descriptor = SystemCalls.retrying {
        unsafe open(folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      }
      guard descriptor >= 0 || errno == EACCES else {
        throw failure("could not open the folder of \(path)")
      }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Waits until the names in the folder are on the disk.
    ///
    /// - Parameter file: A file in the folder: where the folder can't be synced, all of its file
    ///   system is.
    /// - Returns: False after a failure, with `errno`.
    func sync(with file: CInt) -> Bool {
      // Some file systems can't sync folders, and return EINVAL.
      if descriptor >= 0,
        SystemCalls.retrying({ FileCalls.current.sync(descriptor) }) == 0 || errno == EINVAL
      {
        return true
      }
      return SystemCalls.retrying { FileCalls.current.syncFileSystem(file) } == 0
    }
  }

  /// Syncs the folder of a file that has got its name there.
  package static func syncFolder(of path: String) throws {
    let folder = try Folder(of: path)
    guard folder.sync(with: -1) else { throw failure("could not sync the folder of \(path)") }
  }

  private static var systemError: String { unsafe String(cString: strerror(errno)) }

  private static func existing(_ target: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(target) already",
      hint: "Delete it first, or choose another path.")
  }

  /// The reason not to use a file that another user may have put there; nil if there is none.
  static func objection(to status: stat, isOwnerRight: Bool) -> String? {
    if status.st_mode & S_IFMT != S_IFREG { return "it is not a regular file" }
    if !isOwnerRight { return "it belongs to another user" }
    return status.st_nlink > 1 ? "it has another name besides" : nil
  }

  private static func failure(_ message: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_IOERR, message: "\(message): \(systemError)", hint: nil)
  }

  // MARK: Names

  /// Throws if there is a file at the path, or what is left of one.
  package static func requireNone(at target: String) throws {
    try CName.check(target)
    guard size(of: target) == nil else { throw existing(target) }
    for suffix in ["-wal", "-journal"] where size(of: target + suffix) != nil {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(target)\(suffix)",
        hint: "It belongs to a deleted database, and would corrupt the new one: delete it.")
    }
  }

  /// Returns the path without symbolic links, if the file exists.
  package static func resolved(_ path: String) -> String {
    // SAFETY: `realpath` allocates the path that it returns.
    guard CName.isWhole(path), let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Returns the path that a symbolic link leads to, from the current folder; nil for anything
  /// else.
  static func destination(ofLink path: String) -> String? {
    guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
      return nil
    }
    guard !link.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return link }
    return path[...slash] + link
  }

  /// Whether both paths lead to the same file.
  package static func areSame(_ first: String, _ second: String) -> Bool {
    var one = stat()
    var other = stat()
    guard CName.isWhole(first), CName.isWhole(second) else { return false }
    return unsafe stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_ino == other.st_ino
      && one.st_dev == other.st_dev
  }

  package static func size(of path: String) -> Int? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  package static func remove(_ path: String) { unsafe unlink(path) }
}
