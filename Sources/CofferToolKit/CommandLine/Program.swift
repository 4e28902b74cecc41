import Glibc

/// The program `coffer`.
package enum Program {
  /// Runs the command that the arguments name, and ends the process with its exit code.
  package static func run() -> Never {
    // A descriptor that was closed would be that of the next file. What is opened here is the wrong
    // way round, so that reading and writing fail.
    for (descriptor, way) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", way)
    }
    // New files are plaintext or keys more often than not: only their owner can read them.
    umask(0o077)
    Interrupts.takeSignals()
    let console = Console.standard { code in
      if code == EPIPE { Leftovers.exit(withCode: 128 + SIGPIPE) }
      let reason = String(cString: strerror(code))
      _ = Console.writeAll(
        "coffer: standard output: \(reason). Check the disk and its free space\n".utf8,
        to: STDERR_FILENO)
      Leftovers.exit(withCode: ToolError.Code.inputOutput.rawValue)
    }
    // A path or SQL with other bytes would become another one.
    for argument in unsafe UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    {
      guard let argument = unsafe argument, unsafe String(validatingCString: argument) == nil else {
        continue
      }
      console.error(
        "coffer: \(unsafe String(cString: argument)): an argument must be UTF-8. Rename the file, "
          + "or put SQL into a file"
      )
      exit(ToolError.Code.usage.rawValue)
    }
    exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: console))
  }
}
