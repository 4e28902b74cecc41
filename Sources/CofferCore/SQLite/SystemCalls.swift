import CSQLCipher
import Glibc

/// Calls of the system that Swift's import of glibc lacks. Each returns 0, or -1 with `errno`,
/// unless it says something else.
enum SystemCalls {
  /// Repeats a call of the system while a signal interrupts it.
  static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Renames a file, unless the other name is taken.
  static func rename(_ path: String, toNew target: String) -> CInt {
    unsafe coffer_rename_to_new(path, target)
  }

  /// Waits until the file system of an open file is on the disk.
  static func syncFileSystem(of descriptor: CInt) -> CInt { coffer_sync_file_system(descriptor) }

  /// Begins to write a file to the disk, without waiting for it.
  static func beginSync(of descriptor: CInt) { coffer_begin_sync(descriptor) }

  /// When a file was made, in nanoseconds since 1970; 0 where its file system doesn't know it.
  static func birthTime(of path: String) -> Int64 { unsafe coffer_birth_time(path) }
}
