#if S3
  import FoundationEssentials
  import Glibc

  /// A command that prints credentials: see
  /// <https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html>.
  enum S3CredentialProcess {
    private static let seconds = 60
    private static let sizeLimit = 1 << 16
    private static let place = "the output of credential_process"

    /// Executes a command with `/bin/sh`. What it writes to its error output isn't kept, since that
    /// may have secrets.
    static func credentials(_ command: String) throws(S3Error) -> S3CredentialStore.Kept {
      var ends: [CInt] = [0, 0]
      guard unsafe pipe(&ends) == 0 else {
        throw .invalidCredentials(file: place, reason: "there is no pipe")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { close(ends[0]) }
      let process = spawn(command, output: ends[1])
      close(ends[1])
      guard let process else {
        throw .invalidCredentials(file: place, reason: "the command can't be started")
      }
      let output = read(ends[0])
      // All that it has started is in its group.
      if output == nil { kill(-process, SIGKILL) }
      var status: CInt = 0
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
      guard let output else {
        throw .invalidCredentials(
          file: place, reason: "it took over \(seconds) seconds, or has over 64 KiB")
      }
      guard status == 0 else {
        throw .invalidCredentials(
          file: place, reason: "the command has failed. Run it by hand to see why")
      }
      return try S3TemporaryCredentials.credentials(output, from: place, needsVersion: true)
    }

    private static func spawn(_ command: String, output: CInt) -> pid_t? {
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
      var attributes = posix_spawnattr_t()
      unsafe posix_spawnattr_init(&attributes)
      defer { unsafe posix_spawnattr_destroy(&attributes) }
      // The program may have blocked signals in its threads, and ignore some.
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      var all = sigset_t()
      unsafe sigfillset(&all)
      unsafe posix_spawnattr_setsigdefault(&attributes, &all)
      unsafe posix_spawnattr_setflags(
        &attributes,
        Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
      // SAFETY: the copies are freed after the call, which reads them.
      let texts: [String] = ["sh", "-c", command]
      var words: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
      unsafe words.append(nil)
      defer { for index in texts.indices { unsafe free(words[index]) } }
      var process: pid_t = 0
      let code = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ)
      return code == 0 ? process : nil
    }

    /// Reads all that is written; nil if it is too much, or takes too long.
    private static func read(_ descriptor: CInt) -> Data? {
      let end = ContinuousClock.now + .seconds(seconds)
      var output = Data()
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while true {
        let left = (end - .now) / .milliseconds(1)
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard left > 0 else { return nil }
        let ready = unsafe poll(&wait, 1, CInt(min(left, 60_000)) + 1)
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else { return nil }
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { return output }
        output += bytes[..<count]
        guard output.count <= sizeLimit else { return nil }
      }
    }
  }
#endif
