import Glibc
import Synchronization

/// The files to delete when the tool ends, even if a signal ends it.
enum Leftovers {
  private static let paths = Mutex<[String]>([])

  /// Adds a database or an empty folder to the leftovers.
  static func add(_ path: String) {
    paths.withLock { $0.append(path) }
  }

  /// Removes a file from the leftovers, without deleting it.
  static func keep(_ path: String) {
    paths.withLock { $0.removeAll { $0 == path } }
  }

  /// Deletes all leftovers, the most recently added first.
  static func removeAll() {
    let paths = paths.withLock { paths in
      defer { paths = [] }
      return paths
    }
    for path in paths.reversed() { remove(path) }
  }

  /// Deletes a database with the files beside it, or an empty folder.
  static func remove(_ path: String) {
    keep(path)
    for file in files(of: path) { _ = Glibc.remove(file) }
  }

  /// Returns all files that a database can have.
  static func files(of path: String) -> [String] {
    ["", "-wal", "-shm", "-journal", "-keys", "-tags", "-archive", "-follow"].map { path + $0 }
  }

  /// Deletes the leftovers and ends the process at once, whatever its threads are doing.
  static func exit(withCode code: CInt) -> Never {
    removeAll()
    Prompt.restoreEcho()
    _exit(code)
  }
}
