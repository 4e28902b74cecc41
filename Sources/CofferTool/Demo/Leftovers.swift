import Dispatch
import Glibc
import Synchronization

/// The files to delete when the demo ends, even if a signal ends it.
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
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Deletes the leftovers when a signal ends the process, such as Ctrl-C or a closed terminal.
  ///
  /// - Returns: The signal sources, which the caller must keep alive.
  static func removeOnSignals() -> [any DispatchSourceSignal] {
    // Makes a write to a closed pipe an error, which the console handles.
    signal(SIGPIPE, SIG_IGN)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    // Blocked in this thread and in all that it starts: Dispatch reads the signals from a descriptor,
    // and loses the first one if a thread takes it before that.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in numbers { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    return numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler {
        if number == SIGINT, Interrupts.deliver() { return }
        exit(withCode: 128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Deletes the leftovers and ends the process at once, whatever its threads are doing.
  static func exit(withCode code: CInt) -> Never {
    removeAll()
    Prompt.restoreEcho()
    _exit(code)
  }
}
