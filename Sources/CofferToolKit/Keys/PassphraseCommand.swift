import Glibc

/// Runs a shell command that prints a passphrase.
enum PassphraseCommand {
  /// Executes `command` with `/bin/sh`, and reads its standard output.
  ///
  /// The command can talk to the terminal by its standard input and error.
  static func run(_ command: String, into secret: SecretBytes) throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileError(path: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process: pid_t
    do {
      defer { close(ends[1]) }
      process = try spawn(command, output: ends[1])
    }
    let result = Result { try secret.read(ends[0], name: "the passphrase command") }
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    try result.get()
    guard status == 0 else {
      let reason =
        status & 0x7F == 0 ? "exit code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
      throw ToolError(
        .noPermission, "the passphrase command failed with \(reason). Run it by hand to see why")
    }
  }

  private static func spawn(_ command: String, output: CInt) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    return try Spawning.spawn("/bin/sh", ["sh", "-c", command], actions: &actions)
  }
}

/// Starts processes with the signals that this process ignores set back to their defaults.
enum Spawning {
  static func spawn(
    _ path: String, _ arguments: [String], actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var blocked = sigset_t([])
    posix_spawnattr_setsigmask(&attributes, &blocked)
    var defaults = sigset_t([SIGINT, SIGTERM, SIGHUP, SIGPIPE])
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, path, &actions, &attributes, &words, environ)
    guard code == 0 else { throw FileError(path: path, code: code) }
    return process
  }
}
