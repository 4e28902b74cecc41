import Glibc

/// Collects output, and shows what is longer than the window in a pager.
final class Pager {
  private let console: Console
  private var bytes: [UInt8] = []
  private let limit: Int
  private var process: pid_t?
  private var input: CInt = -1
  private var lineCount = 0

  init(_ console: Console) {
    self.console = console
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
    limit = isKnown ? Int(size.ws_row) - 2 : 22
  }

  func write(_ new: [UInt8]) {
    if input >= 0 { return send(new) }
    bytes += new
    lineCount += new.count { $0 == 0x0A }
    if lineCount > limit { start() }
  }

  /// Writes what is short, or waits until the pager is closed.
  func finish() {
    guard let process else {
      if !bytes.isEmpty { console.writeBytes(bytes) }
      return
    }
    close(input)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  private func send(_ new: [UInt8]) {
    // The reader closes the pager before the end: the rest isn't wanted.
    _ = Console.writeAll(new, to: input)
  }

  private func start() {
    var command = getenv("PAGER").map { String(cString: $0) } ?? ""
    if command.isEmpty {
      command = "if command -v less >/dev/null 2>&1; then exec less -FRSX; else exec cat; fi"
    }
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    let started = try? Spawning.spawn("/bin/sh", ["sh", "-c", command], actions: &actions)
    close(ends[0])
    guard let started else {
      close(ends[1])
      return
    }
    process = started
    input = ends[1]
    send(bytes)
    bytes = []
  }
}
