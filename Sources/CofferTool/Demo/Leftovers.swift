import Dispatch
import Glibc
import Synchronization

/// The files to delete when the demo ends, however it ends.
enum Leftovers {
  private static let paths = Mutex<[String]>([])

  /// Deletes a database, or an empty folder, with the rest of the leftovers.
  static func add(_ path: String) {
    paths.withLock { $0.append(path) }
  }

  /// Leaves a file where it is after all.
  static func keep(_ path: String) {
    paths.withLock { $0.removeAll { $0 == path } }
  }

  /// Deletes what is to be deleted, the last added first.
  static func removeAll() {
    let paths = paths.withLock { paths in
      defer { paths = [] }
      return paths
    }
    for path in paths.reversed() { remove(path) }
  }

  /// Deletes one database with the files beside it, or one empty folder.
  static func remove(_ path: String) {
    keep(path)
    for file in files(of: path) { _ = Glibc.remove(file) }
  }

  /// All files that a database may have.
  static func files(of path: String) -> [String] {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Deletes the leftovers when the process is asked to end: by Ctrl-C, by a closed terminal.
  ///
  /// - Returns: What has to live as long as that is to hold.
  static func removeOnSignals() -> [any DispatchSourceSignal] {
    // A write to a closed pipe is to be an error, which the console sees.
    signal(SIGPIPE, SIG_IGN)
    return [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler { exit(withCode: 128 + number) }
      source.resume()
      return source
    }
  }

  /// Deletes the leftovers and ends the process at once, whatever its threads do.
  static func exit(withCode code: CInt) -> Never {
    removeAll()
    _exit(code)
  }
}
