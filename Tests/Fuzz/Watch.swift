import Foundation
import Glibc

/// Writes the present input to a file if the process crashes or hangs.
enum Watch {
  private static let capacity = 1 << 21

  // SAFETY: set before the signals' functions are installed, by the only thread, on which the
  // functions run, too, and end the process.
  private nonisolated(unsafe) static let input = UnsafeMutablePointer<UInt8>.allocate(
    capacity: capacity)
  private nonisolated(unsafe) static var count = 0  // SAFETY: as above.
  private nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?  // SAFETY: as above.
  private nonisolated(unsafe) static var advice: UnsafeMutablePointer<CChar>?  // SAFETY: as above.

  /// The seconds of the processor that an input may take.
  static let seconds = 10
  /// The seconds that it may take on a busy machine.
  static let longest: UInt32 = 300
  /// The address space of the process at its start, in bytes.
  private static let reserved: UInt = {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return UInt(pages.prefix { $0 != " " }).map { $0 * 4096 } ?? 1 << 40
  }()

  /// The memory that the process may use, in bytes: more with a sanitizer, which reserves
  /// terabytes, and keeps several bytes for each.
  static let memory = reserved > 1 << 40 ? 16 << 30 : 1 << 30

  /// Installs functions for signals, and limits the memory.
  static func start(_ target: String, failuresAt path: String) {
    Self.path = strdup(path)
    advice = strdup(
      "\nThe process was stopped by a signal. 27 and 14: an input\n"
        + "didn't end in \(seconds) seconds of the processor, or in \(longest). Replay it:\n"
        + "  CofferFuzz \(target) --input \(path)\n")
    input.initialize(repeating: 0, count: capacity)
    // The stack may be used up.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)
    stack.ss_size = 1 << 16
    sigaltstack(&stack, nil)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGALRM, SIGPROF] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { Watch.stop($0) }
      action.sa_flags = CInt(SA_ONSTACK) | CInt(bitPattern: UInt32(SA_RESETHAND))
      sigaction(signal, &action, nil)
    }
    // Beside what is reserved already, without being used.
    let space = reserved + 2 * UInt(memory)
    var limit = rlimit(rlim_cur: space, rlim_max: space)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }

  private static func stop(_ signal: CInt) {
    guard let path, let advice else { _exit(1) }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    if file >= 0 { _ = write(file, input, count) }
    _ = write(STDERR_FILENO, advice, strlen(advice))
    Glibc.signal(signal, SIG_DFL)
    raise(signal)
    _exit(128 + signal)
  }

  /// Notes what is tried next, and gives it its time.
  static func begin(_ bytes: [UInt8]) {
    count = min(bytes.count, capacity)
    bytes.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { input.update(from: start, count: count) }
    }
    setTime(seconds)
    alarm(longest)
  }

  static func end() {
    setTime(0)
    alarm(0)
  }

  private static func setTime(_ seconds: Int) {
    var time = itimerval()
    time.it_value.tv_sec = seconds
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &time, nil)
  }
}
