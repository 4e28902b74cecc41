import CofferSQLite
import Glibc

/// The calls of the system that give files their names, and bring the names to the disk.
///
/// Each returns 0, or -1 with `errno`.
struct FileCalls: Sendable {
  /// Renames a file, unless the other name is taken.
  var renameToNew: @Sendable (_ path: String, _ target: String) -> CInt
  /// Gives a file a second name, unless that is taken.
  var link: @Sendable (_ path: String, _ target: String) -> CInt
  /// Syncs an open folder.
  var sync: @Sendable (_ folder: CInt) -> CInt
  /// Syncs the file system of an open file.
  var syncFileSystem: @Sendable (_ file: CInt) -> CInt

  static let system = FileCalls(
    renameToNew: { SystemCalls.rename($0, toNew: $1) },
    link: { unsafe Glibc.link($0, $1) },
    sync: { fsync($0) },
    syncFileSystem: { SystemCalls.syncFileSystem(of: $0) })

  /// The calls of a task.
  @TaskLocal static var current = system
}
