import CofferSQLite
import Glibc

/// The file of a new database, before SQLite opens it.
package enum NewDatabaseFile {
  /// Creates an empty file with the permissions, unless the file exists.
  ///
  /// SQLite gives its journal, WAL and shared memory the permissions of the file. Where the file
  /// can't be created, SQLite's error says so.
  package static func create(at path: String, mode: UInt32) {
    // A file that exists must not be opened: closing it would drop this process's locks on it. That
    // is why links to missing files are followed here.
    var target = path
    for _ in 0..<8 {
      guard let link = PendingFile.destination(ofLink: target) else { break }
      target = link
    }
    let descriptor = SystemCalls.retrying {
      unsafe open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { return }
    _ = SystemCalls.retrying { fchmod(descriptor, mode) }
    close(descriptor)
  }

  /// Throws if another user may have put the empty file there, or a link on the way to it: what is
  /// written would belong to that user, or be in a place of that user's choice.
  package static func requireOwn(at path: String) throws {
    var path = path
    // As many links as Linux follows.
    for _ in 0..<40 {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { return }
      if let reason = objection(to: status, at: path) {
        throw DatabaseError(
          resultCode: .SQLITE_PERM, message: "\(path) is not used: \(reason)",
          hint: "Another user may have put it there. Delete it, and check who can write to its "
            + "folder.")
      }
      guard let target = PendingFile.destination(ofLink: path) else { return }
      path = target
    }
  }

  private static func objection(to status: stat, at path: String) -> String? {
    if !isTrusted(status.st_uid, inFolderOf: path) { return "it belongs to another user" }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    return isFile && status.st_nlink > 1 ? "it has another name besides" : nil
  }

  /// Whether a file's owner is this user or root; or whoever else makes files in that folder: its
  /// owner, or nobody but this user and root, who then gave the file away.
  private static func isTrusted(_ owner: uid_t, inFolderOf path: String) -> Bool {
    let own = [geteuid(), 0]
    if own.contains(owner) { return true }
    var folder = stat()
    let end = path.lastIndex(of: "/")
    guard unsafe stat(end.map { String(path[...$0]) } ?? ".", &folder) == 0 else { return false }
    return folder.st_uid == owner
      || own.contains(folder.st_uid) && folder.st_mode & (S_IWGRP | S_IWOTH) == 0
  }
}
