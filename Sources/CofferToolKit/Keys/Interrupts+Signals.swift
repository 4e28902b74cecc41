import Glibc
import Synchronization

/// The thread that takes signals.
extension Interrupts {
  /// Without SIGHUP, if it is ignored, as nohup means it: a blocked signal would arrive
  /// nevertheless.
  private static let signals: [CInt] = {
    var hangup = sigaction()
    sigaction(SIGHUP, nil, &hangup)
    // SAFETY: handlers are addresses, which are only compared.
    let handler = unsafeBitCast(hangup.__sigaction_handler.sa_handler, to: Int.self)
    return [SIGINT, SIGTERM] + (handler == unsafeBitCast(SIG_IGN, to: Int.self) ? [] : [SIGHUP])
  }()

  /// Readable while a signal waits, so that it can be taken under a lock.
  private static let descriptor: CInt = {
    // SAFETY: The signature of signalfd(2), which Glibc's module lacks.
    typealias Open = @convention(c) (CInt, UnsafePointer<sigset_t>, CInt) -> CInt
    let open = unsafeBitCast(dlsym(nil, "signalfd"), to: Open.self)
    var set = sigset_t(signals)
    return open(-1, &set, O_CLOEXEC)
  }()

  /// Held while a signal is taken and delivered.
  private static let collecting = Mutex(())

  /// Has all signals taken by a thread, which deletes the leftovers where one ends the process,
  /// such as Ctrl-C or a closed terminal.
  ///
  /// - Precondition: The process has no other thread yet.
  static func takeSignals() {
    // Makes a write to a closed pipe an error, which the console handles.
    signal(SIGPIPE, SIG_IGN)
    // Without the thread, signals end the process as usual.
    guard descriptor >= 0 else { return }
    // Blocked in this thread and in all that it starts, so that a signal waits for the thread
    // below. A process can inherit ignored signals, which would never arrive.
    for number in signals { signal(number, SIG_DFL) }
    var blocked = sigset_t(signals)
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in Interrupts.waitForSignals() }, nil)
    if code != 0 { pthread_sigmask(SIG_UNBLOCK, &blocked, nil) }
  }

  private static func waitForSignals() -> Never {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      poll(&wait, 1, -1)
      collect()
    }
  }

  /// Delivers the signals that wait, and ends the process if one of them does.
  ///
  /// Called before a line is read, too: a Ctrl-C that was pressed before it isn't taken for one
  /// that was pressed after it, even if the other thread is just delivering it.
  static func collect() {
    collecting.withLock { _ in
      var (set, atOnce) = (sigset_t(signals), timespec())
      while case let number = sigtimedwait(&set, nil, &atOnce), number > 0 {
        if !deliver(number) { Leftovers.exit(withCode: 128 + number) }
      }
    }
  }
}

extension sigset_t {
  /// A set of these signals.
  init(_ signals: [CInt]) {
    self.init()
    sigemptyset(&self)
    for number in signals { sigaddset(&self, number) }
  }
}
