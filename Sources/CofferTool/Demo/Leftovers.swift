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
    ["", "-wal", "-shm", "-journal", "-keys"].map { path + $0 }
  }

  /// Deletes the leftovers when a signal ends the process, such as Ctrl-C or a closed terminal.
  ///
  /// - Precondition: The process has no other thread yet.
  static func removeOnSignals() {
    // Makes a write to a closed pipe an error, which the console handles.
    signal(SIGPIPE, SIG_IGN)
    // Blocked in this thread and in all that it starts, so that a signal waits for the thread below.
    // A process can inherit ignored signals, which would never arrive.
    for number in signals { signal(number, SIG_DFL) }
    var blocked = sigset_t(signals)
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    var thread = pthread_t()
    let code =
      descriptor < 0
      ? EMFILE : pthread_create(&thread, nil, { _ in Leftovers.waitForSignals() }, nil)
    // Without the thread, signals end the process as usual.
    if code != 0 { pthread_sigmask(SIG_UNBLOCK, &blocked, nil) }
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Readable while a signal waits, so that it can be taken under a lock.
  private static let descriptor: CInt = {
    // SAFETY: The signature of signalfd(2), which Glibc's module lacks.
    typealias Open = @convention(c) (CInt, UnsafePointer<sigset_t>, CInt) -> CInt
    let open = unsafeBitCast(dlsym(nil, "signalfd"), to: Open.self)
    var set = sigset_t(signals)
    return open(-1, &set, O_CLOEXEC)
  }()

  private static func waitForSignals() -> Never {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      poll(&wait, 1, -1)
      Interrupts.collect(signals)
    }
  }

  /// Deletes the leftovers and ends the process at once, whatever its threads are doing.
  static func exit(withCode code: CInt) -> Never {
    removeAll()
    Prompt.restoreEcho()
    _exit(code)
  }
}
