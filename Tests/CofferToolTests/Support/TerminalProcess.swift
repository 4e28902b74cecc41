import CofferTestSupport
import Foundation
import Glibc

/// A run of the tool on a terminal, which the test types on and reads.
final class TerminalProcess {
  private let terminal: CInt
  private let process: pid_t
  private var unread = ""
  /// All that was shown.
  private(set) var shown = ""

  var processIdentifier: Int32 { process }

  init(
    _ arguments: [String], in folder: TemporaryDirectory, columns: UInt16 = 80, rows: UInt16 = 24,
    environment: [String: String] = [:]
  ) throws {
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Glibc's module lacks.
    var (lock, number): (CInt, CUnsignedInt) = (0, 0)
    guard terminal >= 0, ioctl(terminal, 0x4004_5431, &lock) == 0,
      ioctl(terminal, 0x8004_5430, &number) == 0
    else { throw POSIXError(.ENXIO) }
    let name = "/dev/pts/\(number)"
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens controls it.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, 0x80)  // POSIX_SPAWN_SETSID
    let all = ProcessInfo.processInfo.environment
      .merging(["TERM": "xterm", "PAGER": "cat"]) { $1 }.merging(environment) { $1 }
    // Foundation's Process could set a folder; a shell does here.
    let words = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path, toolPath] + arguments
    var argv = words.map { strdup($0) } + [nil]
    var envp = all.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in argv + envp { free(word) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, "/bin/sh", &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    process = started
  }

  deinit {
    kill(process, SIGKILL)
    close(terminal)
  }

  func type(_ text: String) {
    _ = text.utf8.withContiguousStorageIfAvailable { write(terminal, $0.baseAddress, $0.count) }
  }

  func type(line: String) { type(line + "\n") }

  /// Changes the size of the window.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Reads until a text is shown, and returns what came before and with it; nil if it never comes.
  func read(until text: String) -> String? {
    // Long, since the machine can be busy: no test waits for it to pass.
    let deadline = Date(timeIntervalSinceNow: 60)
    while Date() < deadline {
      if let range = unread.range(of: text) {
        let found = String(unread[..<range.upperBound])
        unread = String(unread[range.upperBound...])
        return found
      }
      guard readMore() else { return nil }
    }
    return nil
  }

  /// Reads to the end, and returns the exit code and the rest of what was shown.
  func finish() -> (code: Int32, rest: String) {
    while readMore() {}
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, unread)
  }

  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    var wait = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 60_000) > 0 else { return false }
    let count = Glibc.read(terminal, &chunk, chunk.count)
    guard count > 0 else { return false }
    let text = String(decoding: chunk[..<count], as: UTF8.self)
    unread += text
    shown += text
    return true
  }
}
